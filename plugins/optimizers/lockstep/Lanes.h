// Lanes in lock step as vector code: each statement of the region is done for all lanes before the next one. Varying
// values become vectors, divergent control flow becomes masks, memory accesses become vector loads and stores where
// neighbouring lanes touch neighbouring elements, gathers and scatters where not.
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/diag/Diagnostic.h"

#include <functional>
#include <optional>
#include <utility>

namespace tangram::lockstep {

using ast::Region;
using ast::Uniformity;

/// What the vector form lacks; the region then stays scalar, or is an error where it cannot.
struct Unsupported {
  ast::SourceRange range;
  std::string what;
};

constexpr ast::Int kFar = 1 << 20; // steps beyond it are no pattern

class Lanes {
public:
  using Stmts = std::vector<const ast::Stmt *>;

  /// `names`: in use in the kernel. `known`: the value of an expression where it is known when the kernel is compiled.
  using Known = std::function<std::optional<ast::Int>(const ast::Expr *)>;
  Lanes(ast::Arena &arena, ast::Names &names, const ast::Module &module, const Region &region, unsigned lanes,
        Known known);

  /// The region as vector code, lane 0's variable having the value `first`; `mask`: vector of bool, which lanes there
  /// are, null: all; `alignment`: a power of two of which `first` is a multiple. May be called more than once: each
  /// copy has variables of its own.
  Stmts run(const ast::Expr *first, const ast::Type &laneType, const ast::Expr *mask, ast::Int alignment = 1);

  const Uniformity &uniformity() const { return u_; }
  unsigned lanes() const { return lanes_; }

private:
  /// What a name of the region stands for in the copy that is being written.
  struct Binding {
    enum class Kind : std::uint8_t { Scalar, Vector, Affine, Private, Value, Exchange } kind = Kind::Scalar;
    std::string name;                // Scalar, Vector, Private, Exchange
    const ast::Expr *base = nullptr; // Affine: lane 0's value; Value: what it is in all lanes
    ast::Int step = 0;               // Affine: from lane to lane
    bool exact = false;              // Affine: does not wrap in lanes that are used
    const ast::Expr *mask = nullptr; // Vector: the lanes that it was declared for
  };
  /// base + lane * step, modulo the width of the type.
  struct Affine {
    const ast::Expr *base = nullptr;
    ast::Int step = 0;
    bool exact = false;
  };
  /// Lanes by a number.
  struct Divided {
    Affine lanes;
    ast::Int by;
  };
  struct Place {
    const ast::Expr *base = nullptr; // pointer or array
    bool isPrivate = false;
    const ast::Expr *index = nullptr; // in terms of the region's variables
  };
  struct Counted; // a loop in the parts of its header

  // Expressions (Expressions.cpp): scalar where uniform, vector where varying.
  const ast::Expr *value(const ast::Expr *e);
  const ast::Expr *vector(const ast::Expr *e); // broadcast where uniform
  const ast::Expr *spread(const ast::Expr *scalarOrVector);
  const ast::Expr *uniform(const ast::Expr *e);
  const ast::Expr *truth(const ast::Expr *e); // as a condition: bool or vector of bool
  const ast::Expr *variable(const ast::VarRef *e);
  std::optional<bool> decided(const ast::Binary *e);
  bool divides(const ast::Expr *divisor) const;
  const ast::Expr *unary(const ast::Unary *e);
  const ast::Expr *comparedAsTheyAre(const ast::Binary *e);
  const ast::Expr *dividedLanes(const ast::Binary *e);
  const ast::Expr *binary(const ast::Binary *e);
  const ast::Expr *conditional(const ast::Conditional *e);
  const ast::Expr *compared(const ast::Conditional *e);
  const ast::Expr *cast(const ast::Type &to, const ast::Expr *operand);
  const ast::Expr *call(const ast::Call *e);
  const ast::Expr *check(const ast::Check *e);
  const ast::Expr *arithmetic(ast::BinaryOp op, const ast::Expr *lhs, const ast::Expr *rhs, const ast::Type &scalar);
  const ast::Expr *ownValue(const ast::Expr *v, const ast::Expr *l);
  /// Each lane by itself, those that are left out not at all. Nothing where the values are not `wanted`.
  const ast::Expr *laneByLane(const std::vector<const ast::Expr *> &operands, const ast::Type &result,
                              const std::function<const ast::Expr *(std::vector<const ast::Expr *>)> &scalar,
                              bool wanted = true);
  const ast::Expr *atomic(const ast::Atomic *e, bool wanted = true);
  const ast::Expr *laneNumbers(const ast::Type &scalar);
  const ast::Expr *materialise(const Affine &a, const ast::Type &scalar);

  // Assignments and memory (Memory.cpp).
  enum class Wants : std::uint8_t { Nothing, New, Old }; // the value of an assignment
  const ast::Expr *assign(const ast::Expr *target, ast::AssignOp op, const ast::Expr *operand, Wants wants);
  const ast::Expr *assignVector(const ast::VarRef *target, ast::AssignOp op, const ast::Expr *operand, Wants wants);
  const ast::Expr *assignShared(const ast::VarRef *target, ast::AssignOp op, const ast::Expr *operand, Wants wants);
  const ast::Expr *assignBase(const ast::VarRef *target, ast::AssignOp op, const ast::Expr *operand);
  const ast::Expr *assignMemory(const ast::Expr *target, ast::AssignOp op, const ast::Expr *operand, Wants wants);
  const ast::Expr *increment(const ast::Unary *e, Wants wants);
  const ast::Expr *applied(ast::AssignOp op, const ast::Expr *old, const ast::Expr *operand, const ast::Type &scalar);
  const ast::Expr *oneLane(const ast::Expr *v);
  void once(const ast::Stmt *s);
  const ast::Expr *load(const ast::Expr *place);
  void store(const Place &place, const ast::Expr *value, const ast::Type &type);
  const ast::Expr *loadFrom(const Place &place, const ast::Type &type);
  Place placeOf(const ast::Expr *e);
  std::optional<Affine> affine(const ast::Expr *e);
  std::optional<Divided> divided(const ast::Binary *e);
  bool isNatural(const ast::Expr *e) const;
  ast::Int alignmentOf(const ast::Expr *e) const;
  std::optional<ast::Int> likelyStep(const ast::Expr *e);
  const ast::Expr *privateIndex(const Place &place);
  const ast::Expr *indices(const Place &place);

  // Shared arrays with an element a lane, held in a vector register (Exchange.cpp).
  bool exchanges(const ast::Declare *d) const;
  bool isOwnLane(const ast::Expr *index) const;
  const Binding *exchange(const ast::Expr *place) const;
  const ast::Expr *exchanged(const Binding &array, const ast::Subscript *e);
  const ast::Expr *assignExchange(const Binding &array, const ast::Subscript *target, ast::AssignOp op,
                                  const ast::Expr *operand, Wants wants);

  // Statements (Statements.cpp).
  void block(const ast::Block *block, std::size_t from = 0);
  void stmt(const ast::Stmt *s);
  void declare(const ast::Declare *d);
  void alloc(const ast::Alloc *a);
  void effect(const ast::Expr *e);
  void branch(const ast::If *node);
  void choose(const ast::Switch *node);
  void jump(const ast::Stmt *s);

  // Loops (Loops.cpp, Counted.h).
  void loop(const ast::Stmt *s);
  Counted counted(const ast::Stmt *s);
  void together(const Counted &loop);
  bool writtenOut(const Counted &loop);
  void apart(const Counted &loop);
  /// `anywhere`: not only where lanes turn out to have neighbours.
  bool prefix(const Counted &loop, bool &anywhere);
  bool leavesTogether(const Counted &loop);
  bool monotone(const Counted &loop) const;
  void remainder(const Counted &loop);
  void whileLive(const Counted &loop);
  void header(const Counted &loop);
  const ast::Expr *stepOf(const Counted &loop);
  bool usable(const ast::Expr *bound, const Counted &loop) const;
  /// What is assumed of variables while lanes run together; `asked` keeps what was asked already.
  struct Assumed {
    std::vector<std::pair<std::string, Binding>> bindings;
    std::map<std::string, const ast::Expr *> asked;
  };
  const ast::Expr *contiguous(const Counted &loop, Assumed &assumed);

  // Unrolled loops (Unroll.cpp): `env_` of each copy of the body in turn.
  using Env = std::map<std::string, Binding>;
  bool unroll(const ast::Loop *loop);
  void interleaved(const ast::Block *body, std::vector<Env> &copies);
  bool fused(const ast::Stmt *s, std::vector<Env> &copies);

  // What is written.
  ast::Build b() const { return ast::Build(arena_, here_); }
  void emit(const ast::Stmt *s) { out_->push_back(s); }
  template <class F> Stmts collect(F &&inside) {
    Stmts stmts, *outer = std::exchange(out_, &stmts);
    inside();
    out_ = outer;
    return stmts;
  }
  /// Whether `inside` is written for some lanes only.
  template <class F> auto masked(const ast::Expr *mask, F &&inside) {
    const ast::Expr *outer = std::exchange(mask_, mask);
    struct Restore {
      const ast::Expr *&place, *outer;
      ~Restore() { place = outer; }
    } restore{mask_, outer};
    return inside();
  }
  ast::Type vec(const ast::Type &scalar) const { return ast::Type::vector(scalar, lanes_); }
  ast::Type maskType() const { return vec(ast::Scalar::Bool); }
  const ast::Expr *constant(const std::string &hint, const ast::Expr *value);
  std::string nameFor(const std::string &variable); // its own in the first copy
  const ast::Expr *reduce(ast::ReduceOp op, const ast::Expr *v, const ast::Type &type);
  const ast::Expr *any(const ast::Expr *mask) { return reduce(ast::ReduceOp::Any, mask, ast::Scalar::Bool); }
  const ast::Expr *both(const ast::Expr *mask, const ast::Expr *more); // null: all lanes
  const ast::Expr *negate(const ast::Expr *mask);
  [[noreturn]] void unsupported(const ast::Node *at, std::string what) {
    throw Unsupported{at->range, std::move(what)};
  }

  ast::Arena &arena_;
  ast::Names &names_;
  const ast::Module &module_;
  const Region &region_;
  Uniformity u_;
  unsigned lanes_;
  Known known_;

  Env env_;
  std::map<std::string, ast::Int> alignments_; // of first lanes' values that have a name
  std::set<std::string> counters_;             // of a loop, that count up from 0 or more
  std::set<std::string> small_;                // arrays of fewer than kFar elements
  std::set<std::string> written_;              // names that a copy declares already
  Stmts *out_ = nullptr;
  const ast::Expr *mask_ = nullptr; // lanes that the code is for; null: all
  bool guarded_ = false;            // within an expression: there may be no such lane
  unsigned prefixes_ = 0;           // loops around of which this is the part that all lanes run
  ast::SourceRange here_;

  struct Jumping {
    const ast::Stmt *owner;
    const ast::Expr *live, *run; // lanes still in the loop, in this iteration; null where no lane leaves alone
    bool isSwitch;
  };
  std::vector<Jumping> jumping_;
};

} // namespace tangram::lockstep

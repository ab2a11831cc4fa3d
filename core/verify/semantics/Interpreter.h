// Walks through a kernel's tree and does what it says, for all lanes of a cooperative codelet together.
#pragma once

#include "Values.h"
#include "tangram/hardware/Units.h"

#include <map>
#include <unordered_map>

namespace tangram::semantics {

class Interpreter {
public:
  Interpreter(const ast::Module &module, const hardware::Hardware &hardware, std::uint64_t steps);

  using Mask = std::vector<bool>;
  /// One activation: variables of each lane.
  struct Frame {
    std::vector<std::map<std::string, Value>> lanes{1};
    std::vector<Scalar> returned{1};
    std::string level;
    std::map<std::string, Value> constants;
  };

  void body(const ast::Block *block, Frame &frame);
  Scalar evalIn(Frame &frame, const ast::Expr *e);
  const ast::Structs &structs() const { return structs_; }
  /// What is being done.
  const ast::SourceRange &place() const { return range_; }

private:
  struct Loop { // lanes that have left, or go on with the next iteration
    Mask broke, continued;
  };
  static bool none(const Mask &m);
  void step(const ast::Node *node);
  template <class F> void each(const Mask &mask, F f) {
    for (std::size_t lane = 0; lane < mask.size(); ++lane)
      if (mask[lane]) f(lane);
  }

  // Statements.cpp
  void exec(const ast::Stmt *s, Mask &mask, Loop *loop);
  void branch(const ast::If *n, Mask &mask, Loop *loop);
  void iterate(Mask &mask, const ast::Expr *cond, const ast::Block *body, const ast::Expr *step, bool bodyFirst);
  void choose(const ast::Switch *n, Mask &mask, Loop *outer);
  void loop(const ast::Loop *n, const Mask &mask);
  void cooperate(const ast::Cooperate *n);
  void view(const ast::View *n);
  void allocate(const ast::Alloc *n);
  void reshape(Array &array, const ast::Declare &as, std::size_t lane);
  void declare(const ast::Declare *n, const Mask &mask);
  void evaluate(const ast::Expr *e, const Mask &mask);
  void fill(const ast::InitList *list, std::vector<Scalar> &values, std::size_t &at,
            const std::vector<std::int64_t> &sizes, std::size_t d, std::size_t lane, const ast::Type &element);

  // Expressions.cpp
  Value eval(const ast::Expr *e, std::size_t lane);
  Scalar scalar(const ast::Expr *e, std::size_t lane);
  Value place(const ast::Expr *e, std::size_t lane);
  Value pointer(const ast::Expr *e, std::size_t lane);
  const Value &lookup(const std::string &name, std::size_t lane);
  Scalar structure(const ast::InitList *list, std::size_t lane);
  Value unary(const ast::Unary *n, std::size_t lane);
  Value binary(const ast::Binary *n, std::size_t lane);
  Value assign(const ast::Assign *n, std::size_t lane);
  Value size(const ast::Size *n, std::size_t lane);
  Value atomic(const ast::Atomic *n, std::size_t lane);
  Value check(const ast::Check *n, std::size_t lane);

  // Calls.cpp
  Value call(const ast::Call *n, std::size_t lane);
  std::size_t lanesAt(const std::string &level);
  Value spectrumCall(const ast::SpectrumCall *n, std::size_t lane);
  Value spectrum(const ast::SpectrumCall *n, const std::vector<Value> &args);
  Value map(const ast::Map *n, std::size_t lane);
  Parts::Sequence sequence(const ast::Sequence *n, std::size_t lane);
  Value partition(const ast::Partition *n, std::size_t lane);
  Value range(const ast::Sequence *n, std::size_t lane);

  hardware::Configured machine_;
  ast::Structs structs_;
  std::unordered_map<std::string, const ast::Function *> functions_;
  Frame *frame_ = nullptr;
  const std::string *guardLevel_ = nullptr;
  std::uint64_t steps_; // that are left
  int depth_ = 0;
  ast::SourceRange range_;
};

} // namespace tangram::semantics

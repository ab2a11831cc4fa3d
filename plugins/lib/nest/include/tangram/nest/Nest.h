// The loops of a codelet as sets of integers: what read() (Read.h) makes of the body of an autonomous codelet.
//
// Iterators of loops, sizes and scalars that nobody changes are all *parameters* of isl's sets, which have no
// dimensions of their own but the indices of what is accessed. A question about some loops turns their iterators into
// dimensions (relation()); those of the loops around them stay parameters, as "some iteration of these".
//
// What is taken for granted, by the language (docs/language.md):
// - containers that a codelet is given are different ones;
// - an index is one of its container: one of 64 bits whose computation wraps around is none, as the analysis `races`
// has
//   it, too; a computation of signed integers does not overflow;
// - loops end, and a container has fewer than 2^56 elements a dimension.
// Unsigned integers wrap around. A sum that wraps and comes back is followed exactly; where a wrapped value would be
// compared, widened, divided or used as an index, the parameters for which that happens are left out of `assumed`.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/nest/Isl.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tangram::nest {

/// Of iterators in code that is made: isl counts in whole numbers.
inline const ast::Type kInteger = ast::Scalar::I64;

/// An integer that does not change while the nest runs, or while its loops `loops` stand still.
struct Parameter {
  std::string id;   // of isl
  std::string name; // in messages: n, a.size(0), rows[i]
  const ast::Expr *expr = nullptr;
  std::vector<unsigned> loops; // that the expression mentions; empty: none
  /// The iterator of a loop times what stands still with it: with each iteration it is so much more. `by` is over what
  /// is known of the loops around.
  struct Stride {
    unsigned loop = 0;
    isl::pw_aff by;
  };
  std::optional<Stride> stride;
};

/// Something that is read or written: a container, a local array, or a scalar or struct, which has no indices.
struct Variable {
  std::string name;
  ast::Type type;    // of an element
  unsigned rank = 0; // of its indices
  bool container = false;
  bool given = false; // a parameter of the codelet
  /// Loops around the declaration: each iteration of these has a variable of its own, which is told apart by as many
  /// leading indices.
  std::vector<unsigned> scope;
  const ast::Declare *declaration = nullptr;
};

enum class AccessKind : std::uint8_t { Read, Write, Atomic };

/// Operators that reductions are known of.
enum class ReductionOp : std::uint8_t { Add, Mul, Min, Max, And, Or, Xor };
std::string_view name(ReductionOp op);

/// Scalars that statements only set together, to an extreme value and what belongs to it (Selections.h).
struct SelectedScalars {
  unsigned value = 0;              // that is compared
  std::vector<unsigned> followers; // in ascending order
  ast::BinaryOp compare = ast::BinaryOp::Gt;
  bool operator==(const SelectedScalars &) const = default;
};

/// Expressions and what they are.
using Leaves = std::vector<std::pair<const ast::Expr *, isl::pw_aff>>;

struct Access {
  unsigned variable = 0;
  unsigned statement = 0;
  AccessKind kind = AccessKind::Read;
  const ast::Node *node = nullptr; // where it is written
  /// All of it is touched in each iteration of the statement's domain, and nothing else. Where not, `elements` is more
  /// than what is touched.
  bool exact = true;
  bool certain = true; // not behind a condition within the statement
  /// In a condition or a bound around the statement: how many loops are around that. Those further in do not evaluate
  /// it.
  std::optional<unsigned> controls;
  /// The place is only read and written by `x = x op value`, of which this is a part.
  std::optional<ReductionOp> update;
  std::optional<unsigned> selection; // of which this is a part, in Nest::selections
  /// { variable[scope..., index...] }, over the iterators of the statement's loops.
  isl::set elements;
  /// Of a container with a dimension that is used like several, as by x[i * n + j] with j below n: the same by its
  /// place in these. Two accesses whose extents are the same touch the same element where these are the same.
  struct Place {
    std::vector<std::string> extents; // of what dimensions are used like, by their text; empty: the next dimension
    isl::set elements;
    /// Of the last dimension: its extents, and the indices in it, one more; null where one has no expression.
    struct Written {
      std::vector<const ast::Expr *> extents, index;
    } written;
    std::vector<isl::pw_aff> index;                // in these dimensions; none where one of them is not affine
    std::vector<std::optional<isl::pw_aff>> sizes; // of the extents
  };
  std::optional<Place> delinearized;
  /// The index, one a dimension, where it is affine; piecewise where it is clamped.
  std::optional<std::vector<isl::pw_aff>> index;
  /// What indices choose among, and compare for that, as far as it is affine: j - 1, 0 and n - 1 of clamp(j - 1, 0, n -
  /// 1).
  Leaves choices;
};

struct Loop {
  const ast::For *node = nullptr;
  std::string variable; // as in the source
  std::string id;       // of isl
  ast::Type type;
  std::int64_t step = 1;
  std::optional<isl::pw_aff> begin; // the first value; nothing where it is not affine
  /// The values that it takes, over the iterators of the loops around it. Those of a loop that is not exact are more.
  isl::set values;
  isl::set reached; // where it starts, over the same
  bool exact = true;
  std::optional<unsigned> parent;
};

/// A condition that stands in front of statements. One that is not affine is evaluated as it is.
struct Guard {
  const ast::Expr *cond = nullptr;
  bool affine = true;
  const ast::If *node = nullptr;
  isl::set reached;   // over the iterators of the loops around it
  bool skips = false; // if (cond) continue; the rest stands in `otherwise`
};

/// What is executed as a whole: an expression, a declaration, or whatever could not be taken apart.
struct Statement {
  const ast::Stmt *node = nullptr;
  std::vector<unsigned> loops;                   // around it, outermost first
  std::vector<std::pair<unsigned, bool>> guards; // not affine ones around it; false: it stands in `else`
  isl::set domain;                               // the iterations in which it is executed
  bool exact = true;                             // the domain is no more than these
  std::vector<Access> accesses;
};

/// The order of what there is.
struct Item {
  enum class Kind : std::uint8_t { Loop, Guard, Statement } kind = Kind::Statement;
  unsigned index = 0; // in Nest::loops, guards or statements
  std::vector<Item> body, otherwise;
};
/// Whether it is a loop, or one stands in it.
bool hasLoop(const Item &item);
/// Statements in it, in the order of the source.
std::vector<unsigned> statementsIn(const Item &item);

/// Why something is not as exact as it could be: "index is not affine: in[idx[i]]".
struct Remark {
  ast::SourceRange range;
  std::string message;
};

struct KnownDependences;

/// Objects of isl are declared behind the context, and so destroyed before it.
struct Nest {
  IslContext isl;
  const ast::Module *module = nullptr; // the codelet's
  const ast::Codelet *codelet = nullptr;
  std::deque<Parameter> parameters;
  std::deque<Variable> variables;
  std::deque<Loop> loops;
  std::deque<Guard> guards;
  std::deque<Statement> statements;
  std::vector<SelectedScalars> selections;
  std::vector<Item> items;
  /// What is known of parameters: by their types, and since programs that do otherwise are undefined.
  isl::set context;
  /// The parameters for which all of this is right: no value wraps around where that matters. A subset of the context;
  /// equal to it where nothing has to be checked.
  isl::set assumed;
  /// Products that may not wrap around in 32 bits: so many rows and one more of so many columns, over the parameters.
  struct Product {
    isl::pw_aff rows;
    const ast::Expr *columns = nullptr;
    std::string text; // of the columns
  };
  std::vector<Product> products;
  std::vector<Remark> remarks;
  /// Of x % n, where n is no number: below how many n x lies, and not below 0, wherever it is evaluated; 0: not known.
  std::map<const ast::Node *, unsigned> remainders;
  mutable std::shared_ptr<KnownDependences> dependences; // found before, by Dependences
  ast::Arena arena;                                      // of expressions that the codelet does not have

  bool unconditional() const { return context.is_subset(assumed); }
  /// The elements with iterators of `loops` as dimensions: { [loops...] -> variable[...] }. Of what depends on data
  /// that changes with these loops nothing is known.
  isl::map relation(const isl::set &elements, const std::vector<unsigned> &loops) const;
  /// The same of one loop's iterations, where parameters that grow with it by strides are still there.
  isl::map relationByStrides(const isl::set &elements, unsigned loop) const;
  /// The same of a domain: { [loops...] }.
  isl::set points(const isl::set &domain, const std::vector<unsigned> &loops) const;
  /// Without iterators of these loops, and without parameters that follow from them.
  isl::set without(isl::set set, const std::vector<unsigned> &loops) const;
  /// Whether the set depends on a parameter that changes with one of the loops.
  bool followsData(const isl::set &set, const std::vector<unsigned> &loops) const;
  /// { [value...] }, unnamed.
  isl::set tuple(const std::vector<isl::pw_aff> &values) const;
  /// 0, 1, ... as many as there are.
  std::vector<unsigned> allLoops() const;
  /// Statements below a loop.
  std::vector<unsigned> statementsOf(unsigned loop) const;
  /// The loops of a chain from `loop` inwards, of a statement's.
  std::vector<unsigned> inner(const Statement &statement, unsigned loop) const;
};

/// What two accesses of a variable touch, in one space: by their places in dimensions that it is used like, where both
/// have the same ones.
std::pair<const isl::set &, const isl::set &> comparable(const Access &one, const Access &other);
bool haveSameExtents(const Access &one, const Access &other);
/// Whether the iterations of a loop come to elements that lie side by side, or a number of elements apart: whether the
/// last one of the indices, or of those of the dimensions that it is used like, follows the iterator.
bool goesAlong(const Nest &nest, const Access &access, unsigned loop);

/// Source text for messages: a[i][j - 1].
std::string spelled(const ast::Node *node);

} // namespace tangram::nest

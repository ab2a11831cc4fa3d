// A loop that carries nothing but updates of scalars, of each by one operator, as a spectrum over its range. What else
// its iterations write is each one's own.
#pragma once

#include "Spectrums.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Neutral.h"

namespace tangram::divide {

/// A scalar that iterations combine.
struct Reduced {
  std::string name;
  ast::Type type;
  nest::ReductionOp op = nest::ReductionOp::Add;
  /// The place of a later scalar that says of iterations whether they begin this one anew (a truth value), or what they
  /// multiply it by. Such iterations are combined in their order alone.
  std::optional<std::size_t> restartedBy = {}, scaledBy = {};
};

/// Scalars of a loop, by their places among them, of which iterations keep those that belong to an extreme value.
struct SelectedTogether {
  std::size_t value = 0;              // that is compared
  std::vector<std::size_t> followers; // set with it
  ast::BinaryOp compare = ast::BinaryOp::Gt;
  /// Le, Ge: what is set wherever something is selected. A part without must not replace an equal value, as it has what
  /// was there before the loop.
  std::optional<std::size_t> any = {};

  bool replacesEqual() const { return compare == ast::BinaryOp::Le || compare == ast::BinaryOp::Ge; }
  std::vector<std::size_t> all() const;
};

struct ReductionLoop {
  LoopRange range;
  std::vector<const ast::Stmt *> body;
  Captures captures; // without the scalars
  std::vector<Reduced> scalars;
  const ast::Struct *values = nullptr;         // of several scalars, with a field each: what the spectrum returns
  bool reorder = true;                         // parts may be combined in another order than the loop's
  std::vector<const ast::Stmt *> divided = {}; // the body with its own loops divided; empty: it has none
  std::vector<SelectedTogether> selections = {};
  std::vector<PrivateCopies> privates = {}; // of containers that it also accumulates into, sizes of lanes' copies

  const SelectedTogether *selectionOf(std::size_t scalar) const; // null: it is combined alone
  bool isCompanion(std::size_t scalar) const;                    // it says of another one how that goes on
  bool inOrder() const;                                          // iterations are combined in no other order

  ast::Type result() const { return values ? ast::Type::structure(values->name) : scalars[0].type; }
};

/// The value of scalar `k` in a result.
const ast::Expr *valueOf(const ReductionLoop &loop, std::size_t k, const ast::Expr *result, ast::Arena &arena);

/// What leaves a value as it is; null for a type that has none.
using nest::neutral;
const ast::Expr *combined(const ast::Build &build, nest::ReductionOp op, const ast::Expr *a, const ast::Expr *b);
/// Scalar `k` of two values each, the second of which is from later iterations, without selections.
const ast::Expr *combined(const ast::Build &build, const std::vector<Reduced> &scalars, std::size_t k,
                          const std::vector<const ast::Expr *> &a, const std::vector<const ast::Expr *> &b);

/// Where `others`, which are of later iterations, replace `mine`; with numbers of the iterations, also of any others.
const ast::Expr *replaces(const ast::Build &build, const SelectedTogether &selection,
                          const std::vector<const ast::Expr *> &mine, const std::vector<const ast::Expr *> &others,
                          const ast::Expr *number = nullptr, const ast::Expr *otherNumber = nullptr);

/// Numbers of the iterations that selections are from, one each; 0: it is what was there before the loop.
struct Numbers {
  std::vector<const ast::Expr *> mine = {}, others = {};
  bool inOrder = false; // that others are of later iterations is known without
};

/// Statements by which scalars become what they are combined with others, of later iterations where order matters.
std::vector<const ast::Stmt *> takeOver(const ast::Build &build, const ReductionLoop &loop,
                                        const std::vector<const ast::Expr *> &mine,
                                        const std::vector<const ast::Expr *> &others, const Numbers &numbers = {});

/// The body with `numbers` set to 1 + `position`, wherever an iteration selects something.
std::vector<const ast::Stmt *> numbered(const ReductionLoop &loop, std::vector<const ast::Stmt *> body,
                                        const std::string &position, const std::vector<const ast::Expr *> &numbers,
                                        ast::Arena &arena);

/// The spectrum over the range, which is given the values before and returns those behind, and one that combines a
/// container of results, where parts may be combined.
std::vector<const ast::Spectrum *> spectrumsOf(ReductionLoop loop, const std::string &base, ast::Names &names,
                                               ast::Arena &arena);

} // namespace tangram::divide

// Loops whose iterators are the numbers of a range: range(begin, end, step).
#pragma once

#include "tangram/ast/Build.h"
#include "tangram/nest/Nest.h"

namespace tangram::nest {

/// A loop as a range of the type that its condition compares in; the iterator is that number, converted.
struct LoopRange {
  unsigned loop = 0;
  std::string iterator;
  ast::Type iteratorType, type;
  const ast::Expr *begin = nullptr, *end = nullptr;
  std::int64_t step = 1;
  std::vector<const ast::Stmt *> decoded; // declarations that follow from the iterator's, of each iteration
  std::string position;                   // what counts the elements of the range in a loop over it
  ast::SourceRange where;

  ast::Type containerType() const { return ast::Type::array(1, type); }
  /// range(begin, end, step)
  const ast::Expr *range(ast::Arena &arena) const;
};

/// What is added to an iterator where it is compared, and taken from it: `i + w - 1 < n`.
struct Ahead {
  std::vector<const ast::Expr *> added, taken;
  bool converted = false; // to another type, on the way
  /// The number that is added, where it is one and small; 0 where nothing is.
  std::optional<ast::Int> number() const;
};

/// Of i, i + a, a + i - b; nothing of what is no such sum.
std::optional<Ahead> aheadOf(const ast::Expr *e, const std::string &iterator);

/// Nothing, with a reason, where its condition is no comparison of the iterator. Of a loop that counts down by one only
/// where iterations may be done in `anyOrder`, from the last to the first.
std::optional<LoopRange> rangeOf(const Nest &nest, unsigned loop, ast::Arena &arena, std::string &why,
                                 bool anyOrder = false);

} // namespace tangram::nest

// What an expression of array type stands for while a kernel is flattened.
#pragma once

#include "tangram/ast/Node.h"

#include <memory>
#include <string>
#include <vector>

namespace tangram::flatten {

struct Parts;
struct Container;

/// Checked code: words that say which calls of a map have touched each element of a container, and which call this is.
struct Watch {
  std::shared_ptr<const Container> words; // one dimension more, of what is kept
  const ast::Map *map = nullptr;
  const ast::Expr *call = nullptr; // u32, from 1; null outside of its calls
};

/// Something with elements: a parameter, a view or a temporary of the kernel; a range, which has no storage; or the
/// parts of a partition, which exist only as a recipe until one of them is asked for.
struct Container {
  std::string name; // in the kernel; empty for parts and ranges
  ast::Type type;   // array<r, element>
  bool isConst = false;
  std::vector<const ast::Expr *> sizes, strides; // u64, stable, one a dimension; parts have no strides
  std::shared_ptr<const Parts> parts;
  std::vector<Watch> watches;       // of maps that this is in a call of
  const ast::Expr *first = nullptr; // of a range, u64, stable: element i is first + i * strides[0], in its own type
};

/// A sequence with its operands evaluated, as u64.
struct SequenceValue {
  const ast::Expr *start = nullptr;
  const ast::Expr *inc = nullptr, *end = nullptr; // both or none; none: `start` for every part
  /// How many parts have a value before `end`, where start + i * inc could wrap; else null.
  const ast::Expr *reach = nullptr;
  bool always = false;                // no part comes to `end`
  std::shared_ptr<Container> through; // the values are elements of this one ...
  std::string called;                 // ... which the codelet calls so
  ast::SourceRange range;
};

struct Parts {
  Container base;
  std::vector<const ast::Expr *> counts;         // of parts, one a dimension that is cut
  std::vector<const ast::Expr *> which;          // of the first dimensions, where the container is a row of parts
  std::vector<SequenceValue> starts, incs, ends; // one a dimension that is cut
  std::string called;                            // what the codelet calls the base
};

/// What a parameter is bound to.
struct Argument {
  const ast::Expr *value = nullptr; // a scalar; a place where the parameter is in/out
  Container container;
};

} // namespace tangram::flatten

// Conditions over what is known of arguments at a call: sizes, and the values of integer parameters. A plan that is
// made of several says by them which is for which sizes:
//
//   in.size() <= 4096
//   a.size(0) <= 512 and a.size(1) > 1024
//   column.size() / row.size() <= 8.5
//
// `c.size()` counts all elements of a container, `c.size(d)` those of a dimension, and a name alone is the value of an
// integer parameter. Products and quotients are not rounded, and a quotient is compared by multiplication: nothing is
// divided by zero.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/diag/Diagnostic.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tangram {

struct SizeTerm {
  std::string parameter;
  bool isSize = true;                // else the value of an integer
  std::optional<unsigned> dimension; // of a size; nothing: all elements
  bool operator==(const SizeTerm &) const = default;
};

/// A product of sizes over another one, one at least above.
struct SizeRatio {
  std::vector<SizeTerm> product, divisor;
  bool operator==(const SizeRatio &) const = default;
};

struct SizeComparison {
  SizeRatio ratio;
  ast::BinaryOp op = ast::BinaryOp::Le; // or Lt, Ge, Gt
  double bound = 0;
  bool operator==(const SizeComparison &) const = default;
};

/// All of them hold; without any it always does.
struct SizeCondition {
  std::vector<SizeComparison> all;
  bool operator==(const SizeCondition &) const = default;
};

std::string print(const SizeRatio &ratio);
std::string print(const SizeCondition &condition);

/// Throws DiagnosticError at `range`, where the text stands.
SizeCondition parseSizeCondition(std::string_view text, SourceRange range);

/// Throws DiagnosticError where a term is of no parameter of the spectrum, or of another kind of parameter.
void checkSizeCondition(const SizeCondition &condition, const ast::Spectrum &spectrum, SourceRange range);

/// Over the spectrum's parameters, which it fits.
const ast::Expr *expressionOf(const SizeCondition &condition, const ast::Spectrum &spectrum, ast::Arena &arena);

/// What a term is in a call.
using SizeOf = std::function<double(const SizeTerm &)>;
double product(const std::vector<SizeTerm> &terms, const SizeOf &size);
bool holds(const SizeCondition &condition, const SizeOf &size);

} // namespace tangram

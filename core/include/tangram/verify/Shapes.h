// How large the arguments of a spectrum are made when nobody says: every container has about n elements, and what the
// spectrum's conditions (`__requires`) ask of sizes and scalars holds.
#pragma once

#include "tangram/ast/Node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tangram::runtime {

/// How n elements become rows and columns in containers of more than one dimension.
enum class Aspect : std::uint8_t { Square, OneRow, OneColumn, Wide, Tall };
std::string_view name(Aspect aspect);

/// Of each parameter: sizes of a container, or the value of a scalar.
struct Shape {
  struct Argument {
    std::vector<std::uint64_t> sizes;
    std::optional<std::int64_t> scalar; // of whole numbers
    std::optional<double> real;         // of others, where it is known
  };
  std::vector<Argument> arguments;
  std::string text; // "n=31", "31 (1x31)"
};

struct ShapeRequest {
  std::uint64_t n = 0;
  Aspect aspect = Aspect::Square;
  std::vector<std::optional<std::int64_t>> scalars; // what integer scalars are unless a condition says otherwise
  std::vector<std::optional<std::vector<std::uint64_t>>> fixed; // sizes that must stay as they are
  std::uint64_t most = 1ull << 26;                              // elements of one container
};

/// Starts with n elements for each container and repairs what a condition contradicts: of `a.size(1) == x.size()` the
/// container of lower rank gives way, else the later parameter. Nothing, with the condition in `broken`, where that
/// leads nowhere. Conditions over floating values (below) or the contents of containers are not looked at.
std::optional<Shape> makeShape(const ast::Spectrum &spectrum, const ShapeRequest &request, const ast::Expr **broken);

/// Changes floating scalars, but for those that are `fixed`, until the conditions that speak of them hold: of `low <
/// high` the later parameter gives way. False, and all is as it was, where that leads nowhere.
bool meetByReals(const ast::Spectrum &spectrum, Shape &shape, const std::vector<bool> &fixed);

/// Fills in containers of `shape` whose sizes are not known (`sizes` is empty) but follow from equations of the
/// conditions, as y's does from `a.size(0) == y.size()`; the others stay as they are.
void deduceSizes(const ast::Spectrum &spectrum, Shape &shape);

/// False where `condition` does not hold for these arguments; nothing where it cannot be told.
std::optional<bool> holds(const ast::Expr &condition, const ast::Spectrum &spectrum, const Shape &shape);

} // namespace tangram::runtime

// Where a cooperative codelet may be used: it covers only as many elements as it has lanes, unless it loops.
#pragma once

#include "tangram/ast/Node.h"
#include "tangram/hardware/Hardware.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tangram {

/// What a codelet needs of its arguments beyond its spectrum's conditions: the written __requires, and for a
/// cooperative codelet whose every access to a container is at an index that depends on the lane but on no loop, that
/// the container's size is at most k * coopDim(), where index < k * coopDim() is what the accesses reach.
/// Expressions over the codelet's parameters, Size and CoopDim.
std::vector<const ast::Expr *> requirements(const ast::Codelet &codelet, ast::Arena &arena);

/// The requirement as its author would write it: "in.size() <= coopDim()". Conversions are left out.
std::string describe(const ast::Expr &requirement);

/// True where `requirement` holds for every call whose i-th argument has at most bounds[i] elements, at a level with
/// `lanes` lanes.
bool provable(const ast::Expr &requirement, const ast::Codelet &codelet,
              const std::vector<std::optional<std::uint64_t>> &bounds, std::uint64_t lanes);

} // namespace tangram

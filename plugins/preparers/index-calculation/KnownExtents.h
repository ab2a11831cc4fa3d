// What a kernel's conditions, which are checked at the call, say of its containers' extents.
#pragma once

#include "tangram/ast/Node.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tangram {

/// Extents that are numbers, by container and dimension: of rgb.size(2) == 3, or a.size(0) == rgb.size(2) beside it.
class KnownExtents {
public:
  KnownExtents() = default;
  explicit KnownExtents(const ast::Kernel &kernel);

  std::optional<ast::Int> of(const std::string &container, unsigned dim) const;

  /// How many elements one index of `dim` is behind the one before, where rows lie side by side; nothing where that is
  /// no small number, such as the elements of a pixel.
  std::optional<ast::Int> packedStride(const ast::Param &container, unsigned dim) const;

private:
  std::map<std::pair<std::string, unsigned>, ast::Int> extents_;
};

} // namespace tangram

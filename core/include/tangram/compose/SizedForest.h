// A forest for whoever has to know all sizes.
#pragma once

#include "tangram/compose/Forest.h"

namespace tangram {

/// The given forest, where all sizes are expected, else one of the same plans that expects ordinary ones where nothing
/// was told (OrdinarySizes.h).
class SizedForest {
public:
  /// `forest` outlives this.
  explicit SizedForest(const Forest &forest);
  const Forest &operator*() const { return *forest_; }

private:
  std::unique_ptr<Forest> own_;
  const Forest *forest_;
};

} // namespace tangram

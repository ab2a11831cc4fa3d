// A map with its arguments evaluated.
#pragma once

#include "Flattener.h"

namespace tangram::flatten {

struct Flattener::MapSite {
  const ast::Map *map = nullptr;
  const ast::SpectrumCall *call = nullptr;
  std::vector<Argument> args;
  std::vector<unsigned> dims; // of each argument; 0: passed to every call
  std::vector<const ast::Expr *> extents;
  std::optional<Container> result;
};

} // namespace tangram::flatten

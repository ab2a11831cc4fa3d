// Loops of which all depend on the iterations before, in tiles: diagonals of tiles one after the other.
#pragma once

#include "Spectrums.h"

#include "tangram/nest/Read.h"

#include <optional>

namespace tangram::divide {

struct Wavefronts {
  const ast::Codelet *codelet = nullptr;        // the same loops, of another name
  std::string loop;                             // the iterator of the one that goes through tiles
  std::vector<const ast::Stmt *> diagonals;     // in place of it
  const ast::Spectrum *tile = nullptr;          // of one tile: the loop's iterations that are in it, in their order
  std::vector<const ast::Spectrum *> spectrums; // over the tiles of a diagonal
};

/// Of the codelet's first outermost loop that depends on itself, has loops in it, and may be tiled; nothing where there
/// is none. Tiles have `size` iterations along each of two loops, skewed where dependences ask for that. `name` is that
/// of the codelet. Floating-point numbers keep their order. `refused`: loops that stay as they are, and why.
std::optional<Wavefronts> wavefronts(nest::Nests &nests, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
                                     const std::string &name, std::int64_t size, ast::Names &names, ast::Arena &arena,
                                     std::vector<nest::Remark> &refused);

/// A codelet that was made of `codelet`, by loops beside that one alone, with diagonals in its place; null where it is
/// not there any more.
const ast::Codelet *withDiagonals(const ast::Codelet *codelet, const Wavefronts &wavefronts, ast::Arena &arena);

} // namespace tangram::divide

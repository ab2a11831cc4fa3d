// Loops cut into tiles by how many there are, the tiles of a perfect nest in any order, some of them no loops but given
// to workers that run at once (docs/tilek.md).
//
// A loop is cut from the outside in: each tile has a number of turns, but for one, which has the rest. Nothing has to
// divide anything: lengths are rounded up, and what would lie behind an end is left out.
#pragma once

#include "tangram/ast/Names.h"
#include "tangram/ast/Node.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/nest/Nest.h"

#include <optional>
#include <string>
#include <vector>

namespace tangram::nest {

/// A loop that counts, with everything about it computed in 64 signed bits.
struct CountedLoop {
  const ast::For *node = nullptr;
  std::string iterator;
  ast::Type type;
  const ast::Expr *begin = nullptr, *step = nullptr; // the step as it is added: negative where it counts down
  const ast::Expr *turns = nullptr;                  // how often it goes round
};
/// Nothing, with a reason, where it is none, or its bounds may change while it runs.
std::optional<CountedLoop> countedLoop(const ast::For *loop, ast::Arena &arena, std::string &why);

struct Tile {
  enum class Kind : std::uint8_t {
    Counted, // a loop of `count` turns
    Rest,    // a loop of as many as are left
    Worker   // no loop: each worker of dimension `dimension` has its own
  } kind = Kind::Rest;
  const ast::Expr *count = nullptr; // of 64 signed bits, at least 1; null: of Rest
  std::size_t workers = 0, dimension = 0;
  ast::SourceRange range; // where it is asked for
};

struct TiledLoop {
  CountedLoop loop;
  std::vector<Tile> tiles; // outermost first
};

/// Workers that run at once: a map over as many calls as the product of the dimensions, the first of them fastest.
struct WorkerGroup {
  std::string name;                      // threads, gangs, workers
  std::vector<const ast::Expr *> counts; // one a dimension, as Tile::count
};

struct Tiling {
  std::vector<TiledLoop> loops; // of a perfect nest, outermost first
  struct Place {
    std::size_t loop = 0, tile = 0;
  };
  std::vector<Place> order;         // tiles that are loops, outermost first
  std::vector<WorkerGroup> workers; // outermost first; each runs all of the next
};

/// Why a tiling is not, or may not be, the same as the loops.
struct TilingProblem {
  bool certain = true; // false: nothing is known
  ast::SourceRange range;
  std::string message;
};
/// `nest` is of the codelet that the loops stand in.
std::optional<TilingProblem> problemOf(const Nest &nest, const Tiling &tiling);

struct TiledCode {
  std::vector<const ast::Stmt *> stmts;
  std::vector<const ast::Spectrum *> spectrums; // what workers run
  /// What has to hold for all iterations to be reached, where no tile has the rest.
  std::vector<const ast::Expr *> conditions;
  std::string problem; // where there is no code: why
};
/// `body`: of the innermost loop, which may be changed already. `around`: the codelet that all of this stands in, whose
/// variables keep their names. `base`: what names of spectrums begin with. `names`: of that codelet's variables, and of
/// the module's spectrums.
TiledCode tiledCode(const Tiling &tiling, const ast::Block *body, const ast::Codelet &around, const std::string &base,
                    ast::Names &names, ast::Names &spectrumNames, ast::Arena &arena);

} // namespace tangram::nest

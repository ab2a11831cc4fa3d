// Loads the footprint of a patch and a panel into an array that lanes share, and finds elements in it.
#pragma once

#include "Arrangement.h"
#include "References.h"

#include "tangram/ast/Substitute.h"

namespace tangram::tile {

/// A tile as the codelet has it, for one segment.
class Staged {
public:
  /// `extents`: how many positions each loop has that the tile's strides speak of. `banks`: rows are padded. `rows`:
  /// lanes go row by row, so that what a vector loads lies side by side; else through all elements in one row.
  /// `copied`: so many bytes are copied together, of which rows have whole numbers where they are neighbours of the
  /// container.
  Staged(const nest::Codelets &make, ast::Arena &arena, const Arrangement &lanes, const Tile &tile,
         std::vector<const ast::Expr *> extents, bool banks, bool rows, std::uint64_t copied, ast::Names &names);
  /// There are so many of it, one for each stage; `use` says which one is spoken of from here on.
  void buffers(const ast::Expr *count) { buffers_ = count; }
  void use(const ast::Expr *buffer) { buffer_ = buffer; }

  /// __shared T tile[...];
  const ast::Stmt *declaration() const;
  /// Where element 0 is in the container.
  struct Corner {
    std::vector<const ast::Stmt *> declarations;
    std::vector<const ast::Expr *> at;
    /// Of each dimension of a padded tile, the first coordinate of elements that are there and not zero, and how many
    /// there are; else null.
    std::vector<const ast::Expr *> begin, count;
    const ast::Expr *whole = nullptr; // whether all of the tile is so
  };
  /// `first`: iterators at the first position of each loop.
  Corner corner(const ast::ReplaceVariable &first, ast::Names &names) const;
  /// All lanes load the elements, neighbours side by side. `asks`: elements outside of the container are zero.
  const ast::Stmt *load(const Corner &corner, bool asks, ast::Names &names) const;
  /// The same in two steps: each lane loads its elements into an array of its own, and stores them in the tile later.
  const ast::Stmt *ownDeclaration() const;
  const ast::Stmt *fetch(const Corner &corner, bool asks, ast::Names &names) const;
  const ast::Stmt *store(ast::Names &names) const;
  /// The same by Transfers, of up to `bytes` at a time.
  const ast::Stmt *transfer(const Corner &corner, bool asks, std::uint64_t bytes, ast::Names &names) const;
  /// The other way: all lanes store the elements, those that the corner counts.
  const ast::Stmt *drain(const Corner &corner, ast::Names &names) const;
  /// The element of a reference at a position of each loop.
  const ast::Expr *element(const Reference &reference, const std::vector<const ast::Expr *> &positions) const;
  const Tile &tile() const { return tile_; }
  /// How many elements it has along a dimension of the container.
  const ast::Expr *extent(std::size_t dimension) const { return extents_[dimension]; }

private:
  /// In rounds, each lane's elements: `each` is given an element's coordinates, and the number of the round; of
  /// `together` neighbours, which rows have whole numbers of, the first one's.
  template <class F> const ast::Stmt *rounds(ast::Names &names, F &&each, std::int64_t together = 1) const;
  /// The container's element; `asks`: and whether it is there, for which `before` has variables.
  struct There {
    const ast::Expr *element = nullptr, *inside = nullptr;
  };
  There there(const Corner &corner, const std::vector<const ast::Expr *> &at, bool asks, ast::Names &names,
              std::vector<const ast::Stmt *> &before) const;
  const ast::Expr *value(const Corner &corner, const std::vector<const ast::Expr *> &at, bool asks, ast::Names &names,
                         std::vector<const ast::Stmt *> &before) const;
  /// By what an index of the container is clamped; null: it is not.
  const Clamp *clamp(std::size_t dimension) const;
  const ast::Expr *clamped(const ast::Expr *e, const ast::Expr *index) const;
  /// Finds out, by `declarations` of the corner, which coordinates of a dimension are elements that are not zero.
  void bound(Corner &corner, std::size_t dimension, ast::Names &names) const;
  const ast::Expr *bufferSize() const;
  const ast::Expr *all() const;
  const ast::Expr *own(const ast::Expr *round) const;
  const ast::Expr *place(const std::vector<const ast::Expr *> &coordinates) const;
  const ast::Expr *number(std::int64_t n) const;
  const ast::Expr *sizeOf(std::size_t dimension) const;

  const ast::Build &build_;
  ast::Arena &arena_;
  ast::SourceRange where_;
  const Arrangement &lanes_;
  const Tile &tile_;
  bool rows_;
  std::vector<const ast::Expr *> loops_;   // positions of each loop
  std::vector<const ast::Expr *> extents_; // of the container's dimensions
  const ast::Expr *pitch_ = nullptr;       // of the fastest dimension, padded
  std::int64_t pitchMultiple_ = 1;         // of which the pitch is one, as far as is known
  const ast::Expr *buffers_ = nullptr, *buffer_ = nullptr;
  std::string name_, own_;
};

} // namespace tangram::tile

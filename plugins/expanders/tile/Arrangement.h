// How lanes share a patch of one or two dimensions: which points each has.
#pragma once

#include "RangeNest.h"
#include "tangram/hardware/MatrixShape.h"
#include "tangram/nest/Codelets.h"

#include <cstdint>

namespace tangram::tile {

/// Values of tunables that plans choose from.
struct Choices {
  ast::Ints sizes{16, 32, 64, 128};       // of a tile of two dimensions, in each
  ast::Ints lengths{128, 256, 512, 1024}; // of a tile of one dimension
  ast::Ints lanes{8, 16, 32};             // along the contiguous one of two dimensions
  ast::Ints blocks{1, 16};                // of a lane's points, one after the other with what was loaded
  ast::Ints columns{1};                   // the same along the contiguous one of two dimensions
  ast::Ints vector{1, 4};                 // neighbouring points of a lane
  ast::Ints depth{8, 16};                 // turns of a serial loop whose elements are loaded together
  ast::Ints stages{2};                    // of tiles: with two, the next ones are under way while one is used
  ast::Ints units{2, 4};                  // that multiply matrices, along the contiguous one of two dimensions
  const ast::Ints &of(std::size_t dims) const { return dims > 1 ? sizes : lengths; }
};

/// A dimension of tiles: the iterator of its loop, and the parameter that says how large a tile is.
struct Tiled {
  std::string iterator, size;
};

/// A tile's points along a dimension are dealt out to its lanes in groups of `vector` neighbours, one group of each
/// lane after the other, so that neighbouring lanes have neighbouring groups; of two dimensions a lane's are in
/// `blocks` along the first, and in `columns` of such along the second. Where lanes multiply matrices, each unit of
/// them has fragments of the points, in which its lanes' points are where the shape has them. All numbers are of 32
/// bits.
class Arrangement {
public:
  /// `dims`: one or two; lanes are neighbours along the last.
  Arrangement(const nest::Codelets &make, ast::Arena &arena, ast::SourceRange where, const Choices &choices,
              const std::vector<Tiled> &dims, bool hasDepth, const hardware::MatrixShape *shape, ast::Names &names);

  /// Tunables and what follows from them: the codelet's first statements.
  const std::vector<const ast::Stmt *> &declarations() const { return declarations_; }
  std::size_t dims() const { return dims_.size(); }
  const ast::Expr *lane() const { return lane_; }
  const ast::Expr *lanes() const { return lanes_; } // all of them
  const ast::Expr *depth() const { return depth_; }
  const ast::Expr *stages() const { return stages_; } // null: one
  /// All of a lane's points along a dimension, and those of a block.
  const ast::Expr *points(std::size_t dim) const { return dims_[dim].all; }
  const ast::Expr *blockPoints(std::size_t dim) const { return dims_[dim].points; }
  const ast::Expr *blocks(std::size_t dim) const { return dims_[dim].blocks; }
  bool inBlocks() const { return inBlocks_; } // else there is one
  /// Points of the patch along a dimension.
  const ast::Expr *size(std::size_t dim) const { return dims_[dim].size; }
  /// Where point number `point` of this lane is in the patch.
  const ast::Expr *position(std::size_t dim, const ast::Expr *point) const;
  /// Neighbours along a dimension that a lane has; along the last one.
  const ast::Expr *vector(std::size_t dim) const { return dims_[dim].vector; }
  const ast::Expr *vector() const { return dims_.back().vector; }
  /// Of a unit that multiplies matrices, one of two dimensions: how many fragments it has along a dimension, where
  /// column `fragment` of b is in the patch that this lane has elements of, and which of four neighbours in depth it
  /// has.
  const ast::Expr *fragments(std::size_t dim) const { return dims_[dim].fragments; }
  const ast::Expr *matrixColumn(const ast::Expr *fragment) const;
  const ast::Expr *matrixDepth() const { return matrixDepth_; }
  /// Whether the lane has points of its own; null: all have.
  const ast::Expr *working() const { return working_; }
  /// Whether an extent is a multiple of it for all values of tunables, as far as can be seen.
  bool isMultiple(const ast::Expr *e, std::int64_t of) const;
  /// The same in tunables and coopDim() alone, as extents of arrays have to be.
  const ast::Expr *spelledOut(const ast::Expr *e) const;

private:
  struct Dim {
    const ast::Expr *lanes = nullptr, *lane = nullptr, *points = nullptr, *all = nullptr, *vector = nullptr,
                    *blocks = nullptr, *size = nullptr, *fragments = nullptr;
  };
  void deal(const std::vector<Tiled> &dims, const ast::Expr *along);
  void dealFragments(const std::vector<Tiled> &dims, const ast::Expr *along);
  const ast::Expr *tunable(const std::string &name, const ast::Ints &values, const std::string &follows = "");
  const ast::Expr *variable(const std::string &name, const ast::Expr *value);

  const ast::Build &build_;
  ast::Arena &arena_;
  ast::SourceRange where_;
  ast::Names &names_;
  const hardware::MatrixShape *shape_;
  std::vector<const ast::Stmt *> declarations_;
  std::map<std::string, const ast::Expr *> values_;
  std::map<std::string, ast::Ints> choices_; // of tunables
  std::vector<Dim> dims_;
  const ast::Expr *blocks_ = nullptr, *columns_ = nullptr, *lane_ = nullptr, *lanes_ = nullptr, *depth_ = nullptr,
                  *working_ = nullptr, *wanted_ = nullptr, *stages_ = nullptr, *matrixRow_ = nullptr,
                  *matrixDepth_ = nullptr;
  bool inBlocks_ = false;
};

} // namespace tangram::tile

// What the expander `tile` finds in loops over ranges.
#include "../passes/Choosers.h"
#include "../passes/Program.h"
#include "RangeSteps.h"
#include "References.h"
#include "tangram/nest/Promotion.h"
#include "tangram/nest/Statements.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"

#include <gtest/gtest.h>

namespace tangram::test {
namespace {

using namespace program;

class TileTest : public ::testing::Test {
protected:
  TileTest() { arena = &arena_; }

  static const ast::Spectrum *with(const std::string &name, const Ps &params, const ast::Codelet *codelet) {
    return make<ast::Spectrum>(name, V, params, std::vector<const ast::Expr *>{},
                               std::vector<const ast::Codelet *>{codelet});
  }
  static E range(int step) {
    const ast::Expr *none = nullptr;
    return make<ast::Sequence>(A1(U64), none, lit(U64, 0).e, lit(U64, step).e, lit(U64, 100).e);
  }
  static S calls(const std::string &spectrum, const Es &args) {
    return run(
        E(make<ast::SpectrumCall>(V, spectrum, raw(args), std::string(), ast::Texts{}, ast::Counts{},
                                  ast::Capability::None, static_cast<const ast::Codelet *>(nullptr),
                                  std::vector<const ast::Expr *>{}, static_cast<const ast::SpectrumCall *>(nullptr))));
  }
  /// Loops over two ranges, and what they stand for.
  struct Product {
    const ast::Module *module = nullptr;
    std::optional<tile::RangeNest> nest;
  };
  Product productOf(const Ss &body) {
    Ps params{in("i_range", A1(U64)), in("j_range", A1(U64)), in("a", A2(F32)), in("b", A2(F32)), inOut("c", A2(F32))};
    const ast::Codelet *loops = codelet("loops", params, {over("i", {over("j", body)})});
    const ast::Spectrum *product = with("product", params, loops);
    const ast::Module *m = moduleOf({product});
    return {m, tile::rangeNest(*m, *product, *loops, {{{"product", 0}, 1}, {{"product", 1}, 1}}, arena_)};
  }
  static const ast::Module *moduleOf(std::vector<const ast::Spectrum *> spectrums) {
    return make<ast::Module>(std::vector<const ast::Struct *>{}, std::vector<const ast::Function *>{},
                             std::move(spectrums), std::vector<const ast::Kernel *>{});
  }
  /// for (x...) { i = range[x]; body }
  static S over(const std::string &i, Ss body) {
    E at = var("at_" + i, U64), all = var(i + "_range", A1(U64));
    body.insert(body.begin(), let(i, U64, E(program::at(all, {at}, U64)), true));
    return loop(let("at_" + i, U64, lit(U64, 0)), at < size(all), inc(at), body);
  }

  ast::Arena arena_;
  const ast::Module *module_ = nullptr;
  std::optional<tile::RangeNest> nest_;
};

TEST_F(TileTest, StepsOfRangesAreThoseOfAllCalls) {
  Ps params{in("r", A1(U64))};
  const ast::Codelet *none = codelet("loops", params, {});
  E part = at(partition(var("r", A1(U64)), 4, seq(0, 25, 100), seq(1), seq(25, 25, 100)), {lit(U64, 0)}, A1(U64));
  E apart = at(partition(var("r", A1(U64)), 4, seq(0, 1, 4), seq(4), seq(100)), {lit(U64, 0)}, A1(U64));
  const ast::Module *m = moduleOf({with("same", params, codelet("loops", params, {calls("same", {part})})),
                                   with("strided", params, codelet("loops", params, {calls("strided", {apart})})),
                                   with("two", params, none), with("outside", params, none),
                                   with("top", {},
                                        codelet("a", {},
                                                {calls("same", {range(2)}), calls("two", {range(1)}),
                                                 calls("two", {range(2)}), calls("strided", {range(1)})}))});
  auto steps = tile::rangeSteps(*m);
  EXPECT_EQ(steps.size(), 1u);
  EXPECT_EQ((steps[{"same", 0}]), 2);
}

TEST_F(TileTest, AnElementThatALoopUpdatesIsPromoted) {
  E c = var("c", A1(F32)), a = var("a", A1(F32)), i = var("i", U64), k = var("k", U64);
  auto updates = [&](E index) {
    return Ss{loop(let("k", U64, lit(U64, 0)), k < size(a), inc(k), {add(at(c, {index}, F32), at(a, {k}, F32))})};
  };
  ast::Names names;
  auto promoted = nest::withPromotedElements(updates(i), names, arena_);
  ASSERT_EQ(promoted.size(), 3u);
  EXPECT_TRUE(ast::isa<ast::Declare>(promoted[0]));
  EXPECT_FALSE(ast::any<ast::VarRef>(promoted[1], [](const ast::VarRef &v) { return v.name == "c"; }));
  EXPECT_TRUE(ast::isa<ast::If>(promoted[2])); // a loop without a turn stores nothing
  // Not one that moves with the loop.
  EXPECT_EQ(nest::withPromotedElements(updates(k), names, arena_).size(), 1u);
}

TEST_F(TileTest, WhatIsStoredInFrontOfALoopIsNotLoadedAgain) {
  E c = var("c", A1(F32)), a = var("a", A1(F32)), i = var("i", U64), k = var("k", U64);
  const ast::Stmt *updates =
      loop(let("k", U64, lit(U64, 0)), k < size(a), inc(k), {add(at(c, {i}, F32), at(a, {k}, F32))});
  ast::Names names;
  auto touches = [](const ast::Stmt *s) {
    return ast::any<ast::VarRef>(s, [](const ast::VarRef &v) { return v.name == "c"; });
  };
  auto promoted = nest::withPromotedElements({set(at(c, {i}, F32), flit(F32, 0)), updates}, names, arena_);
  ASSERT_EQ(promoted.size(), 3u);
  EXPECT_FALSE(touches(promoted[0]) || touches(promoted[1]));
  EXPECT_FALSE(ast::isa<ast::If>(promoted[2])); // a loop without a turn leaves what was stored
  // What is added to is loaded, once.
  promoted = nest::withPromotedElements({add(at(c, {i}, F32), flit(F32, 1)), updates}, names, arena_);
  ASSERT_EQ(promoted.size(), 4u);
  EXPECT_TRUE(touches(promoted[0]));
  EXPECT_FALSE(touches(promoted[1]) || touches(promoted[2]));
  // Another element stays where it is.
  EXPECT_EQ(nest::withPromotedElements({set(at(c, {k}, F32), flit(F32, 0)), updates}, names, arena_).size(), 4u);
}

TEST_F(TileTest, AnElementIsPromotedBesideReadsOfOthers) {
  E a = var("a", A2(I32)), i = var("i", U64), j = var("j", U64), k = var("k", U64);
  const auto loads = [&](E last) { // in the innermost loop
    const auto *c = codelet("a", {inOut("a", A2(I32))},
                            {loop(let("i", U64, lit(U64, 0)), i < size(a, 0), inc(i),
                                  {loop(let("j", U64, lit(U64, 0)), j < size(a, 1), inc(j),
                                        {loop(let("k", U64, lit(U64, 0)), k < last, inc(k),
                                              {add(at(a, {i, j}, I32), at(a, {i, k}, I32))})})})});
    const auto *m = make<ast::Module>(std::vector<const ast::Struct *>{}, std::vector<const ast::Function *>{},
                                      std::vector<const ast::Spectrum *>{}, std::vector<const ast::Kernel *>{});
    nest::Nests nests(*m);
    int count = 0;
    ast::walk(nest::withPromotedElements(nests, c, arena_)->body, [&](const ast::For &f) {
      if (ast::as<ast::Declare>(f.init)->name == "k") ast::walk(f.body, [&](const ast::Subscript &) { ++count; });
    });
    return count;
  };
  EXPECT_EQ(loads(j), 1);               // only a[i][k]
  EXPECT_EQ(loads(j + lit(U64, 1)), 2); // a[i][j] is one of them
}

TEST_F(TileTest, ProductHasTilesOfBothFactors) {
  E a = var("a", A2(F32)), b = var("b", A2(F32)), c = var("c", A2(F32)), sum = var("sum", F32);
  E i = var("i", U64), j = var("j", U64), k = var("k", U64);
  Ss body{let("sum", F32, flit(F32, 0)),
          loop(let("k", U64, lit(U64, 0)), k < size(a, 1), inc(k), {add(sum, at(a, {i, k}, F32) * at(b, {k, j}, F32))}),
          set(at(c, {i, j}, F32), sum)};
  const auto [m, nest] = productOf(body);
  ASSERT_TRUE(nest);
  EXPECT_TRUE(nest->unconditional());
  ASSERT_EQ(nest->loops.size(), 2u);
  std::set<std::string> written = nest::writtenIn(nest->body);
  EXPECT_EQ(tile::contiguousLoop(*nest, written), 1u);

  auto segments = tile::segmentsOf(*nest, false, arena_);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[1].loops.size(), 1u);
  std::vector<unsigned> dims{nest->loops[0].loop, nest->loops[1].loop};
  auto references = tile::referencesOf(*m, *nest, dims, segments[1], written, nest::declaredIn(nest->body),
                                       tile::zeroPadding(*nest, segments[1], arena_), false, arena_);
  EXPECT_TRUE(references.direct.empty());
  ASSERT_EQ(references.tiles.size(), 2u);
  // Lanes read neighbours: what moves with them is the fastest dimension of the tile.
  EXPECT_EQ(references.tiles[0].container->name, "a");
  EXPECT_EQ(references.tiles[0].order, (std::vector<unsigned>{1, 0}));
  EXPECT_EQ(references.tiles[1].order, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(references.tiles[1].strides, (tile::Strides{{0, 0}, {0, 1}, {1, 0}}));
  // Vectors have lanes along one dimension.
  references = tile::referencesOf(*m, *nest, dims, segments[1], written, nest::declaredIn(nest->body),
                                  tile::zeroPadding(*nest, segments[1], arena_), true, arena_);
  EXPECT_EQ(references.tiles[0].order, (std::vector<unsigned>{0, 1}));
}

TEST_F(TileTest, ALoopGoesAroundTheSegmentsThatItHolds) {
  E a = var("a", A2(F32)), b = var("b", A2(F32)), c = var("c", A2(F32)), sum = var("sum", F32), part = var("part", F32);
  E i = var("i", U64), j = var("j", U64), g = var("g", U64), k = var("k", U64);
  const auto segmentsOf = [&](std::uint64_t length) {
    Ss inner{let("part", F32, flit(F32, 0)),
             loop(let("k", U64, g * lit(U64, length)), k < (g + lit(U64, 1)) * lit(U64, length), inc(k),
                  {add(part, at(a, {i, k}, F32) * at(b, {k, j}, F32))}),
             add(sum, part)};
    Ss body{let("sum", F32, flit(F32, 0)), loop(let("g", U64, lit(U64, 0)), g < size(c, 1), inc(g), inner),
            set(at(c, {i, j}, F32), sum)};
    const Product made = productOf(body);
    return made.nest ? tile::segmentsOf(*made.nest, true, arena_) : std::vector<tile::Segment>{};
  };
  std::vector<tile::Segment> segments = segmentsOf(32);
  ASSERT_EQ(segments.size(), 5u);
  for (std::size_t s : {1, 2, 3}) ASSERT_EQ(segments[s].around.size(), 1u);
  EXPECT_EQ(segments[1].around[0].iterator, "g");
  EXPECT_EQ(segments[2].loops[0].iterator, "k");
  EXPECT_EQ(segments[2].turns, (std::vector<std::int64_t>{32})); // whatever g is
  EXPECT_TRUE(segments[4].around.empty());
  // Few turns are done point by point.
  segments = segmentsOf(8);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_TRUE(segments[1].around.empty());
  EXPECT_EQ(segments[1].loops[0].iterator, "g");
}

TEST_F(TileTest, ClampedIndicesHaveTheTileOfThoseThatAreNot) {
  E a = var("a", A2(F32)), c = var("c", A2(F32)), sum = var("sum", F32);
  E i = var("i", U64), j = var("j", U64), k = var("k", U64), n = var("n", I32);
  E column = cast(I32, j) + cast(I32, k) - E(4), row = i + k - lit(U64, 1);
  auto referencesTo = [&](Es indices) {
    Ss inLoop;
    for (std::size_t at = 0; at < indices.size(); at += 2)
      inLoop.push_back(add(sum, program::at(a, {indices[at], indices[at + 1]}, F32)));
    Ss reads{let("sum", F32, flit(F32, 0)), loop(let("k", U64, lit(U64, 0)), k < lit(U64, 9), inc(k), inLoop),
             set(at(c, {i, j}, F32), sum)};
    Ps params{in("i_range", A1(U64)), in("j_range", A1(U64)), in("a", A2(F32)), in("n", I32), inOut("c", A2(F32))};
    const ast::Codelet *loops = codelet("loops", params, {over("i", {over("j", reads)})});
    const ast::Spectrum *blur = with("blur", params, loops);
    module_ = make<ast::Module>(std::vector<const ast::Struct *>{},
                                std::vector<const ast::Function *>{chooser(true, I32), chooser(false, I32)},
                                std::vector<const ast::Spectrum *>{blur}, std::vector<const ast::Kernel *>{});
    nest_ = tile::rangeNest(*module_, *blur, *loops, {{{"blur", 0}, 1}, {{"blur", 1}, 1}}, arena_);
    auto segments = tile::segmentsOf(*nest_, false, arena_);
    return tile::referencesOf(*module_, *nest_, {nest_->loops[0].loop, nest_->loops[1].loop}, segments[1],
                              nest::writtenIn(nest_->body), nest::declaredIn(nest_->body),
                              tile::zeroPadding(*nest_, segments[1], arena_), false, arena_);
  };
  // Two that are clamped alike have one tile; one that is not has another.
  auto clamped = [&](E e) { return cast(U64, clamp(e, 0, n - E(1))); };
  auto references = referencesTo({i, clamped(column), i, clamped(column + E(1)), i, cast(U64, column)});
  ASSERT_EQ(references.tiles.size(), 2u);
  const tile::Tile &tile = references.tiles[0];
  EXPECT_EQ(tile.strides, (tile::Strides{{1, 0}, {0, 1}, {0, 1}}));
  EXPECT_EQ(tile.references.size(), 2u);
  EXPECT_EQ(tile.most, (std::vector<std::int64_t>{0, 1}));
  ASSERT_TRUE(tile.references[0].clamps[1]);
  EXPECT_FALSE(tile.references[0].clamps[0]);
  EXPECT_FALSE(references.tiles[1].references[0].clamps[1]);
  // By a condition, of what is no number below the bound.
  references = referencesTo({select(lit(U64, 0) < i + k, row, lit(U64, 0)), j});
  ASSERT_EQ(references.tiles.size(), 1u);
  ASSERT_TRUE(references.tiles[0].references[0].clamps[0]);
  EXPECT_TRUE(ast::equal(references.tiles[0].references[0].clamps[0]->inner, row.e));
  // A bound that is not the same for all points.
  references = referencesTo({i, cast(U64, least(column, cast(I32, k)))});
  EXPECT_TRUE(references.tiles.empty());
}

TEST_F(TileTest, WhatConditionsOnAnIndexLeaveOutCountsAsZero) {
  E a = var("a", A1(F32)), w = var("w", F32), sum = var("sum", F32), n = var("n", I32), x = var("x", I32);
  E wide = var("u", U64), near = var("v", U32);
  auto zeros = [&](const Ss &body) {
    return tile::ZeroPadding({body.begin(), body.end()}, {"x", "u", "v"}, {"sum", "d"}, arena_);
  };
  auto paddingOf = [&](E cond, E index) {
    E choice = select(cond, program::at(a, {cast(U64, index)}, F32), flit(F32, 0));
    return zeros({}).of(*ast::as<ast::Conditional>(choice.e));
  };
  // x - 1 >= 0 && n > x - 1, of the index x - 1 + 2
  E before = x - E(1);
  auto found = paddingOf(both(before >= E(0), n > before), before + E(2));
  ASSERT_TRUE(found);
  ASSERT_EQ((*found)[0].from.size(), 1u);
  ASSERT_EQ((*found)[0].to.size(), 1u);
  EXPECT_TRUE(ast::equal((*found)[0].from[0], lit(I64, 2).e));
  EXPECT_TRUE(ast::equal((*found)[0].to[0], (cast(I64, n) + lit(I64, 2)).e));
  // x > 3 && x <= n
  found = paddingOf(both(x > E(3), x <= n), x);
  ASSERT_TRUE(found);
  EXPECT_TRUE(ast::equal((*found)[0].from[0], lit(I64, 4).e));
  EXPECT_TRUE(ast::equal((*found)[0].to[0], (cast(I64, n) + lit(I64, 1)).e));
  // What wraps around is large: less than n are those that did not.
  found = paddingOf(wide - lit(U64, 1) < cast(U64, n), wide - lit(U64, 1));
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].from.size(), 1u);
  EXPECT_FALSE(paddingOf(wide - lit(U64, 1) >= lit(U64, 3), wide)); // also of 0
  EXPECT_FALSE(paddingOf(near - lit(U32, 1) < lit(U32, 3), near));  // which wraps around at 32 bits
  EXPECT_FALSE(paddingOf(x + x < n, x));
  EXPECT_FALSE(paddingOf(x < var("d", I32), x)); // which a point may set
  EXPECT_FALSE(paddingOf(either(x<n, x> E(7)), x));
  EXPECT_FALSE(paddingOf(x == n, x));

  E element = program::at(a, {cast(U64, x)}, F32);
  auto text = [](const std::vector<const ast::Stmt *> &stmts) {
    std::string all;
    for (const ast::Stmt *s : stmts) all += ast::print(s);
    return all;
  };
  auto textOf = [&](const Ss &stmts) { return text({stmts.begin(), stmts.end()}); };
  E chosen = select(x < n, element, flit(F32, 0));
  Ss update{when(x < n, {add(sum, w * element)})};
  tile::ZeroPadding::Body body = zeros(update).withZeros({update.begin(), update.end()}, {"sum"});
  EXPECT_EQ(text(body.stmts), textOf({add(sum, w * chosen)}));
  EXPECT_EQ(body.sums, (std::set<std::string>{"sum"}));
  EXPECT_EQ(text(zeros(update).withoutChoices(body.stmts, {ast::as<ast::Subscript>(element.e)})),
            textOf({add(sum, w * element)}));
  Ss value{let("e", F32, flit(F32, 0)), when(x < n, {set(var("e", F32), element)})};
  body = zeros(value).withZeros({value.begin(), value.end()}, {"sum"});
  EXPECT_EQ(text(body.stmts), textOf({let("e", F32, chosen)}));
  EXPECT_TRUE(body.sums.empty());
  // No product of it; a sum that is not a point's; another value outside.
  for (const Ss &other : {Ss{when(x < n, {add(sum, w + element)})}, Ss{when(x < n, {add(w, element)})},
                          Ss{let("e", F32, flit(F32, 1)), when(x < n, {set(var("e", F32), element)})}})
    EXPECT_EQ(text(zeros(other).withZeros({other.begin(), other.end()}, {"sum"}).stmts), textOf(other));
}

} // namespace
} // namespace tangram::test

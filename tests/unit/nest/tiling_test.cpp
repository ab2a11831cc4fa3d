// Loops cut into tiles by how many there are: all iterations, once, in the order that was asked for.
#include "Nests.h"
#include "tangram/nest/Tiling.h"

#include <algorithm>
#include <random>

namespace tangram::test {
namespace {

using nest::Tile;
using nest::TiledLoop;
using nest::Tiling;

class TilingTest : public NestTest {
protected:
  static constexpr int kLog = 2000;

  /// Two loops that write down where they are.
  Ss recording(S (*outer)(Ss), S (*inner)(Ss)) {
    E count = at(var("count", A1(I32)), {lit(U64, 0)}, I32);
    E entry = at(var("log", A1(I32)), {u64(count)}, I32);
    return {
        outer({inner({set(entry, var("i", I32) * lit(I32, 100) + var("j", I32)), set(count, count + lit(I32, 1))})})};
  }
  static Tile counted(std::int64_t n) {
    Tile t;
    t.kind = Tile::Kind::Counted;
    t.count = lit(I64, n).e;
    return t;
  }
  static Tile rest() { return {}; }

  std::vector<int> log(const ast::Block *body, int n, int m) {
    Ps params = {inOut("log", A1(I32)), inOut("count", A1(I32)), in("n", I32), in("m", I32)};
    const ast::Kernel *kernel = make<ast::Kernel>(std::string("k"), std::string("k"), std::string("plan"), V, params,
                                                  std::vector<const ast::Expr *>{}, std::vector<const ast::Param *>{},
                                                  std::vector<const ast::Expr *>{}, body);
    const ast::Module *module =
        make<ast::Module>(std::vector<const ast::Struct *>{}, std::vector<const ast::Function *>{},
                          std::vector<const ast::Spectrum *>{}, std::vector<const ast::Kernel *>{kernel});
    for (const ast::Violation &v : ast::verify(*module)) ADD_FAILURE() << v.message << "\n" << ast::print(body);
    std::vector<Scalar> entries(kLog, integer(I32, -1)), count(1, integer(I32, 0));
    std::vector<Value> args{arrayValue(entries, {kLog}), arrayValue(count, {1}), scalarValue(integer(I32, n)),
                            scalarValue(integer(I32, m))};
    hardware::Hardware machine;
    machine.levels.emplace_back();
    run(*module, *kernel, machine, args, 2'000'000);
    std::vector<int> result;
    std::int64_t all = args[1].array.cells->at(0).i;
    for (std::int64_t e = 0; e < all; ++e)
      result.push_back(static_cast<int>(args[0].array.cells->at(static_cast<std::size_t>(e)).i));
    return result;
  }

  struct Made {
    const ast::Block *serial = nullptr, *tiled = nullptr;
  };
  /// `order`: loop and tile, outermost first.
  Made make_(const Ss &body, std::vector<Tile> outer, std::vector<Tile> inner, std::vector<Tiling::Place> order) {
    Ps params = {inOut("log", A1(I32)), inOut("count", A1(I32)), in("n", I32), in("m", I32)};
    codelet_ = codelet("a", params, body);
    const auto *outermost = ast::as<ast::For>(codelet_->body->stmts[0]);
    const ast::For *loops[] = {outermost, ast::as<ast::For>(outermost->body->stmts[0])};
    Tiling tiling;
    std::string why;
    for (std::size_t l : {0, 1}) {
      auto loop = nest::countedLoop(loops[l], arena_, why);
      EXPECT_TRUE(loop) << why;
      if (!loop) return {};
      tiling.loops.push_back({*loop, l == 0 ? outer : inner});
    }
    tiling.order = std::move(order);
    ast::Names names, spectrums;
    for (const ast::Param *p : params) names.reserve(p->name);
    names.reserveAll(codelet_->body);
    nest::TiledCode code = nest::tiledCode(tiling, loops[1]->body, *codelet_, "a", names, spectrums, arena_);
    EXPECT_EQ(code.problem, "");
    EXPECT_TRUE(code.spectrums.empty());
    return {codelet_->body, make<ast::Block>(code.stmts)};
  }
};

S upI(Ss body) { return up("i", I32, lit(I32, 0), var("n", I32), std::move(body)); }
S upJ(Ss body) { return up("j", I32, lit(I32, 0), var("m", I32), std::move(body)); }

// The paper's Listing 1 with the counts that its text has, which are 3 and 2: the order that it prints.
TEST_F(TilingTest, TheListingsOrder) {
  Made made = make_(recording(upI, upJ), {counted(3), rest()}, {counted(2), rest()}, {{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  std::vector<int> order = log(made.tiled, 6, 8), wanted;
  for (int i = 0; i < 6; i += 2)
    for (int j = 0; j < 8; j += 4)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 4; ++b) wanted.push_back((i + a) * 100 + j + b);
  EXPECT_EQ(order, wanted);
  std::vector<int> printed{0, 1, 2, 3, 100, 101, 102, 103, 4, 5, 6, 7, 104, 105, 106, 107, 200};
  EXPECT_TRUE(std::equal(printed.begin(), printed.end(), order.begin()));
}

S downI(Ss body) { return down("i", I32, var("n", I32), lit(I32, -2), std::move(body), 3); }
S oddJ(Ss body) {
  E v = var("j", I32);
  return loop(let("j", I32, lit(I32, 1)), v <= var("m", I32), assign(v, lit(I32, 2), ast::AssignOp::Add),
              std::move(body));
}
S emptyI(Ss body) { return up("i", I32, var("n", I32), lit(I32, 3), std::move(body)); }
S aboveJ(Ss body) {
  E v = var("j", I32);
  return loop(let("j", I32, var("m", I32)), v > lit(I32, 0), assign(v, lit(I32, 4), ast::AssignOp::Sub),
              std::move(body));
}

// Any tiles in any order, of loops of all kinds and lengths: each iteration once; where tiles stay where they are, in
// the loops' own order.
TEST_F(TilingTest, EachIterationOnce) {
  std::mt19937 random(11);
  auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  S (*const outers[])(Ss) = {upI, downI, emptyI};
  S (*const inners[])(Ss) = {upJ, oddJ, aboveJ};
  for (int round = 0; round < 120; ++round) {
    Ss body = recording(outers[below(3)], inners[below(3)]);
    std::vector<Tile> tiles[2];
    std::vector<Tiling::Place> order;
    for (std::size_t l : {0, 1}) {
      int count = 1 + below(4), dynamic = below(count);
      for (int k = 0; k < count; ++k) tiles[l].push_back(k == dynamic ? rest() : counted(1 + below(5)));
      for (std::size_t k = 0; k < tiles[l].size(); ++k) order.push_back({l, k});
    }
    bool mixed = round % 3 != 0;
    if (mixed) std::shuffle(order.begin(), order.end(), random);
    Made made = make_(body, tiles[0], tiles[1], order);
    ASSERT_TRUE(made.tiled);
    for (auto [n, m] : {std::pair{7, 11}, std::pair{13, 1}, std::pair{0, 5}, std::pair{1, 0}, std::pair{16, 8}}) {
      std::vector<int> before = log(made.serial, n, m), after = log(made.tiled, n, m);
      if (mixed) {
        std::sort(before.begin(), before.end());
        std::sort(after.begin(), after.end());
      }
      ASSERT_EQ(before, after) << "round " << round << ", n = " << n << ", m = " << m << "\n"
                               << ast::print(made.serial) << "\n"
                               << ast::print(made.tiled);
    }
  }
}

/// Whether a[i][j] = a[i + di][j + dj] may be cut up so: "", "certain" or "unknown".
class TilingProblemTest : public TilingTest {
protected:
  std::string problem(int di, int dj, std::vector<Tile> outer, std::vector<Tile> inner,
                      std::vector<Tiling::Place> order, bool indirect = false) {
    Ps params = {inOut("a", A2(F32)), in("idx", A1(I32)), in("n", I32), in("m", I32)};
    E i = var("i", I32), j = var("j", I32);
    E row = indirect ? at(var("idx", A1(I32)), {u64(i)}, I32) : i + lit(I32, di);
    E value = at(var("a", A2(F32)), {u64(row), u64(j + lit(I32, dj))}, F32);
    Ss body = {
        up("i", I32, lit(I32, 1), var("n", I32),
           {up("j", I32, lit(I32, 1), var("m", I32), {set(at(var("a", A2(F32)), {u64(i), u64(j)}, F32), value)})})};
    auto nest = read(params, body);
    Tiling tiling;
    tiling.workers.push_back({"threads", {lit(I64, 4).e}});
    std::string why;
    for (unsigned l : {0u, 1u})
      tiling.loops.push_back({*nest::countedLoop(nest->loops.at(l).node, arena_, why), l == 0 ? outer : inner});
    tiling.order = std::move(order);
    auto found = nest::problemOf(*nest, tiling);
    return !found ? "" : found->certain ? "certain" : "unknown";
  }
  static Tile thread() {
    Tile t = counted(4);
    t.kind = Tile::Kind::Worker;
    return t;
  }
  static inline const std::vector<Tiling::Place> kAround{{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  static inline const std::vector<Tiling::Place> kInOrder{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
};

TEST_F(TilingProblemTest, OrdersThatDependencesForbid) {
  std::vector<Tile> cut{rest(), counted(8)}, outside{counted(8), rest()};
  for (const auto &tiles : {cut, outside}) {
    EXPECT_EQ(problem(-1, 1, tiles, tiles, kAround), "certain");
    EXPECT_EQ(problem(-3, 1, tiles, tiles, kAround), "certain"); // further than some tiles are long
    EXPECT_EQ(problem(-1, -1, tiles, tiles, kAround), "");
    EXPECT_EQ(problem(-1, 1, tiles, tiles, kInOrder), "");
  }
  EXPECT_EQ(problem(-1, 1, {rest()}, {rest()}, {{1, 0}, {0, 0}}), "certain");
  EXPECT_EQ(problem(-1, 0, {rest()}, {rest()}, {{1, 0}, {0, 0}}), "");
  EXPECT_EQ(problem(0, 0, {rest()}, {rest()}, {{1, 0}, {0, 0}}, true), ""); // columns do not meet
  EXPECT_EQ(problem(0, 1, {rest()}, {rest()}, {{1, 0}, {0, 0}}, true), "unknown");
}

TEST_F(TilingProblemTest, WorkersThatWaitForEachOther) {
  EXPECT_EQ(problem(-1, 0, {thread(), rest()}, {rest()}, {{0, 1}, {1, 0}}), "certain");
  EXPECT_EQ(problem(-1, 0, {rest()}, {thread(), rest()}, {{0, 0}, {1, 1}}), ""); // each has columns of its own
  EXPECT_EQ(problem(-1, 0, {rest()}, {rest(), thread()}, {{0, 0}, {1, 0}}), "");
  EXPECT_EQ(problem(-1, 1, {rest()}, {thread(), rest()}, {{0, 0}, {1, 1}}), "certain"); // no worker waits for a row
  EXPECT_EQ(problem(0, 0, {thread(), rest()}, {rest()}, {{0, 1}, {1, 0}}), "");
}

} // namespace
} // namespace tangram::test

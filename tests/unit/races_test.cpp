// What the analysis of races says of small codelets: which maps are free of races, which are not, which it cannot
// decide.
#include "tangram/ast/Walk.h"
#include "tangram/session/Session.h"

#include <fstream>
#include <gtest/gtest.h>

namespace tangram {
namespace {

struct Case {
  const char *name;
  const char *leaf; // parameters and body of the spectrum that is mapped
  const char *map;  // body of the codelet with the map: in, out, m, k, n, bins, bounds, p
};

std::string program(const Case &c, const std::string &qualifier = "") {
  return std::string(
             "#include <tangram/tangram.h>\n"
             "#include <algorithm>\n"
             "struct Pair { int first; int second; };\n"
             "__spectrum void number(Array<1, size_t> out);\n"
             "__codelet void number(Array<1, size_t> out) { for (size_t i = 0; i < out.size(); ++i) out[i] = i; "
             "}\n"
             "__spectrum void leaf") +
         std::string(c.leaf).substr(0, std::string(c.leaf).find('{')) + ";\n__codelet __tag(leaf) void leaf" + c.leaf +
         "\n__spectrum void top(const Array<1, int> in, Array<1, int> out, Array<2, int> m, Array<1, Pair> pairs, "
         "size_t k, size_t n, const Array<1, size_t> bounds);\n__codelet " +
         qualifier +
         " __tag(top) void top(const Array<1, int> in, Array<1, int> out, Array<2, int> m, Array<1, Pair> pairs, "
         "size_t k, size_t n, const Array<1, size_t> bounds) {\n  __tunable unsigned p;\n"
         "  size_t len = out.size(), tile = (len + p - 1) / p;\n  " +
         c.map + "\n}\n";
}

enum class Verdict { Safe, Undecided, Refused };

struct Judged {
  Verdict verdict = Verdict::Safe;
  std::vector<Diagnostic> diagnostics;
  bool contended = false;
};

Judged judge(const std::string &text) {
  // The tests run beside one another, each a process.
  std::string path =
      ::testing::TempDir() + "races_" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".tg.cpp";
  std::ofstream(path) << text;
  SessionOptions options;
  options.pluginFolders = {TANGRAM_BINARY_DIR "/lib/tangram/plugins"};
  Session session(options);
  Judged result;
  try {
    session.open({path}, std::string(TANGRAM_SOURCE_DIR "/hw/gpu.yaml"));
    result.contended = !session.facts().races.contended.empty();
    if (!session.facts().races.watched.empty()) result.verdict = Verdict::Undecided;
  } catch (const ErrorsReported &) {
    result.verdict = Verdict::Refused;
  }
  for (const Diagnostic &d : session.diags().all())
    if (!d.id.starts_with("plugin.")) result.diagnostics.push_back(d); // of what else lies in the folder
  return result;
}

std::string shown(const Judged &j) {
  std::string text;
  for (const Diagnostic &d : j.diagnostics) text += render(d, false);
  return text;
}

void each(const std::vector<Case> &cases, Verdict wanted) {
  for (const Case &c : cases) {
    Judged got = judge(program(c));
    EXPECT_EQ(static_cast<int>(got.verdict), static_cast<int>(wanted)) << c.name << "\n" << shown(got);
    EXPECT_EQ(got.diagnostics.empty(), wanted == Verdict::Safe) << c.name << "\n" << shown(got);
    for (const Diagnostic &d : got.diagnostics) {
      EXPECT_EQ(d.id, wanted == Verdict::Refused ? "races.conflict" : "races.undecided") << c.name << "\n"
                                                                                         << shown(got);
      EXPECT_TRUE(d.range.valid() && !d.notes.empty() && d.notes[0].range.valid()) << c.name;
    }
  }
}

const char *const kAll = "(Array<1, int> part) { for (size_t i = 0; i < part.size(); ++i) part[i] = 1; }";

TEST(Races, ReadsBesideAtomics) {
  const std::vector<Case> some{
      {"asked before", "(int x, Array<1, int> all) { if (all[x] < 0) atomicMax(all[x], x); }", "map(leaf, in, out);"},
      {"the neighbour's", "(size_t i, Array<1, int> all) { int y = all[i + 1]; atomicAdd(all[i], y); }",
       "map(leaf, range(len - 1), out);"}};
  for (const Case &c : some) {
    Judged got = judge(program(c));
    ASSERT_EQ(got.diagnostics.size(), 1u) << c.name << "\n" << shown(got);
    EXPECT_EQ(got.diagnostics[0].id, "races.beside-atomics") << c.name << "\n" << shown(got);
    EXPECT_FALSE(got.contended) << c.name; // it may be picked
    EXPECT_TRUE(judge(program(c, "__independent")).diagnostics.empty()) << c.name;
  }
  each({{"its own", "(size_t i, Array<1, int> all) { int y = all[i]; atomicAdd(all[i], y); }",
         "map(leaf, range(len), out);"},
        {"what the atomic returns", "(int x, Array<1, int> all) { int old = atomicAdd(all[x], 1); int y = old; }",
         "map(leaf, in, out);"}},
       Verdict::Safe);
}

TEST(Races, FreeOfRaces) {
  each(
      {
          {"reads alone", "(int x, const Array<1, int> all) { int y = all[x]; }", "map(leaf, in, in);"},
          {"rows", kAll, "map(leaf, m);"},
          {"indices of 32 bits", "(size_t i, Array<1, int> all) { all[(unsigned)i] = all[(unsigned)(i * 1)]; }",
           "map(leaf, range(len), out);"},
          {"blocks by indices of 32 bits",
           "(size_t i, Array<1, int> all) { for (unsigned e = 0; e < 8; ++e) all[8 * (unsigned)i + e] = 1; }",
           "map(leaf, range(len / 8), out);"},
          {"adjacent parts", kAll,
           "map(leaf, partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)));"},
          {"the figure's ends", kAll,
           "map(leaf, partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len + 1)));"},
          {"interleaved parts", kAll, "map(leaf, partition(out, p, sequence(0, 1, p), sequence(p), sequence(len)));"},
          {"interleaved by a constant", kAll,
           "map(leaf, partition(out, 4, sequence(0, 1, 4), sequence(4), sequence(len)));"},
          {"bounds that are read", kAll,
           "map(leaf, partition(out, n, sequence(bounds, 0, 1, n), sequence(1), sequence(bounds, 1, 1, n + 1)));"},
          {"blocks of columns", "(Array<2, int> part) { part[0][0] = 1; }",
           "size_t w = m.size(1); auto t = partition(m, 1, sequence(0), sequence(1), sequence(m.size(0)), 4, "
           "sequence(0, "
           "8, w), sequence(1), sequence(8, 8, w)); map(leaf, t[0]);"},
          {"tiles", "(Array<2, int> part) { part[0][0] = 1; }",
           "size_t h = m.size(0), w = m.size(1); map(leaf, partition(m, 4, sequence(0, 8, h), sequence(1), sequence(8, "
           "8, "
           "h), 4, sequence(0, 8, w), sequence(1), sequence(8, 8, w)));"},
          {"atomics", "(int x, Array<1, int> all) { atomicAdd(all[x], 1); }", "map(leaf, in, out);"},
          {"numbers", "(size_t i, Array<1, int> all) { all[i] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"numbers counted here", "(size_t i, Array<1, int> all) { all[2 * i + 1] = 1; }",
           "Array<1, size_t> t(len); for (size_t i = 0; i < t.size(); ++i) t[i] = 3 * i; map(leaf, t, out);"},
          {"from the end", "(size_t i, size_t n, Array<1, int> all) { all[n - 1 - i] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, len, out);"},
          {"blocks by number", "(size_t i, Array<1, int> all) { for (size_t e = 0; e < 8; ++e) all[8 * i + e] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"blocks of any size",
           "(size_t i, size_t b, Array<1, int> all) { for (size_t e = 0; e < b; ++e) all[b * i + e] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, k, out);"},
          {"tiles by number",
           "(size_t t, size_t across, Array<2, int> all) { for (size_t i = 0; i < 4; ++i) for (size_t j = 0; j < 8; "
           "++j) "
           "all[4 * (t / across) + i][8 * (t % across) + j] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, k, m);"},
          {"rows by number",
           "(size_t i, Array<2, int> all) { for (size_t j = 0; j < all.size(1); ++j) all[i][j] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, m);"},
          {"one call alone", "(size_t i, Array<1, int> all) { if (i == 0) all[0] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"fields", "(size_t i, Array<1, Pair> all) { atomicAdd(all[0].first, all[i].second); all[i].second = 2; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, pairs);"},
          {"another container", "(size_t i, const Array<1, int> from, Array<1, int> to) { to[i] = from[i + 1]; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, in, out);"},
          {"a single part", kAll, "map(leaf, partition(out, 1, sequence(0), sequence(1), sequence(len)));"},
          {"one after the other", "(size_t i, Array<1, int> all) { all[i % 2] = 1; }",
           "for (size_t i = 0; i < len; ++i) leaf(i, out);"},
      },
      Verdict::Safe);
}

TEST(Races, Undecided) {
  each(
      {
          {"an index that is read", "(int x, Array<1, int> all) { all[x] += 1; }", "map(leaf, in, out);"},
          {"values of unknown containers", "(size_t i, Array<1, int> all) { all[i] = 1; }", "map(leaf, bounds, out);"},
          {"on condition", "(int x, Array<1, int> all) { if (x > 3) all[0] = 1; }", "map(leaf, in, out);"},
          {"numbers that were changed", "(size_t i, Array<1, int> all) { all[i] = 1; }",
           "Array<1, size_t> t(len); number(t); t[0] = 1; map(leaf, t, out);"},
          {"a remainder", "(size_t i, Array<1, int> all) { all[i % 64] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"blocks that overlap",
           "(size_t i, Array<1, int> all) { for (size_t e = 0; e < 9; ++e) all[8 * i + e] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"a stride that may be zero", "(size_t i, size_t s, Array<1, int> all) { all[i * s] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, k, out);"},
          {"parts of any bounds", kAll,
           "map(leaf, partition(out, p, sequence(0, k, len), sequence(1), sequence(n, n, len)));"},
          {"what others write is read", "(int x, Array<1, int> row, const Array<2, int> all) { row[0] = all[x][0]; }",
           "map(leaf, in, m, m);"},
          {"a cast that cuts", "(size_t i, Array<1, int> all) { all[(unsigned char)i] = 1; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"a cast to 32 bits that cuts", "(size_t i, Array<1, int> all) { all[(unsigned)(i * 4294967296ull)] = 1; }",
           "map(leaf, range(len), out);"},
          {"a signed one", "(size_t i, Array<1, int> all) { all[(int)(i * 4294967296ull)] = 1; }",
           "map(leaf, range(len), out);"},
          {"a product in 32 bits", "(size_t i, Array<1, int> all) { all[(unsigned)i * 65536u * 65536u] = 1; }",
           "map(leaf, range(len), out);"},
          {"a shift", "(size_t i, Array<1, int> all) { all[(unsigned)(i << 32)] = 1; }", "map(leaf, range(len), out);"},
          {"a stride of 64 bits", "(size_t i, size_t s, Array<1, int> all) { all[(unsigned)(i * (s + 1))] = 1; }",
           "map(leaf, range(len), k, out);"},
      },
      Verdict::Undecided);
}

TEST(Races, Refused) {
  each(
      {
          {"one element", "(int x, Array<1, int> all) { all[0] += x; }", "map(leaf, in, out);"},
          {"one of the caller's", "(int x, size_t at, Array<1, int> all) { all[at] = x; }", "map(leaf, in, k, out);"},
          {"a flag", "(int x, Array<1, int> all) { all[0] = 1; }", "map(leaf, in, out);"},
          {"the neighbour's", "(size_t i, Array<1, int> all) { all[i + 1] = all[i]; }",
           "Array<1, size_t> t(len); number(t); map(leaf, t, out);"},
          {"parts that overlap", kAll,
           "map(leaf, partition(out, p, sequence(0, tile, len), sequence(1), sequence(tile + 1, tile, len)));"},
          {"the same part", kAll, "map(leaf, partition(out, p, sequence(0), sequence(1), sequence(len)));"},
          {"half of the number", "(size_t i, Array<1, int> all) { all[i / 2] = 1; }", "map(leaf, range(len), out);"},
          {"an eighth, shifted", "(size_t i, Array<1, int> all) { all[(i >> 3) + 1] = 1; }",
           "map(leaf, range(len), out);"},
          {"a remainder of four", "(size_t i, Array<1, int> all) { all[i % 4] = 1; }", "map(leaf, range(len), out);"},
          {"one element of all elements of a matrix", "(int x, Array<1, int> all) { all[1] = x; }",
           "map(leaf, m, out);"},
      },
      Verdict::Refused);
}

const char *const kOfRows =
    "(const Array<1, size_t> rows, Array<1, int> all) { for (size_t r = 0; r < rows.size(); ++r) all[rows[r]] = 1; }";

TEST(Races, Ranges) {
  each(
      {
          {"each number", "(size_t i, Array<1, int> all) { all[2 * i + 1] = 1; }", "map(leaf, range(len), out);"},
          {"from any number", "(size_t i, Array<1, int> all) { all[i] = 1; }", "map(leaf, range(k, n), out);"},
          {"in steps", "(size_t i, Array<1, int> all) { all[i] = all[i + 1] = 1; }", "map(leaf, range(k, n, 2), out);"},
          {"ints", "(int i, Array<1, int> all) { all[i + 8] = 1; }", "map(leaf, range<int>(-8, 8), out);"},
          {"parts", kOfRows,
           "map(leaf, partition(range(len), p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), "
           "out);"},
          {"interleaved parts", kOfRows,
           "map(leaf, partition(range(len), p, sequence(0, 1, p), sequence(p), sequence(len)), out);"},
          {"parts of what has a name", kOfRows,
           "auto all = range(len); auto parts = partition(all, p, sequence(0, tile, len), sequence(1), sequence(tile, "
           "tile, len)); map(leaf, parts, out);"},
      },
      Verdict::Safe);
  each(
      {
          {"a step that may be zero", "(size_t i, Array<1, int> all) { all[i] = 1; }",
           "map(leaf, range(0, n, k), out);"},
          {"a container that may be none", kOfRows,
           "leaf(bounds, out); map(leaf, partition(range(len), p, sequence(0, tile, len), sequence(1), sequence(tile, "
           "tile, len)), out);"},
          {"parts that overlap", kOfRows,
           "map(leaf, partition(range(len), p, sequence(0, tile, len), sequence(1), sequence(tile + 1, tile, len)), "
           "out);"},
      },
      Verdict::Undecided);
}

TEST(Races, Promised) {
  Case c{"histogram", "(int x, Array<1, int> all) { all[x] += 1; }", "map(leaf, in, out);"};
  Judged promised = judge(program(c, "__independent"));
  EXPECT_TRUE(promised.diagnostics.empty()) << shown(promised);
  EXPECT_FALSE(promised.contended);
  EXPECT_EQ(static_cast<int>(promised.verdict), static_cast<int>(Verdict::Undecided)) << "checked code watches it";
  EXPECT_TRUE(judge(program(c)).contended);
  // What is known to be wrong is no promise to make.
  Case wrong{"total", "(int x, Array<1, int> all) { all[0] += x; }", "map(leaf, in, out);"};
  EXPECT_EQ(static_cast<int>(judge(program(wrong, "__independent")).verdict), static_cast<int>(Verdict::Refused));
}

} // namespace
} // namespace tangram

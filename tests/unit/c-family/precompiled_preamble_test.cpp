// What generated sources begin with, and when it is compiled anew.
#include "../../../plugins/lib/c-family/PrecompiledPreamble.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

using namespace tangram::c_family;
namespace fs = std::filesystem;

/// Without what each has of the standard library.
std::string own(const std::string &source) {
  std::string all = preamble(source);
  return all.substr(0, all.find("#include <algorithm>"));
}

TEST(Preamble, IsTheDirectivesInFrontOfEverythingElse) {
  EXPECT_EQ(own("// Generated.\n#include \"own.h\"\n\n#include <omp.h>\n#if A\n#include <cmath>\n#endif\nint x;\n"
                "#include <omp.h>\n"),
            "#include <omp.h>\n#if A\n#include <cmath>\n#endif\n");
}

TEST(Preamble, EndsInFrontOfAConditionThatIsNotOver) {
  EXPECT_EQ(own("#include <omp.h>\n#if A\nint x;\n#endif\n"), "#include <omp.h>\n");
  EXPECT_EQ(own("#include <omp.h>\n#define A \\\n  1\n"), "#include <omp.h>\n");
  EXPECT_EQ(preamble("int x;\n"), "");
}

TEST(Preamble, IsTheSameWhicheverStandardHeadersASourceIncludes) {
  EXPECT_EQ(preamble("#include <omp.h>\n#include <cmath>\n"), preamble("#include <limits>\n#include <omp.h>\n"));
  EXPECT_EQ(preamble("#include <cmath>\n"), preamble("#include <limits>\n"));
}

struct PrecompiledPreamble : testing::Test {
  fs::path folder =
      fs::path(testing::TempDir()) /
      (std::string("of ") + testing::UnitTest::GetInstance()->current_test_info()->name()); // with a blank
  void SetUp() override {
    fs::remove_all(folder);
    fs::create_directories(folder);
    setenv("TANGRAM_CACHE", (folder / "cache").c_str(), 1);
    std::ofstream(folder / "mine.hpp") << "inline int mine() { return 1; }\n";
  }
  std::optional<fs::path> made(const std::string &compiler = "g++") const {
    return precompiledPreamble(compiler, {"-O0", "-I" + folder.string()}, "#include <mine.hpp>\n", {});
  }
  static fs::file_time_type time(const fs::path &header) { return fs::last_write_time(header.string() + ".gch"); }
};

TEST_F(PrecompiledPreamble, IsMadeOnce) {
  const auto first = made();
  if (!first) GTEST_SKIP() << "there is no g++";
  const auto then = time(*first);
  EXPECT_EQ(made(), first);
  EXPECT_EQ(time(*first), then);
  EXPECT_NE(precompiledPreamble("g++", {"-O1", "-I" + folder.string()}, "#include <mine.hpp>\n", {}), first);
}

TEST_F(PrecompiledPreamble, IsReadByTheCompilerThatMadeIt) {
  std::ofstream(folder / "unit.cpp") << "int main() { return mine() - 1; }\n";
  for (const std::string compiler : {"g++", "clang++-19"}) {
    const auto header = made(compiler);
    if (!header) GTEST_SKIP() << "there is no " << compiler;
    EXPECT_EQ(std::system((compiler + " -fsyntax-only -O0 -I'" + folder.string() + "' -include '" + header->string() +
                           "' '" + (folder / "unit.cpp").string() + "'")
                              .c_str()),
              0)
        << compiler;
  }
}

TEST_F(PrecompiledPreamble, IsMadeAnewWhereAHeaderChanges) {
  const auto first = made();
  if (!first) GTEST_SKIP() << "there is no g++";
  const auto then = time(*first);
  fs::last_write_time(folder / "mine.hpp", then + std::chrono::seconds(1));
  made();
  EXPECT_NE(time(*first), then);
}

TEST_F(PrecompiledPreamble, IsNotThereWhereItCannotBeMade) {
  EXPECT_FALSE(made("no-such-compiler"));
  std::ofstream(folder / "mine.hpp") << "#error\n";
  EXPECT_FALSE(made());
  std::ofstream(folder / "file") << "";
  setenv("TANGRAM_CACHE", (folder / "file").c_str(), 1);
  EXPECT_FALSE(made());
  setenv("TANGRAM_CACHE", "", 1);
  EXPECT_FALSE(made());
}

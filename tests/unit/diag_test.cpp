// Diagnostics: rendering, engine, suggestions.
#include "tangram/diag/Diagnostic.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tangram;

namespace {

constexpr DiagnosticKind kUser{"test.user", DiagnosticClass::User, "'{0}' is not {1}", "write {1}"};
constexpr DiagnosticKind kLimit{"test.limit", DiagnosticClass::Limitation, "cannot do '{}' yet", ""};
constexpr DiagnosticKind kWarning{"test.warning", DiagnosticClass::User, "odd", "", Severity::Warning};

class Render : public testing::Test {
protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() / fmt::format("tangram-diag-{}.txt", ::getpid())).string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string &text) { std::ofstream(path_, std::ios::binary) << text; }
  SourceRange at(unsigned line, unsigned column, unsigned endLine = 0, unsigned endColumn = 0) {
    return {&path_, line, column, endLine, endColumn};
  }
  std::string path_;
};

TEST_F(Render, PlaceSourceLineCaretAdviceAndNotes) {
  write("first\n  int sum = x + y;\nlast\n");
  Diagnostic diagnostic = makeDiagnostic(kUser, at(2, 7, 2, 10), "sum", "a product");
  diagnostic.notes.push_back({at(3, 1), "declared here"});
  diagnostic.notes.push_back({{}, "while testing"});
  EXPECT_EQ(render(diagnostic, false), path_ +
                                           ":2:7: error: 'sum' is not a product\n"
                                           "    int sum = x + y;\n"
                                           "        ^~~\n"
                                           "  advice: write a product\n" +
                                           path_ +
                                           ":3:1: note: declared here\n"
                                           "  last\n"
                                           "  ^\n"
                                           "note: while testing\n");
}

TEST_F(Render, ClassesAreVisiblyDifferent) {
  EXPECT_EQ(render(makeDiagnostic(kLimit, {}, "that"), false), "limitation: cannot do 'that' yet\n");
  EXPECT_EQ(render(makeDiagnostic(kWarning, {}), false), "warning: odd\n");
  try {
    failBug({}, "cloner", "a map without a policy");
  } catch (const DiagnosticError &error) {
    EXPECT_EQ(error.diagnostic.cls, DiagnosticClass::Bug);
    EXPECT_EQ(render(error.diagnostic, false).find("internal error (a bug in tangram): cloner: a map without a policy"),
              0u);
  }
  EXPECT_EQ(exitCode(DiagnosticClass::User), 1);
  EXPECT_EQ(exitCode(DiagnosticClass::Limitation), 2);
  EXPECT_EQ(exitCode(DiagnosticClass::Bug), 3);
}

TEST_F(Render, ColourOnlyWhenAsked) {
  write("x\n");
  Diagnostic diagnostic = makeDiagnostic(kUser, at(1, 1), "x", "y");
  EXPECT_EQ(render(diagnostic, false).find('\033'), std::string::npos);
  EXPECT_NE(render(diagnostic, true).find("\033[1;31merror:\033[0m"), std::string::npos);
}

TEST_F(Render, CaretStandsBelowCharactersNotBytes) {
  write("\t\"\xc3\xa4\xc3\xb6\" bad\n"); // a tab, two letters of two bytes each
  EXPECT_NE(render(makeDiagnostic(kUser, at(1, 9, 1, 12), "a", "b"), false)
                .find("   \"\xc3\xa4\xc3\xb6\" bad\n"
                      "        ^~~\n"),
            std::string::npos);
}

TEST_F(Render, LongLinesAreCutAroundTheCaret) {
  write(std::string(5000, 'a') + "HERE" + std::string(5000, 'b') + "\n");
  std::string text = render(makeDiagnostic(kUser, at(1, 5001, 1, 5005), "a", "b"), false);
  EXPECT_LT(text.size(), 700u);
  EXPECT_NE(text.find("HERE"), std::string::npos);
  EXPECT_NE(text.find("^~~~"), std::string::npos);
}

TEST_F(Render, PlacesThatAreNotThere) {
  // No such file, line, or column: the message stands alone.
  EXPECT_EQ(render(makeDiagnostic(kUser, at(3, 1), "a", "b"), false),
            path_ + ":3:1: error: 'a' is not b\n  advice: write b\n");
  write("one\n");
  EXPECT_EQ(render(makeDiagnostic(kUser, at(9, 9), "a", "b"), false),
            path_ + ":9:9: error: 'a' is not b\n  advice: write b\n");
  EXPECT_NE(render(makeDiagnostic(kUser, at(1, 400), "a", "b"), false).find("one"), std::string::npos);
  EXPECT_EQ(render(makeDiagnostic(kUser, at(0, 0), "a", "b"), false),
            path_ + ": error: 'a' is not b\n  advice: write b\n");
  write("");
  render(makeDiagnostic(kUser, at(1, 1, 7, 0), "a", "b"), false);
}

TEST(Engine, ContextsBecomeNotesInnermostFirst) {
  DiagnosticEngine engine;
  {
    DiagnosticEngine::Context outer(engine, "while compiling");
    DiagnosticEngine::Context inner(engine, "while composing");
    engine.report(kUser, {}, "a", "b").note({}, "own note");
  }
  engine.report(kWarning, {});
  ASSERT_EQ(engine.all().size(), 2u);
  std::vector<std::string> notes;
  for (const Note &note : engine.all()[0].notes) notes.push_back(note.message);
  EXPECT_EQ(notes, (std::vector<std::string>{"while composing", "while compiling", "own note"}));
  EXPECT_TRUE(engine.all()[1].notes.empty());
  EXPECT_TRUE(engine.hasErrors());
  EXPECT_EQ(engine.take().size(), 2u);
  EXPECT_FALSE(engine.hasErrors());
}

TEST(Engine, WarningsAreNoErrors) {
  DiagnosticEngine engine;
  engine.report(kWarning, {});
  EXPECT_FALSE(engine.hasErrors());
}

TEST(Nearest, ByEditDistance) {
  std::vector<std::string> known = {"parallelism-first", "exhaustive", "random", "cpu-openmp", "cpu-simple"};
  EXPECT_EQ(nearest("exaustive", known), std::vector<std::string>{"exhaustive"});
  EXPECT_EQ(nearest("RANDOM", known), std::vector<std::string>{"random"});
  EXPECT_EQ(nearest("paralelism-frist", known), std::vector<std::string>{"parallelism-first"});
  EXPECT_EQ(nearest("openmp", known), std::vector<std::string>{"cpu-openmp"});
  EXPECT_TRUE(nearest("zzzz", known).empty());
  EXPECT_TRUE(nearest("", known).empty());
  EXPECT_TRUE(nearest(std::string(100000, 'x'), known).empty());
  EXPECT_TRUE(nearest("x", {"y", "z"}).empty());
  EXPECT_EQ(nearest("ab", {"abc", "abd", "abe", "abf"}).size(), 3u);
}

TEST(Nearest, Suggestions) {
  EXPECT_EQ(suggest("smu", {"sum", "dot"}), "'sum'");
  EXPECT_EQ(suggest("map1", {"map2", "map3", "other"}), "'map2' or 'map3'");
  EXPECT_EQ(suggest("map1", {"map2", "map3", "map4"}), "'map2', 'map3' or 'map4'");
  EXPECT_EQ(suggest("qqqqq", {"sum", "dot"}), "one of sum, dot");
  EXPECT_NE(suggest("qqqqq", {}), "");
  std::vector<std::string> many(100, "name");
  EXPECT_NE(suggest("qqqqq", many).find("(100 in all)"), std::string::npos);
}

TEST(Shown, EscapesAndCuts) {
  EXPECT_EQ(shown("a\tb\n\x01"), "a\\tb\\n\\x01");
  EXPECT_EQ(shown("\xc3\xa4"), "\xc3\xa4");
  EXPECT_LT(shown(std::string(100000, 'x')).size(), 100u);
}

} // namespace

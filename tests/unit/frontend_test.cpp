// What the frontend's request asks for; what it makes of source files is in tests/lit/frontend.
#include "tangram/ast/Verify.h"
#include "tangram/pass/Pass.h"
#include "tangram/plugin/Loader.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

namespace tangram {
namespace {

class FrontendTest : public ::testing::Test {
protected:
  FrontendTest() {
    std::filesystem::path library =
        std::filesystem::path(TANGRAM_BINARY_DIR) / "lib/tangram/plugins/libtangram-frontend-clang.so";
    if (std::filesystem::exists(library)) {
      loader.load(library, registry);
      frontend = registry.frontends.get("clang").create();
    }
    // The tests run beside one another, each a process.
    file = std::filesystem::path(::testing::TempDir()) /
           fmt::format("{}.tg.cpp", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void SetUp() override {
    if (!frontend) GTEST_SKIP() << "the Clang frontend is not built";
  }

  const ast::Module *parse(const std::string &text, const std::string &spectrum = "",
                           std::vector<std::string> defines = {}) {
    std::ofstream(file) << "#include <tangram/tangram.h>\n" << text;
    FrontendRequest request;
    request.file = file;
    request.spectrum = spectrum;
    request.defines = std::move(defines);
    return frontend->parse(request, arena, diags);
  }
  std::vector<std::string> names(const ast::Module *module) {
    std::vector<std::string> result;
    for (const ast::Spectrum *s : module->spectrums) result.push_back(s->name);
    return result;
  }

  PluginLoader loader; // outlives what it registered
  Registry registry;
  std::unique_ptr<Frontend> frontend;
  ast::Arena arena;
  DiagnosticEngine diags;
  std::filesystem::path file;
};

const char *const kTemplate = "template <class T> __spectrum T first(const Array<1,T> in);\n"
                              "template <class T> __codelet T first(const Array<1,T> in) { return in[0]; }\n";

TEST_F(FrontendTest, MakesTheInstancesAskedFor) {
  const ast::Module *module = parse(kTemplate, "first<float>; first<unsigned char>;first<u8>");
  ASSERT_TRUE(module);
  EXPECT_EQ(names(module), (std::vector<std::string>{"first<float>", "first<unsigned char>"}));
  EXPECT_TRUE(ast::verify(*module).empty());
  EXPECT_EQ(module->spectrums[1]->result, ast::Type(ast::Scalar::U8));
}

TEST_F(FrontendTest, SaysHowToAskForAnInstance) {
  EXPECT_FALSE(parse(kTemplate, "first"));
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_EQ(diags.all()[0].cls, DiagnosticClass::User);
  EXPECT_NE(diags.all()[0].advice.find("first<float>"), std::string::npos) << diags.all()[0].advice;
}

TEST_F(FrontendTest, PassesDefinesOn) {
  const char *const text = "__spectrum int f(int x);\n__codelet int f(int x) { return VALUE; }\n";
  EXPECT_TRUE(parse(text, "", {"VALUE=x"}));
  EXPECT_TRUE(diags.all().empty());
  EXPECT_FALSE(parse(text));
  EXPECT_TRUE(diags.hasErrors());
}

TEST_F(FrontendTest, PutsEveryNodeSomewhere) {
  const ast::Module *module = parse(kTemplate, "first<int>");
  ASSERT_TRUE(module);
  const ast::Codelet *codelet = module->spectrums.at(0)->codelets.at(0);
  ASSERT_TRUE(codelet->body->range.valid());
  EXPECT_EQ(*codelet->body->range.file, file.string());
  EXPECT_EQ(codelet->range.line, 3u);
  EXPECT_EQ(codelet->body->stmts.at(0)->range.line, 3u);
}

TEST_F(FrontendTest, SaysWhatOfItsFilesIsMissing) {
  ::setenv("TANGRAM_INCLUDE", "/nowhere", 1);
  EXPECT_FALSE(parse(kTemplate, "first<int>"));
  ::unsetenv("TANGRAM_INCLUDE");
  ASSERT_EQ(diags.all().size(), 1u);
  EXPECT_NE(diags.all()[0].message.find("tangram/tangram.h"), std::string::npos);
  EXPECT_NE(diags.all()[0].message.find("/nowhere"), std::string::npos);
}

} // namespace
} // namespace tangram

// Loading plugins, good and bad. Plugins are in plugins/.
#include "TempFolder.h"

#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Loader.h"
#include "tangram/plugin/Plugin.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace tangram;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = TANGRAM_BINARY_DIR "/tests/plugins";

fs::path plugin(const std::string &name) { return kFolder / ("libtangram-" + name + ".so"); }

/// The error of loading `path`, after which nothing may be registered or loaded.
Diagnostic failure(const fs::path &path) {
  PluginLoader loader;
  Registry registry;
  try {
    loader.load(path, registry);
  } catch (const DiagnosticError &error) {
    EXPECT_TRUE(loader.loaded().empty());
    EXPECT_TRUE(registry.passes.all().empty());
    EXPECT_EQ(error.diagnostic.cls, DiagnosticClass::User);
    EXPECT_NE(error.diagnostic.advice, "");
    return error.diagnostic;
  }
  ADD_FAILURE() << path << " was loaded";
  return {};
}

using test::TempFolder;

TEST(Plugin, GoodOneIsLoaded) {
  PluginLoader loader; // before the registry: what it registers lives in the library
  Registry registry;
  const LoadedPlugin &loaded = loader.load(plugin("test-good"), registry);
  EXPECT_EQ(loaded.name, "test-good");
  EXPECT_EQ(loaded.version, "1.2.3");
  EXPECT_EQ(loaded.path, plugin("test-good"));
  ASSERT_EQ(loader.loaded().size(), 1u);
  EXPECT_EQ(registry.passes.get("test-pass").plugin, "test-good");
  EXPECT_TRUE(registry.passes.get("test-pass").create({}));
  EXPECT_TRUE(registry.frontends.find("test-frontend"));
  EXPECT_TRUE(registry.expanders.find("test-expander"));
  EXPECT_TRUE(registry.analyses.find("test-analysis"));
  EXPECT_TRUE(registry.heuristics.find("test-heuristic"));
  EXPECT_TRUE(registry.backends.find("test-backend"));
  EXPECT_EQ(registry.passes.names(), std::vector<std::string>{"test-pass"});
}

TEST(Plugin, RelativePath) {
  PluginLoader loader;
  Registry registry;
  fs::path before = fs::current_path();
  fs::current_path(kFolder);
  EXPECT_NO_THROW(loader.load("libtangram-test-good.so", registry));
  fs::current_path(before);
}

TEST(Plugin, MissingSaysTheNearest) {
  Diagnostic diagnostic = failure(plugin("test-god"));
  EXPECT_EQ(diagnostic.id, "plugin.missing");
  EXPECT_NE(diagnostic.message.find("libtangram-test-god.so"), std::string::npos);
  EXPECT_NE(diagnostic.advice.find("libtangram-test-good.so"), std::string::npos);
  EXPECT_EQ(failure("/nowhere/at/all.so").id, "plugin.missing");
  EXPECT_EQ(failure("/nowhere/at/all.so").advice, "check the path, or build the plugin first");
  EXPECT_EQ(failure("").id, "plugin.missing");
}

TEST(Plugin, NotALibrary) {
  TempFolder folder;
  fs::path text = folder.path / "libtangram-text.so", empty = folder.path / "libtangram-empty.so";
  std::ofstream(text) << "this is a text file, and long enough to hold a header\n";
  std::ofstream(empty).flush();
  EXPECT_EQ(failure(text).id, "plugin.not-a-library");
  EXPECT_NE(failure(text).message.find("no ELF header"), std::string::npos) << failure(text).message;
  EXPECT_EQ(failure(empty).id, "plugin.not-a-library");
  EXPECT_EQ(failure(folder.path).id, "plugin.not-a-library");

  // The first half of a plugin: an interrupted copy.
  std::ifstream in(plugin("test-good"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  fs::path half = folder.path / "libtangram-half.so";
  std::ofstream(half, std::ios::binary) << bytes.substr(0, 3000);
  EXPECT_EQ(failure(half).id, "plugin.not-a-library");
  EXPECT_NE(failure(half).message.find("cut short"), std::string::npos) << failure(half).message;
}

TEST(Plugin, LibraryThatIsNoPlugin) {
  EXPECT_EQ(failure(plugin("test-not-a-plugin")).id, "plugin.no-entry");
  Diagnostic diagnostic = failure(plugin("test-undefined-symbol"));
  EXPECT_EQ(diagnostic.id, "plugin.not-a-library");
  EXPECT_NE(diagnostic.message.find("functionThatIsNowhere"), std::string::npos) << diagnostic.message;
}

TEST(Plugin, OtherVersionsSayBoth) {
  Diagnostic api = failure(plugin("test-bad-api-version"));
  EXPECT_EQ(api.id, "plugin.api-version");
  EXPECT_NE(api.message.find("version 999, but this is version 1"), std::string::npos) << api.message;
  EXPECT_EQ(failure(plugin("test-bad-struct-size")).id, "plugin.struct-size");
  Diagnostic build = failure(plugin("test-bad-build-id"));
  EXPECT_EQ(build.id, "plugin.build-id");
  EXPECT_NE(build.message.find("tangram-0.0.1/of-another-core"), std::string::npos);
  EXPECT_NE(build.message.find(coreBuildId()), std::string::npos);
}

TEST(Plugin, IncompleteDescription) {
  for (const char *name :
       {"test-bad-null-struct", "test-bad-null-callback", "test-bad-null-name", "test-bad-empty-summary"})
    EXPECT_EQ(failure(plugin(name)).id, "plugin.no-description") << name;
}

TEST(Plugin, RegistrationThatFails) {
  Diagnostic known = failure(plugin("test-throws-std"));
  EXPECT_EQ(known.id, "plugin.registration-failed");
  EXPECT_NE(known.message.find("no device found"), std::string::npos);
  EXPECT_EQ(failure(plugin("test-throws-other")).id, "plugin.registration-failed");
  EXPECT_EQ(failure(plugin("test-throws-after-registering")).id, "plugin.registration-failed");
  EXPECT_EQ(failure(plugin("test-throws-incomplete")).id, "registry.incomplete");
  Diagnostic bad = failure(plugin("test-throws-bad-default"));
  EXPECT_EQ(bad.id, "registry.incomplete");
  ASSERT_FALSE(bad.notes.empty());
  EXPECT_NE(bad.notes.back().message.find("libtangram-test-throws-bad-default.so"), std::string::npos);
}

TEST(Plugin, Duplicates) {
  PluginLoader loader;
  Registry registry;
  loader.load(plugin("test-good"), registry);
  try {
    loader.load(plugin("test-good-twice"), registry);
    FAIL();
  } catch (const DiagnosticError &error) {
    EXPECT_EQ(error.diagnostic.id, "plugin.duplicate");
    EXPECT_NE(error.diagnostic.message.find(plugin("test-good").string()), std::string::npos);
  }
  try {
    loader.load(plugin("test-same-pass"), registry);
    FAIL();
  } catch (const DiagnosticError &error) {
    EXPECT_EQ(error.diagnostic.id, "registry.name-taken");
    EXPECT_NE(error.diagnostic.message.find("'test-good'"), std::string::npos);
    EXPECT_NE(error.diagnostic.message.find("'test-same-pass'"), std::string::npos);
  }
  // Nothing of the refused plugin stays, and what was there still works.
  EXPECT_FALSE(registry.passes.find("test-other-pass"));
  EXPECT_TRUE(registry.passes.get("test-pass").create({}));
}

TEST(Plugin, LoadAllWarnsAndGoesOn) {
  PluginLoader loader;
  Registry registry;
  DiagnosticEngine diags;
  loader.loadAll({kFolder, kFolder, "/nowhere/at/all"}, registry, diags);
  EXPECT_TRUE(registry.passes.find("test-pass"));
  EXPECT_FALSE(diags.hasErrors());
  std::size_t bad = 0, folders = 0;
  for (const Diagnostic &diagnostic : diags.all()) {
    EXPECT_EQ(diagnostic.severity, Severity::Warning);
    bad += diagnostic.id == "plugin.not-usable";
    folders += diagnostic.id == "plugin.no-folder";
  }
  EXPECT_EQ(bad, 15u); // all but the good one and its twin
  EXPECT_EQ(folders, 1u);
  // What a target asks for may have been in one of them.
  try {
    registry.passes.get("test-half");
    FAIL();
  } catch (const DiagnosticError &error) {
    EXPECT_FALSE(error.diagnostic.notes.empty());
  }
}

TEST(Plugin, AFolderOfStaleOnesIsOneWarning) {
  TempFolder folder;
  for (const char *name : {"a", "b", "c", "d", "e", "f", "g"})
    fs::copy_file(plugin("test-bad-build-id"), folder.path / fmt::format("libtangram-{}.so", name));
  fs::copy_file(plugin("test-bad-api-version"), folder.path / "libtangram-old.so");
  fs::copy_file(plugin("test-good"), folder.path / "libtangram-good.so");
  PluginLoader loader;
  Registry registry;
  DiagnosticEngine diags;
  loader.loadAll({folder.path}, registry, diags);
  EXPECT_TRUE(registry.passes.find("test-pass"));
  ASSERT_EQ(diags.all().size(), 2u); // another reason is another warning
  const Diagnostic &stale = diags.all()[diags.all()[0].id == "plugin.stale" ? 0 : 1];
  EXPECT_EQ(stale.id, "plugin.stale");
  EXPECT_EQ(stale.severity, Severity::Warning);
  EXPECT_EQ(stale.message, fmt::format("7 of the plugins in '{}' cannot be used: each was compiled against core "
                                       "'tangram-0.0.1/of-another-core', but this core is '{}'",
                                       folder.path.string(), coreBuildId()));
  EXPECT_NE(stale.advice.find("rebuild them"), std::string::npos);
  ASSERT_EQ(stale.notes.size(), 1u);
  EXPECT_EQ(stale.notes[0].message, "these are libtangram-a.so, libtangram-b.so, libtangram-c.so, libtangram-d.so, "
                                    "libtangram-e.so and 2 more");
  try {
    registry.passes.get("test-half");
    FAIL();
  } catch (const DiagnosticError &error) {
    EXPECT_EQ(error.diagnostic.notes.size(), 2u);
  }
}

TEST(Plugin, EarlierFolderHidesLater) {
  TempFolder folder;
  fs::copy_file(plugin("test-not-a-plugin"), folder.path / "libtangram-test-good.so");
  PluginLoader loader;
  Registry registry;
  DiagnosticEngine diags;
  loader.loadAll({folder.path, kFolder}, registry, diags);
  for (const LoadedPlugin &loaded : loader.loaded()) EXPECT_NE(loaded.path, plugin("test-good"));
}

TEST(Plugin, SearchPath) {
  ::setenv("TANGRAM_PLUGIN_PATH", "/a::/b:/a", 1);
  std::vector<fs::path> path = PluginLoader::searchPath({"/x", "/b"});
  ::unsetenv("TANGRAM_PLUGIN_PATH");
  ASSERT_GE(path.size(), 3u);
  EXPECT_EQ(path[0], "/x");
  EXPECT_EQ(path[1], "/b");
  EXPECT_EQ(path[2], "/a");
}

TEST(Registry, UnknownSaysTheNearest) {
  Registry registry;
  HeuristicDescriptor heuristic;
  heuristic.name = "parallelism-first";
  heuristic.summary = "s";
  heuristic.create = [](const OptionValues &) { return std::unique_ptr<Heuristic>(); };
  registry.heuristics.add(heuristic);
  try {
    registry.heuristics.get("paralelism-first");
    FAIL();
  } catch (const DiagnosticError &error) {
    EXPECT_EQ(error.diagnostic.message, "there is no heuristic 'paralelism-first'");
    EXPECT_EQ(error.diagnostic.advice, "use 'parallelism-first'");
  }
  EXPECT_FALSE(registry.heuristics.find("x"));
  for (const char *bad : {"", "Upper", "with space", "-dash", "dash-"}) {
    heuristic.name = bad;
    EXPECT_THROW(registry.heuristics.add(heuristic), DiagnosticError) << bad;
  }
}

} // namespace

#include "tangram/plugin/Loader.h"

#include "ElfFile.h"

#include "tangram/plugin/Plugin.h"

#include <algorithm>
#include <boost/dll/runtime_symbol_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <cstdlib>
#include <fstream>
#include <map>

namespace tangram {

const char *coreBuildId() { return kBuildId; }

namespace {

namespace fs = std::filesystem;

constexpr DiagnosticKind kMissing{"plugin.missing", DiagnosticClass::User, "there is no plugin '{0}'",
                                  "{1}, or build the plugin first"};
constexpr DiagnosticKind kNotALibrary{"plugin.not-a-library", DiagnosticClass::User,
                                      "'{0}' cannot be loaded as a plugin: {1}",
                                      "give a shared library that tangram_add_plugin() has built for this machine"};
constexpr DiagnosticKind kNoEntry{"plugin.no-entry", DiagnosticClass::User,
                                  "'{0}' is a library but not a plugin: it does not export '{1}'",
                                  "declare it with TANGRAM_PLUGIN(name, version, summary) of tangram/plugin/Plugin.h"};
constexpr DiagnosticKind kNoStruct{"plugin.no-description", DiagnosticClass::User, "plugin '{0}' is incomplete: {1}",
                                   "declare it with TANGRAM_PLUGIN(name, version, summary) of tangram/plugin/Plugin.h"};
constexpr DiagnosticKind kApiVersion{"plugin.api-version", DiagnosticClass::User,
                                     "plugin '{0}' was built for plugin API version {1}, but this is version {2}",
                                     "rebuild the plugin against this version of tangram"};
constexpr DiagnosticKind kStructSize{
    "plugin.struct-size", DiagnosticClass::User,
    "plugin '{0}' describes itself in {1} bytes, but version {2} of the plugin API has {3}",
    "rebuild the plugin against this version of tangram"};
constexpr DiagnosticKind kOtherBuildId{"plugin.build-id", DiagnosticClass::User,
                                       "plugin '{0}' was compiled against core '{1}', but this core is '{2}'",
                                       "rebuild the plugin against this version of tangram"};
constexpr DiagnosticKind kThrew{"plugin.registration-failed", DiagnosticClass::User,
                                "plugin '{0}' ({1}) failed while it registered: {2}",
                                "fix the plugin, or leave it out; nothing of it is used"};
constexpr DiagnosticKind kDuplicate{"plugin.duplicate", DiagnosticClass::User,
                                    "plugin '{0}' of '{1}' is loaded already, from '{2}'", "give only one of the two"};
constexpr DiagnosticKind kNotUsable{"plugin.not-usable", DiagnosticClass::User, "{0}", "{1}", Severity::Warning};
constexpr DiagnosticKind kStale{
    "plugin.stale", DiagnosticClass::User, "{0} of the plugins in '{1}' cannot be used: each {2}",
    "rebuild them against this version of tangram, or leave the folder out", Severity::Warning};
constexpr DiagnosticKind kNoFolder{"plugin.no-folder", DiagnosticClass::User, "plugin folder '{0}' cannot be read: {1}",
                                   "correct --plugin-path or TANGRAM_PLUGIN_PATH", Severity::Warning};

constexpr std::string_view kPrefix = "libtangram-", kSuffix = ".so";
constexpr std::string_view kLeftOutSuffix = ".left-out"; // instead, where the plugin was not built

bool isPluginFile(const fs::path &path) {
  std::string name = path.filename().string();
  return name.size() > kPrefix.size() + kSuffix.size() && name.starts_with(kPrefix) && name.ends_with(kSuffix) &&
         name != "libtangram-core.so";
}

std::vector<std::string> pluginFiles(const fs::path &folder) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (isPluginFile(it->path())) result.push_back(it->path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

/// What tangram_leave_out() has written instead of plugins: why, and in the next line what to do.
void readLeftOut(const fs::path &folder, Registry &registry) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kLeftOutSuffix)) continue;
    name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kLeftOutSuffix.size());
    std::ifstream in(it->path());
    LeftOut reason;
    if (std::getline(in, reason.why) && std::getline(in, reason.advice)) registry.addLeftOut(name, reason);
  }
}

bool isStale(const Diagnostic &diagnostic) {
  for (const DiagnosticKind &kind : {kApiVersion, kStructSize, kOtherBuildId})
    if (diagnostic.id == kind.id) return true;
  return false;
}

/// What the message of a stale plugin says of it, without its name: the same for all that are stale in the same way.
std::string predicate(const Diagnostic &diagnostic, const fs::path &path) {
  std::string subject = fmt::format("plugin '{}' ", path.string());
  return diagnostic.message.starts_with(subject) ? diagnostic.message.substr(subject.size()) : diagnostic.message;
}

/// The reason alone out of what Boost.DLL wraps around the loader's message.
std::string reason(const boost::system::system_error &error) {
  std::string what = error.what();
  constexpr std::string_view before = "(dlerror system message: ";
  if (std::size_t at = what.find(before); at != std::string::npos) {
    what.erase(0, at + before.size());
    if (std::size_t end = what.rfind(')'); end != std::string::npos) what.erase(end);
  }
  return what;
}

} // namespace

struct PluginLoader::Impl {
  struct Library {
    boost::dll::shared_library handle;
    LoadedPlugin info;
  };
  std::vector<std::unique_ptr<Library>> libraries; // LoadedPlugin addresses are handed out
  std::vector<LoadedPlugin> infos;

  const LoadedPlugin *find(const std::string &name) const {
    for (const LoadedPlugin &info : infos)
      if (info.name == name) return &info;
    return nullptr;
  }

  const TangramPlugin &open(const fs::path &path, boost::dll::shared_library &library);
  /// Null where a plugin of this name is loaded already and `skipLoaded`.
  const LoadedPlugin *load(const fs::path &path, Registry &registry, bool skipLoaded);
};

const TangramPlugin &PluginLoader::Impl::open(const fs::path &path, boost::dll::shared_library &library) {
  std::string shownPath = path.string();
  std::error_code error;
  if (!fs::exists(path, error)) {
    std::vector<std::string> there = pluginFiles(path.parent_path());
    fail(kMissing, {}, shown(shownPath),
         there.empty() ? "check the path" : "use " + suggest(path.filename().string(), there));
  }
  if (!fs::is_regular_file(path, error)) fail(kNotALibrary, {}, shownPath, "it is not a file");
  if (std::string why = notALibrary(path); !why.empty()) fail(kNotALibrary, {}, shownPath, why);
  try {
    // At once and completely: a missing symbol is an error now, not in the middle of a compilation.
    library.load(boost::dll::fs::path(fs::absolute(path).string()),
                 boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const boost::system::system_error &failure) {
    fail(kNotALibrary, {}, shownPath, reason(failure));
  }
  if (!library.has(TANGRAM_ENTRY_SYMBOL)) fail(kNoEntry, {}, shownPath, TANGRAM_ENTRY_SYMBOL);

  const TangramPlugin *plugin = library.get<const TangramPlugin *()>(TANGRAM_ENTRY_SYMBOL)();
  if (!plugin) fail(kNoStruct, {}, shownPath, fmt::format("{}() returned null", TANGRAM_ENTRY_SYMBOL));
  // The two numbers come first in every version of the struct; the rest is read only when they are right.
  if (plugin->apiVersion != kPluginApiVersion) fail(kApiVersion, {}, shownPath, plugin->apiVersion, kPluginApiVersion);
  if (plugin->structSize != sizeof(TangramPlugin))
    fail(kStructSize, {}, shownPath, plugin->structSize, kPluginApiVersion, sizeof(TangramPlugin));
  if (!plugin->buildId) fail(kNoStruct, {}, shownPath, "its build id is null");
  if (std::string_view(plugin->buildId) != coreBuildId())
    fail(kOtherBuildId, {}, shownPath, shown(plugin->buildId), coreBuildId());
  if (!plugin->name || !*plugin->name) fail(kNoStruct, {}, shownPath, "it has no name");
  if (!plugin->version || !*plugin->version) fail(kNoStruct, {}, shownPath, "it has no version");
  if (!plugin->summary || !*plugin->summary) fail(kNoStruct, {}, shownPath, "it has no summary");
  if (!plugin->registerAll) fail(kNoStruct, {}, shownPath, "its registration function is null");
  return *plugin;
}

const LoadedPlugin *PluginLoader::Impl::load(const fs::path &path, Registry &registry, bool skipLoaded) {
  auto library = std::make_unique<Library>();
  const TangramPlugin &plugin = open(path, library->handle);
  library->info = {plugin.name, plugin.version, plugin.summary, path};
  if (const LoadedPlugin *other = find(plugin.name)) {
    if (skipLoaded) return nullptr;
    fail(kDuplicate, {}, plugin.name, path.string(), other->path.string());
  }

  // All or nothing: what a plugin registered before it failed would point into a library that is gone. Texts are
  // copied out of the exception, whose class may live in the library too.
  Registry trial = registry;
  std::optional<Diagnostic> failure;
  std::string thrown;
  try {
    trial.setPlugin(plugin.name);
    plugin.registerAll(trial);
  } catch (const DiagnosticError &error) {
    failure = error.diagnostic;
  } catch (const std::exception &error) {
    thrown = fmt::format("it threw \"{}\"", shown(error.what()));
  } catch (...) {
    thrown = "it threw something that is not a std::exception";
  }
  if (failure) {
    failure->notes.push_back({{}, fmt::format("while loading plugin '{}' ({})", plugin.name, path.string())});
    trial = Registry();
    throw DiagnosticError(std::move(*failure));
  }
  if (!thrown.empty()) {
    Diagnostic diagnostic = makeDiagnostic(kThrew, {}, plugin.name, path.string(), thrown);
    trial = Registry();
    throw DiagnosticError(std::move(diagnostic));
  }
  trial.setPlugin("");
  registry = std::move(trial);
  infos.push_back(library->info);
  libraries.push_back(std::move(library));
  return &libraries.back()->info;
}

PluginLoader::PluginLoader() : impl_(std::make_unique<Impl>()) {}
PluginLoader::~PluginLoader() = default;

std::vector<fs::path> PluginLoader::searchPath(const std::vector<fs::path> &extra) {
  std::vector<fs::path> result;
  auto add = [&](const fs::path &folder) {
    if (!folder.empty() && std::find(result.begin(), result.end(), folder) == result.end()) result.push_back(folder);
  };
  for (const fs::path &folder : extra) add(folder);
  if (const char *path = std::getenv("TANGRAM_PLUGIN_PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find(':'), rest.size());
      add(fs::path(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::error_code error;
  fs::path core = fs::canonical(fs::path(boost::dll::this_line_location().string()), error);
  if (!error)
    if (fs::path own = core.parent_path() / "tangram" / "plugins"; fs::is_directory(own, error)) add(own);
  return result;
}

const LoadedPlugin &PluginLoader::load(const fs::path &library, Registry &registry) {
  return *impl_->load(library, registry, false);
}

void PluginLoader::loadAll(const std::vector<fs::path> &folders, Registry &registry, DiagnosticEngine &diags) {
  std::vector<std::string> seen; // an earlier folder's file hides a later one's of the same name
  for (const fs::path &folder : folders) {
    std::error_code error;
    if (fs::directory_iterator probe(folder, error); error) {
      diags.report(kNoFolder, {}, folder.string(), error.message());
      continue;
    }
    readLeftOut(folder, registry);
    auto refuse = [&](const std::string &file, const Diagnostic &diagnostic) {
      auto handle = diags.report(kNotUsable, {}, diagnostic.message, diagnostic.advice);
      for (const Note &note : diagnostic.notes) handle.note(note.range, note.message);
      registry.addFailure(fmt::format("{}: {}", (folder / file).string(), diagnostic.message));
    };
    struct Stale {
      std::string file;
      Diagnostic diagnostic;
    };
    std::map<std::string, std::vector<Stale>> stale; // by what is wrong with them
    for (const std::string &file : pluginFiles(folder)) {
      if (std::find(seen.begin(), seen.end(), file) != seen.end()) continue;
      seen.push_back(file);
      try {
        impl_->load(folder / file, registry, true);
      } catch (const DiagnosticError &failure) {
        if (isStale(failure.diagnostic))
          stale[predicate(failure.diagnostic, folder / file)].push_back({file, failure.diagnostic});
        else
          refuse(file, failure.diagnostic);
      }
    }
    // A folder that an older tangram's build left is one mistake, not one a plugin.
    for (const auto &[why, plugins] : stale) {
      if (plugins.size() == 1) {
        refuse(plugins[0].file, plugins[0].diagnostic);
        continue;
      }
      constexpr std::size_t most = 5;
      std::string names;
      for (std::size_t i = 0; i < std::min(most, plugins.size()); ++i) names += (i ? ", " : "") + plugins[i].file;
      if (plugins.size() > most) names += fmt::format(" and {} more", plugins.size() - most);
      diags.report(kStale, {}, plugins.size(), folder.string(), why).note({}, fmt::format("these are {}", names));
      registry.addFailure(fmt::format("{} of the plugins in '{}': each {}", plugins.size(), folder.string(), why));
    }
  }
}

const std::vector<LoadedPlugin> &PluginLoader::loaded() const { return impl_->infos; }

} // namespace tangram

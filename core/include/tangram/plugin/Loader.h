// Finds and loads plugins (Boost.DLL).
#pragma once

#include "tangram/plugin/Registry.h"

#include <filesystem>
#include <memory>

namespace tangram {

struct LoadedPlugin {
  std::string name, version, summary;
  std::filesystem::path path;
};

/// Keeps the libraries loaded as long as it lives; destroy it after everything that they registered.
class PluginLoader {
public:
  PluginLoader();
  ~PluginLoader();

  /// Folders searched: `extra`, $TANGRAM_PLUGIN_PATH (colon-separated), the build or install tree's own.
  static std::vector<std::filesystem::path> searchPath(const std::vector<std::filesystem::path> &extra);

  /// Loads one library. Throws DiagnosticError that says the path, the reason (not there, not a library, no entry,
  /// struct size, API version, build id: both values, registration threw what) and what to do.
  const LoadedPlugin &load(const std::filesystem::path &library, Registry &registry);
  /// Loads every libtangram-*.so of the folders, in the order of their names; a name loaded already is left out.
  /// One that cannot be loaded is reported as a warning, and is an error when a target asks for what it has.
  void loadAll(const std::vector<std::filesystem::path> &folders, Registry &registry, DiagnosticEngine &diags);

  const std::vector<LoadedPlugin> &loaded() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tangram

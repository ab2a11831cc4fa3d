#include "Toolchain.h"

#include "Messages.h"

#include <boost/dll/runtime_symbol_info.hpp>
#include <clang/Basic/Version.h>
#include <cstdlib>
#include <filesystem>

namespace tangram::frontend {
namespace {

namespace fs = std::filesystem;

std::string first(const std::vector<fs::path> &candidates, const fs::path &below, const char *variable) {
  std::string tried;
  for (const fs::path &folder : candidates) {
    std::error_code error;
    if (!folder.empty() && fs::exists(folder / below, error)) return folder.lexically_normal().string();
    if (!folder.empty()) tried += (tried.empty() ? "" : ", ") + folder.lexically_normal().string();
  }
  fail(kMissingFiles, {}, below.string(), tried, variable);
}

/// What the user set is taken alone: a wrong value must not be covered up.
std::vector<fs::path> unlessSet(const char *variable, std::vector<fs::path> candidates) {
  const char *value = std::getenv(variable);
  if (value && *value) return {value};
  return candidates;
}

fs::path folderOf(const boost::dll::fs::path &library) { return fs::path(library.string()).parent_path(); }

} // namespace

std::string languageInclude() {
  fs::path plugin = folderOf(boost::dll::this_line_location());
  return first(unlessSet("TANGRAM_INCLUDE", {plugin / "../../../include", plugin / "../../../../include"}),
               "tangram/tangram.h", "TANGRAM_INCLUDE");
}

std::string clangResources() {
  fs::path library = folderOf(boost::dll::symbol_location_ptr(reinterpret_cast<void *>(&clang::getClangFullVersion)));
  return first(unlessSet("TANGRAM_CLANG_RESOURCE_DIR",
                         {TANGRAM_CLANG_RESOURCE_DIR, library / "clang" / CLANG_VERSION_MAJOR_STRING,
                          library / "../lib/clang" / CLANG_VERSION_MAJOR_STRING,
                          library / ("../llvm-" CLANG_VERSION_MAJOR_STRING "/lib/clang/" CLANG_VERSION_MAJOR_STRING)}),
               "include/stddef.h", "TANGRAM_CLANG_RESOURCE_DIR");
}

} // namespace tangram::frontend

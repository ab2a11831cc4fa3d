#include "PrecompiledPreamble.h"

#include "CompilerProcess.h"
#include "TextFile.h"
#include "tangram/c-family/Compiler.h"
#include "tangram/process/Cleanup.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace tangram::c_family {
namespace fs = std::filesystem;
namespace {

/// Of each compiler and each set of flags one, of about 50 MB.
constexpr std::size_t kKept = 16;

/// What any of the sources, or its header, includes of the standard library: a few more take no time, and there is one
/// preamble where there would be a dozen.
constexpr const char *kStandard[] = {"#include <algorithm>",        "#include <cmath>",      "#include <cstdarg>",
                                     "#include <cstdio>",           "#include <cstdlib>",    "#include <cstring>",
                                     "#include <initializer_list>", "#include <iterator>",   "#include <limits>",
                                     "#include <stdexcept>",        "#include <type_traits>"};

fs::path cacheFolder() {
  if (const char *own = std::getenv("TANGRAM_CACHE")) return *own ? fs::path(own) : fs::path();
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "tangram";
  const char *home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".cache" / "tangram" : fs::path();
}

/// Path, size and time of the program; empty where there is none.
std::string identity(const std::string &compiler) {
  const std::optional<fs::path> found = findProgram(compiler);
  if (!found) return {};
  std::error_code none;
  const fs::path file = fs::canonical(*found, none);
  const auto size = fs::file_size(file, none);
  return fmt::format("{} {} {}", file.string(), size, fs::last_write_time(file, none).time_since_epoch().count());
}

/// The files in what compilers write for make: `TARGET: FILE FILE \` and so on, blanks in names behind a backslash.
std::vector<fs::path> dependencies(const std::string &text) {
  std::vector<fs::path> files;
  std::string name;
  for (std::size_t i = std::min(text.find(": "), text.size() - 1) + 1; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size();
    if (escaped && (text[i + 1] == ' ' || text[i + 1] == '\\')) {
      name += text[++i];
    } else if (std::isspace(static_cast<unsigned char>(text[i])) || (escaped && text[i + 1] == '\n')) {
      if (!name.empty()) files.emplace_back(std::exchange(name, {}));
    } else {
      name += text[i];
    }
  }
  if (!name.empty()) files.emplace_back(name);
  return files;
}

/// One process makes what others then use; the system lets go of it when the process ends.
class Lock {
public:
  explicit Lock(const fs::path &file) : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {}
  ~Lock() {
    if (file_ >= 0) close(file_);
  }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  /// Does not wait.
  bool taken() const { return file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0; }

private:
  int file_;
};

class Entry {
public:
  Entry(fs::path folder, std::string key) : folder_(std::move(folder)), key_(std::move(key)) {}
  fs::path header() const { return folder_ / "preamble.h"; }

  /// Whether it is there, of this compiler and these flags, and no header that went into it has changed since.
  bool valid() const {
    std::error_code none;
    const auto made = fs::last_write_time(compiled(folder_), none);
    if (none || readText(folder_ / "key") != key_) return false;
    for (const fs::path &file : dependencies(readText(folder_ / "preamble.d"))) {
      if (file.filename() == header().filename()) continue; // as it was called while it was made
      const auto changed = fs::last_write_time(file, none);
      if (none || changed > made) return false;
    }
    return true;
  }

  /// In its place, since Clang looks for a header where it was when it was precompiled; the key, without which nothing
  /// is valid, comes last.
  bool make(const std::string &compiler, const std::vector<std::string> &flags, const std::string &directives,
            const std::function<bool()> &cancelled) const {
    std::error_code failed;
    fs::remove_all(folder_, failed);
    if (fs::create_directories(folder_, failed); failed) return false;
    runtime::removeAtEnd(folder_);
    std::ofstream(header(), std::ios::binary) << directives;
    std::vector<std::string> args = flags;
    for (const std::string &arg :
         {std::string("-x"), std::string("c++-header"), header().string(), std::string("-MD"), std::string("-MF"),
          (folder_ / "preamble.d").string(), std::string("-o"), compiled(folder_).string()})
      args.push_back(arg);
    CompilerProcess process;
    const bool done = process.start(compiler, args, folder_ / "log") == 0 && process.wait(cancelled) == 0 &&
                      fs::exists(compiled(folder_), failed);
    if (done)
      std::ofstream(folder_ / "key", std::ios::binary) << key_;
    else
      fs::remove_all(folder_, failed);
    runtime::dropFolder(folder_);
    return done;
  }

  /// Those that were not used for the longest time go.
  void prune() const {
    std::error_code none;
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    for (const auto &entry : fs::directory_iterator(folder_.parent_path(), none))
      if (fs::exists(entry.path() / "key", none))
        entries.emplace_back(fs::last_write_time(entry.path() / "key", none), entry.path());
    std::sort(entries.rbegin(), entries.rend());
    for (std::size_t i = kKept; i < entries.size(); ++i) fs::remove_all(entries[i].second, none);
  }
  void used() const {
    std::error_code none;
    fs::last_write_time(folder_ / "key", fs::file_time_type::clock::now(), none);
  }

private:
  static fs::path compiled(const fs::path &folder) { return folder / "preamble.h.gch"; }

  fs::path folder_;
  std::string key_;
};

} // namespace

std::string preamble(const std::string &source) {
  std::istringstream lines(source);
  std::string all, done;
  int depth = 0;
  bool some = false;
  std::set<std::string> standard(std::begin(kStandard), std::end(kStandard));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::string_view said =
        begin == std::string::npos ? std::string_view() : std::string_view(line).substr(begin);
    if (said.empty() || said.starts_with("//")) continue;
    if (!said.starts_with('#') || said.ends_with('\\')) break;
    if (said.starts_with("#if")) ++depth;
    if (said.starts_with("#endif")) --depth;
    if (!said.starts_with("#include \"") && (depth > 0 || !standard.contains(line))) all += line + "\n";
    if (depth > 0) continue;
    some = true;
    done = all;
  }
  return !some ? "" : fmt::format("{}{}\n", done, fmt::join(kStandard, "\n"));
}

std::optional<fs::path> precompiledPreamble(const std::string &compiler, const std::vector<std::string> &flags,
                                            const std::string &directives, const std::function<bool()> &cancelled) {
  const fs::path cache = cacheFolder();
  const std::string who = identity(compiler);
  if (cache.empty() || who.empty() || directives.empty()) return std::nullopt;
  const std::string key = fmt::format("{}\n{}\n{}", who, fmt::join(flags, "\n"), directives);
  const fs::path folder = cache / "precompiled";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return std::nullopt;
  const std::string name = fmt::format("{:016x}", std::hash<std::string>{}(key));
  const Entry entry(folder / name, key);
  if (!entry.valid()) {
    const Lock lock(folder / (name + ".lock"));
    if (!lock.taken() || !entry.make(compiler, flags, directives, cancelled)) return std::nullopt;
    entry.prune();
  }
  entry.used();
  return entry.header();
}

} // namespace tangram::c_family

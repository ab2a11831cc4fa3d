// Where targets are found, and what a file that extends others becomes.
#include "RawTarget.h"

#include <algorithm>
#include <boost/dll/runtime_symbol_info.hpp>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace tangram::hardware {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxExtends = 16;

constexpr DiagnosticKind kUnknownTarget{"target.unknown", DiagnosticClass::User, "there is no target '{0}'",
                                        "use {1}, or the path of a YAML file; looked in {2}"};
constexpr DiagnosticKind kUnreadable{"target.unreadable", DiagnosticClass::User,
                                     "target file '{0}' cannot be read: {1}",
                                     "give a file, or the name of a target; `tangram targets` lists them"};
constexpr DiagnosticKind kExtendsItself{"target.extends-itself", DiagnosticClass::User,
                                        "the target extends itself: {0}", "let one of them stand by itself"};
constexpr DiagnosticKind kExtendsTooFar{"target.extends-too-far", DiagnosticClass::User,
                                        "targets extend each other more than {0} times", "extend fewer"};
constexpr DiagnosticKind kUnknownPipeline{"target.unknown-pipeline", DiagnosticClass::User,
                                          "there is no pipeline '{0}'",
                                          "use {1}, or the path of a YAML file; looked in {2}"};
constexpr DiagnosticKind kUsesItself{"target.uses-itself", DiagnosticClass::User, "the pipeline uses itself: {0}",
                                     "let one of them stand by itself"};

bool isYaml(const fs::path &path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

bool isPath(const std::string &nameOrPath) {
  return nameOrPath.find('/') != std::string::npos || isYaml(fs::path(nameOrPath));
}

/// Files of the path, or of a folder below, that may be targets, by name; an earlier folder's hide a later one's.
std::map<std::string, fs::path> candidates(const char *below = "") {
  std::map<std::string, fs::path> result;
  for (const fs::path &folder : targetPath()) {
    std::error_code error;
    for (fs::directory_iterator it(folder / below, error), end; !error && it != end; it.increment(error))
      if (it->path().extension() == ".yaml") result.emplace(it->path().stem().string(), it->path());
  }
  return result;
}

std::string readFile(const fs::path &path, ast::SourceRange where) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail(kUnreadable, where, shown(path.string()), "it does not exist");
  if (!fs::is_regular_file(status)) fail(kUnreadable, where, shown(path.string()), "it is not a file");
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || !text) fail(kUnreadable, where, shown(path.string()), "reading it fails");
  return text.str();
}

/// What stands in TANGRAM_HW_PATH and its like: targets, or in a folder below them pipelines.
struct Kind {
  const char *folder;
  const DiagnosticKind &unknown, &usesItself;
};
const Kind kTarget{"", kUnknownTarget, kExtendsItself}, kPipeline{"pipelines", kUnknownPipeline, kUsesItself};

fs::path resolveName(const Kind &kind, const std::string &name, ast::SourceRange where,
                     const std::vector<fs::path> &without) {
  std::vector<fs::path> folders = targetPath();
  for (fs::path &folder : folders) folder /= kind.folder;
  bool skipped = false;
  if (!name.empty() && name.find('\0') == std::string::npos)
    for (const fs::path &folder : folders) {
      fs::path path = folder / (name + ".yaml");
      std::error_code error;
      if (!fs::exists(path, error)) continue;
      fs::path canonical = fs::weakly_canonical(path, error);
      if (std::find(without.begin(), without.end(), canonical) == without.end()) return path;
      skipped = true;
    }
  if (skipped) fail(kind.usesItself, where, name);
  std::vector<std::string> known, looked;
  for (const auto &candidate : candidates(kind.folder)) known.push_back(candidate.first);
  for (const fs::path &folder : folders) looked.push_back(folder.string());
  fail(kind.unknown, where, shown(name), suggest(name, known),
       looked.empty() ? "no folder: none is there" : fmt::format("{}", fmt::join(looked, ", ")));
}

/// The file that `named` builds on; `chain`: the files that build on it, outermost first.
fs::path baseOf(const Kind &kind, const Given<std::string> &named, const fs::path &path, std::vector<fs::path> &chain) {
  std::error_code error;
  chain.push_back(fs::weakly_canonical(path, error));
  const std::string &wanted = named.value;
  fs::path base;
  if (!isPath(wanted))
    base = resolveName(kind, wanted, named.range, chain);
  else
    base = fs::path(wanted).is_absolute() ? fs::path(wanted) : path.parent_path() / wanted;
  if (std::find(chain.begin(), chain.end(), fs::weakly_canonical(base, error)) != chain.end()) {
    std::string names;
    for (const fs::path &file : chain) names += file.filename().string() + " -> ";
    fail(kind.usesItself, named.range, names + base.filename().string());
  }
  if (chain.size() > kMaxExtends) fail(kExtendsTooFar, named.range, kMaxExtends);
  return base;
}

/// Says of what goes wrong in another file where that was named.
template <class F> auto namedAt(ast::SourceRange where, const char *how, F &&read) {
  try {
    return read();
  } catch (DiagnosticError &failure) {
    if (failure.diagnostic.range.file != where.file) failure.diagnostic.notes.push_back({where, how});
    throw;
  }
}

/// With what it uses.
RawPipeline whole(RawPipeline raw, const fs::path &path, ast::Arena &arena, std::vector<fs::path> chain) {
  if (!raw.use.given) return raw;
  fs::path base = baseOf(kPipeline, raw.use, path, chain);
  return namedAt(raw.use.range, "used from here", [&] {
    std::string text = readFile(base, raw.use.range);
    RawPipeline used = readPipeline(Yaml::parse(text, arena.internFile(base.string())), false);
    return merge(std::move(raw), whole(std::move(used), base, arena, chain));
  });
}

/// `chain`: the files that extend this one, outermost first.
RawTarget readRaw(std::string_view text, const fs::path &path, ast::Arena &arena, std::vector<fs::path> &chain) {
  RawTarget raw = readTarget(Yaml::parse(text, arena.internFile(path.string())));
  if (raw.pipeline.given) raw.pipeline.value = whole(std::move(raw.pipeline.value), path, arena, {});
  if (!raw.extends.given) return raw;
  fs::path base = baseOf(kTarget, raw.extends, path, chain);
  return namedAt(raw.extends.range, "extended from here", [&] {
    RawTarget baseRaw = readRaw(readFile(base, raw.extends.range), base, arena, chain);
    raw.env.push_back(base.stem().string());
    return merge(std::move(raw), baseRaw);
  });
}

} // namespace

std::vector<fs::path> targetPath() {
  std::vector<fs::path> result;
  auto add = [&](const fs::path &folder) {
    std::error_code error;
    if (!folder.empty() && fs::is_directory(folder, error) &&
        std::find(result.begin(), result.end(), folder) == result.end())
      result.push_back(folder);
  };
  if (const char *path = std::getenv("TANGRAM_HW_PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) add(folder);
  }
  // Beside the library: share/ of the build tree or the prefix, also where libraries lie in lib/ARCHITECTURE.
  std::error_code error;
  fs::path core = fs::canonical(fs::path(boost::dll::this_line_location().string()), error);
  if (!error)
    for (fs::path up = core.parent_path(); const char *level : {"lib", "architecture"}) {
      (void)level;
      up = up.parent_path();
      add(up / "share" / "tangram" / "hw");
    }
  return result;
}

std::vector<TargetInfo> listTargets() {
  std::vector<TargetInfo> result;
  for (const auto &[name, path] : candidates()) {
    try {
      ast::Arena arena;
      Target target = loadTarget(path.string(), arena);
      result.push_back({target.name, target.summary, path});
    } catch (const DiagnosticError &) {
      continue; // left out: whoever asks for it by name is told why
    }
  }
  return result;
}

Target loadTarget(const std::string &nameOrPath, ast::Arena &arena) {
  fs::path path = isPath(nameOrPath) ? fs::path(nameOrPath) : resolveName(kTarget, nameOrPath, {}, {});
  return parseTarget(readFile(path, {}), path, arena);
}

Target parseTarget(std::string_view yaml, const fs::path &path, ast::Arena &arena) {
  std::vector<fs::path> chain;
  return finish(readRaw(yaml, path, arena, chain), path);
}

} // namespace tangram::hardware

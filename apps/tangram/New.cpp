// tangram new plugin, tangram new app
#include "Driver.h"
#include "Templates.h"

#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kBadName{"new.bad-name", DiagnosticClass::User, "'{0}' is no name for this",
                                  "use lower-case letters, digits and dashes, a letter first: my-heuristic"};
constexpr DiagnosticKind kBadKind{"new.bad-kind", DiagnosticClass::User, "there is no kind of plugin '{0}'", "use {1}"};
constexpr DiagnosticKind kExists{"new.exists", DiagnosticClass::User, "'{0}' is there already",
                                 "choose another name, or remove it"};

void replaceAll(std::string &text, const std::string &what, const std::string &by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

bool goodName(const std::string &name) {
  if (name.empty() || name[0] < 'a' || name[0] > 'z' || name.back() == '-') return false;
  return name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos &&
         name.find("--") == std::string::npos;
}

/// my-heuristic: MyHeuristic, my_heuristic.
std::string className(const std::string &name) {
  std::string result;
  bool upper = true;
  for (char c : name) {
    if (c != '-') result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '-';
  }
  return result;
}

/// A name that C++ or the header does not have.
std::string identifierOf(std::string name) {
  replaceAll(name, "-", "_");
  static const std::set<std::string> taken{
      "auto",     "bool",      "break",    "case",   "catch",    "char",     "class",  "const",   "continue", "default",
      "delete",   "do",        "double",   "else",   "enum",     "export",   "extern", "false",   "float",    "for",
      "friend",   "goto",      "if",       "inline", "int",      "long",     "map",    "main",    "mutable",  "new",
      "operator", "partition", "private",  "public", "return",   "sequence", "short",  "signed",  "sizeof",   "static",
      "struct",   "switch",    "template", "this",   "throw",    "true",     "try",    "typedef", "typename", "union",
      "unsigned", "using",     "virtual",  "void",   "volatile", "while",    "max",    "abs",     "atomic"};
  return taken.count(name) ? name + "_" : name;
}

/// Where this driver lies; empty where that cannot be told.
std::filesystem::path ownFolder() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec).parent_path();
}

bool isOnPath(const std::filesystem::path &folder) {
  const char *path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  std::error_code ec;
  for (std::string one; std::getline(folders, one, ':');)
    if (std::filesystem::equivalent(one, folder, ec) && !ec) return true;
  return folder.empty();
}

int create(const std::string &kind, const std::string &name) {
  if (!goodName(name)) fail(kBadName, {}, name);
  std::filesystem::path folder = name;
  std::error_code ec;
  if (std::filesystem::exists(folder, ec)) fail(kExists, {}, folder.string());
  for (const auto &[path, text] : templates()) {
    if (!path.starts_with(kind + "/")) continue;
    std::string file = path.substr(kind.size() + 1), body = text;
    replaceAll(file, "CLASS", className(name));
    replaceAll(file, "NAME", name);
    replaceAll(body, "@NAME@", name);
    replaceAll(body, "@CLASS@", className(name));
    replaceAll(body, "@IDENT@", identifierOf(name));
    writeFile(folder / file, body);
    std::cout << (folder / file).string() << "\n";
  }
  std::cout << fmt::format("{} says what to do with it\n", (folder / "README.md").string());
  if (std::filesystem::path bin = ownFolder(); !isOnPath(bin))
    std::cout << fmt::format("its commands need tangram on the path: export PATH={}:$PATH\n", bin.string());
  return 0;
}

} // namespace

void addNew(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("new", "Make a folder to start from");
  sub->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  auto kind = std::make_shared<std::string>("heuristic");
  CLI::App *plugin = sub->add_subcommand("plugin", "A plugin that builds, inside Tangram's tree or outside");
  plugin->add_option("NAME", *name, "Of the plugin and of the folder")->required();
  plugin->add_option("--kind,-k", *kind, "heuristic (default), pass, analysis, expander, frontend or backend")
      ->type_name("KIND");
  plugin->footer("Example:\n  tangram new plugin my-heuristic --kind heuristic");
  plugin->callback([&driver, name, kind] {
    driver.command = [name, kind] {
      static const std::vector<std::string> kinds{"heuristic", "pass", "analysis", "expander", "frontend", "backend"};
      if (std::find(kinds.begin(), kinds.end(), *kind) == kinds.end()) fail(kBadKind, {}, *kind, suggest(*kind, kinds));
      return create(*kind, *name);
    };
  });
  CLI::App *program = sub->add_subcommand("app", "A program: codelets, and a main that calls them");
  program->add_option("NAME", *name, "Of the program and of the folder")->required();
  program->footer("Example:\n  tangram new app histogram");
  program->callback([&driver, name] { driver.command = [name] { return create("app", *name); }; });
}

} // namespace tangram::driver

#include "Driver.h"

#include "tangram/process/Cleanup.h"
#include "tangram/verify/ArgumentSpec.h"

#include "tangram/plugin/Plugin.h"
#include "tangram/tune/Tuner.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <unistd.h>
#include <utility>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kNoFolder{"driver.no-folder", DiagnosticClass::User,
                                   "-o -: several files are written, which cannot go to standard output",
                                   "name a folder: -o out"};
constexpr DiagnosticKind kExpectForm{"driver.expect-form", DiagnosticClass::User, "--expect '{0}' has no name",
                                     "write --expect NAME=SIZES, for one --expect a=512Kx128"};
constexpr DiagnosticKind kExpectName{"driver.expect-name", DiagnosticClass::User,
                                     "--expect: no spectrum has a container or whole number '{0}' as parameter",
                                     "use {1}"};
constexpr DiagnosticKind kExpectRank{"driver.expect-rank", DiagnosticClass::User,
                                     "--expect '{0}': '{1}' has not {2} dimensions", "write one size for each"};
constexpr DiagnosticKind kUnreadable{"driver.unreadable", DiagnosticClass::User, "file '{0}' cannot be read",
                                     "check the path"};
constexpr DiagnosticKind kUnwritable{"driver.unwritable", DiagnosticClass::User, "file '{0}' cannot be written",
                                     "check the folder, or choose another with -o"};
constexpr DiagnosticKind kUnknownSpectrum{"driver.unknown-spectrum", DiagnosticClass::User,
                                          "the program has no spectrum '{0}'", "use {1}"};
constexpr DiagnosticKind kUnknownPass{"driver.unknown-pass", DiagnosticClass::User,
                                      "--print-after: there is no pass '{0}'", "use {1}, or change, fail or all"};
constexpr DiagnosticKind kPlanElsewhere{"driver.plan-elsewhere", DiagnosticClass::User,
                                        "plan file '{0}' is for spectrum '{1}', which --spectrum does not name",
                                        "add --spectrum {1}, or leave the plan out"};
constexpr DiagnosticKind kTwoPlans{"driver.two-plans", DiagnosticClass::User, "there are two plans for spectrum '{0}'",
                                   "give one plan a spectrum"};
constexpr DiagnosticKind kNoPlanIn{"driver.no-plan-in-file", DiagnosticClass::User, "'{0}' holds no plan",
                                   "print one with `tangram compile FILE --target T --emit plan`"};
constexpr DiagnosticKind kOtherDevice{"driver.other-device", DiagnosticClass::User,
                                      "plan file '{0}': the plan was tuned on device '{1}', and here is '{2}'",
                                      "it is used; tune here to be sure that it is fast", Severity::Warning};
constexpr DiagnosticKind kOtherCompiler{"driver.other-compiler", DiagnosticClass::User,
                                        "plan file '{0}': the plan was tuned with compiler '{1}', and here is '{2}'",
                                        "it is used; tune with this compiler to be sure that it is fast",
                                        Severity::Warning};
constexpr DiagnosticKind kBadColor{"driver.bad-color", DiagnosticClass::User, "--color cannot be '{0}'",
                                   "use auto, always or never"};
constexpr DiagnosticKind kOutOfMemory{"driver.out-of-memory", DiagnosticClass::Limitation, "there is not enough memory",
                                      "ask for less: smaller arguments, fewer plans"};

constexpr DiagnosticKind kStandIn{"driver.stand-in", DiagnosticClass::User,
                                  "{0}: what is built is made by the backend '{1}'",
                                  "ask for it, --backend {1}, or install the compiler", Severity::Warning};

/// What needs no compiler.
constexpr const char *kStandInName = "llvm-cpu";

std::string quoted(const std::string &word) {
  bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                       "_-+=./:,@%") == std::string::npos;
  if (plain) return word;
  std::string result = "'";
  for (char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// A plan file may hold several, each from a line "plan ..." on; lines before it keep their numbers. Comments may stand
/// before the first.
std::vector<std::string> splitPlans(const std::string &text) {
  std::vector<std::string> parts;
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.starts_with("plan ") || parts.empty()) {
      std::size_t begin = line.find_first_not_of(" \t\r");
      if (begin != std::string::npos && line[begin] != '#') parts.push_back(std::string(lines, '\n'));
    }
    if (!parts.empty()) parts.back() += line + "\n";
    ++lines;
    at = end + 1;
  }
  return parts;
}

/// The containers and whole numbers that spectrums have as parameters: their names, and how many sizes each may have.
using Containers = std::set<std::pair<std::string, std::size_t>>;

Containers containers(const ast::Module &module) {
  Containers all;
  for (const ast::Spectrum *spectrum : module.spectrums)
    for (const ast::Param *param : spectrum->params)
      if (param->type.rank() > 0 || param->type.isInteger()) all.emplace(param->name, std::max(1u, param->type.rank()));
  return all;
}

/// Whether a spectrum of one of these files has such a parameter. What is wrong with a file is said
/// where it is compiled itself.
bool isExpectedElsewhere(const std::string &name, std::size_t rank, const ProgramFlags &flags,
                         const CommonFlags &common) {
  for (const std::string &file : flags.also) try {
      SessionOptions options;
      for (const std::string &folder : common.pluginPath) options.pluginFolders.emplace_back(folder);
      Session other(std::move(options));
      other.setIncludes(flags.includes, flags.defines);
      other.open({file}, "");
      if (containers(other.written()).count({name, rank})) return true;
    } catch (const DiagnosticError &) {
      return true;
    } catch (const ErrorsReported &) {
      return true;
    }
  return false;
}

/// `--expect NAME=SIZES` by name; throws where no spectrum of the program, or of those beside it, has such a parameter.
ExpectedSizes readExpected(const ProgramFlags &flags, const CommonFlags &common, const ast::Module &written) {
  const Containers known = containers(written);
  ExpectedSizes result;
  for (const std::string &text : flags.expected) {
    std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) fail(kExpectForm, {}, text);
    std::string name = text.substr(0, equals);
    std::vector<std::uint64_t> sizes = runtime::parseSizes(text, text.substr(equals + 1));
    if (!known.count({name, sizes.size()})) {
      if (isExpectedElsewhere(name, sizes.size(), flags, common)) continue;
      std::set<std::string> names;
      for (const auto &[container, _] : known) names.insert(container);
      if (!names.count(name)) fail(kExpectName, {}, name, suggest(name, {names.begin(), names.end()}));
      fail(kExpectRank, {}, text, name, sizes.size());
    }
    result[name] = std::move(sizes);
  }
  return result;
}

} // namespace

Driver::Driver(int argc, char **argv) {
  for (int i = 0; i < argc; ++i) commandLine_ += (i ? " " : "") + quoted(argv[i]);
}

Session &Driver::session() {
  if (session_) return *session_;
  if (common.color != "auto" && common.color != "always" && common.color != "never") fail(kBadColor, {}, common.color);
  SessionOptions options;
  for (const std::string &folder : common.pluginPath) options.pluginFolders.emplace_back(folder);
  options.heuristic = common.heuristic;
  options.backend = common.backend;
  options.undecided = common.undecided;
  auto asked = [](const char *variable) {
    const char *value = std::getenv(variable);
    return value && *value && std::string_view(value) != "0";
  };
  options.checked = common.checked || asked("TANGRAM_CHECKED");
  options.verifyProperties = common.verifyProperties || asked("TANGRAM_VERIFY_PROPERTIES");
  if (const char *where = std::getenv("TANGRAM_CRASH_IN")) options.crashIn = where;
  const std::string &after = common.printAfter;
  if (after == "all")
    options.printAfter = PrintAfter::All;
  else if (after == "change")
    options.printAfter = PrintAfter::Change;
  else if (after == "fail")
    options.printAfter = PrintAfter::Fail;
  else if (!after.empty()) {
    options.printAfter = PrintAfter::Named;
    options.printAfterPass = after;
  }
  session_ = std::make_unique<Session>(std::move(options));
  if (!after.empty() && after != "all" && after != "change" && after != "fail" &&
      !session_->registry().passes.find(after))
    fail(kUnknownPass, {}, after, suggest(after, session_->registry().passes.names()));
  return *session_;
}

void Driver::names(const ProgramFlags &flags, std::set<std::string> &wanted, std::string &instances) {
  std::set<std::string> asked;
  for (const std::string &name : flags.spectrums)
    if (name != "all") asked.insert(name);
  wanted.insert(flags.spectrums.begin(), flags.spectrums.end());
  for (const std::string &file : flags.plans)
    for (const std::string &text : splitPlans(readFile(file))) {
      const std::string name = parsePlan(text, file, session().arena()).spectrum;
      wanted.insert(name);
      if (name.find('<') != std::string::npos) asked.insert(name);
    }
  instances = fmt::format("{}", fmt::join(asked, ";"));
}

Session &Driver::open(const ProgramFlags &flags) {
  Session &s = session();
  s.setIncludes(flags.includes, flags.defines);
  std::set<std::string> wanted;
  std::string instances;
  names(flags, wanted, instances);
  s.open({flags.files.begin(), flags.files.end()}, flags.target, instances);
  s.setWanted({wanted.begin(), wanted.end()}); // 'all' is none of the program's, so that all are
  if (!flags.expected.empty()) s.setExpected(readExpected(flags, common, s.written()));
  return s;
}

int Driver::withBackend(const std::string &name, const std::function<int()> &f) {
  std::unique_ptr<Session> before = std::exchange(session_, nullptr);
  const std::string asked = std::exchange(common.backend, name);
  try {
    return f();
  } catch (...) {
    session_ = std::move(before);
    common.backend = asked;
    throw;
  }
}

int Driver::building(const std::function<int()> &f) {
  try {
    return f();
  } catch (const DiagnosticError &e) {
    const bool can = common.backend.empty() && e.diagnostic.id.ends_with(".no-compiler") &&
                     session().registry().backends.find(kStandInName);
    if (!can) throw;
    int code = 0;
    try {
      code = withBackend(kStandInName, f);
    } catch (const DiagnosticError &) {
      throw e;
    } catch (const ErrorsReported &) {
      throw e;
    }
    show(makeDiagnostic(kStandIn, {}, e.diagnostic.message, kStandInName));
    return code;
  }
}

std::vector<std::string> Driver::spectrums(const ProgramFlags &flags) {
  Session &s = session();
  if (flags.spectrums.empty()) return s.entrySpectrums();
  std::vector<std::string> names, result;
  for (const ast::Spectrum *spectrum : s.module().spectrums) names.push_back(spectrum->name);
  auto isIn = [](const std::vector<std::string> &some, const std::string &name) {
    return std::find(some.begin(), some.end(), name) != some.end();
  };
  auto callable = [&] { // what expanders made is for their own calls
    std::set<std::string> written;
    for (const ast::Spectrum *spectrum : s.written().spectrums) written.insert(spectrum->name);
    std::vector<std::string> some = names;
    const auto &ranges = s.facts().races.ranges; // nor can what needs a range be called from outside
    std::erase_if(some, [&](const std::string &name) {
      return !written.count(name) ||
             std::any_of(ranges.begin(), ranges.end(), [&](const auto &range) { return range.first == name; });
    });
    return some;
  };
  for (const std::string &wanted : flags.spectrums) {
    if (!isIn(names, wanted)) {
      if (wanted == "all") return callable();
      fail(kUnknownSpectrum, {}, wanted, suggest(wanted, callable()));
    }
    if (!isIn(result, wanted)) result.push_back(wanted);
  }
  return result;
}

namespace {

/// What is not as it was when a plan was tuned, beside its source.
void compareMachine(Session &s, const Plan &plan, const std::string &file, std::optional<tune::Machine> &here) {
  if (plan.device.empty() && plan.compiler.empty()) return;
  if (!here) {
    here.emplace();
    if (!s.target().pipeline.backend.name.empty()) here = tune::machineAtHand(s, TANGRAM_VERSION);
  }
  if (!plan.device.empty() && !here->device.empty() && plan.device != here->device)
    s.diags().report(kOtherDevice, {}, file, plan.device, here->device);
  if (!plan.compiler.empty() && !here->compiler.empty() && plan.compiler != here->compiler)
    s.diags().report(kOtherCompiler, {}, file, plan.compiler, here->compiler);
}

} // namespace

std::vector<Plan> Driver::plans(const ProgramFlags &flags) {
  Session &s = session();
  std::optional<tune::Machine> here;
  std::map<std::string, Plan> given;
  std::vector<std::string> order;
  for (const std::string &file : flags.plans) {
    std::vector<std::string> parts = splitPlans(readFile(file));
    if (parts.empty()) fail(kNoPlanIn, {}, file);
    for (const std::string &text : parts) {
      Plan plan = parsePlan(text, file, s.arena());
      checkPlan(plan, s.module(), s.target().hardware, s.facts(), s.diags());
      compareMachine(s, plan, file, here);
      if (!flags.spectrums.empty()) {
        std::vector<std::string> wanted = spectrums(flags);
        if (std::find(wanted.begin(), wanted.end(), plan.spectrum) == wanted.end())
          fail(kPlanElsewhere, {}, file, plan.spectrum);
      }
      order.push_back(plan.spectrum);
      if (!given.emplace(plan.spectrum, plan).second) fail(kTwoPlans, {}, plan.spectrum);
    }
  }
  bool replayOnly = !flags.plans.empty() && flags.spectrums.empty();
  std::vector<Plan> result;
  for (const std::string &spectrum : replayOnly ? order : spectrums(flags)) {
    if (auto it = given.find(spectrum); it != given.end()) {
      result.push_back(it->second);
      continue;
    }
    HeuristicContext context;
    result.push_back(s.pick(spectrum, context));
  }
  return result;
}

bool Driver::color() const {
  if (common.color == "always") return true;
  if (common.color == "never") return false;
  const char *no = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && !(no && *no);
}

void Driver::show(const Diagnostic &diagnostic) {
  endProgress();
  std::string text = render(diagnostic, color());
  std::cerr << text << (text.ends_with('\n') ? "" : "\n");
}

int Driver::showDiagnostics() {
  int code = 0;
  if (!session_) return code;
  for (const Diagnostic &d : session_->diags().take()) {
    show(d);
    if (d.severity == Severity::Error) code = std::max(code, exitCode(d.cls));
  }
  return code;
}

int Driver::guarded(const std::function<int()> &f) {
  auto bug = [&](const std::string &what) {
    std::string path = writeCrashFile(crashText(what));
    if (!path.empty())
      std::cerr << fmt::format("a crash file to send with your report: {}\n"
                               "`tangram --reproduce {}` replays it\n",
                               path, path);
    return 3;
  };
  int code = 0;
  try {
    code = f();
    std::cout.flush();
    code = std::max(code, showDiagnostics());
  } catch (const DiagnosticError &e) {
    std::cout.flush();
    showDiagnostics();
    show(e.diagnostic);
    code = exitCode(e.diagnostic.cls);
    if (e.diagnostic.cls == DiagnosticClass::Bug) code = bug(e.diagnostic.message);
  } catch (const ErrorsReported &) {
    std::cout.flush();
    bool ours = false;
    if (session_)
      for (const Diagnostic &d : session_->diags().all()) ours |= d.cls == DiagnosticClass::Bug;
    code = showDiagnostics();
    if (code == 0 || ours) code = bug("errors were reported");
  } catch (const std::bad_alloc &) {
    show(makeDiagnostic(kOutOfMemory, {}));
    code = 2;
  } catch (const std::exception &e) {
    showDiagnostics();
    try {
      failBug({}, "tangram", fmt::format("unexpected exception: {}", e.what()));
    } catch (const DiagnosticError &d) {
      show(d.diagnostic);
    }
    code = bug(e.what());
  }
  endProgress();
  if (common.timePasses && session_) {
    double all = 0;
    std::cerr << "time in milliseconds:\n";
    for (const Timing &t : session_->timings()) {
      std::cerr << fmt::format("{:10.2f}  {}\n", t.milliseconds, t.step);
      all += t.milliseconds;
    }
    std::cerr << fmt::format("{:10.2f}  in all\n", all);
  }
  return code;
}

void Driver::progress(const std::string &line, bool always) {
  if (!isatty(STDERR_FILENO)) {
    if (always) std::cerr << line << "\n";
    return;
  }
  std::cerr << "\r\033[K" << line << std::flush;
  progressShown_ = true;
}

void Driver::endProgress() {
  if (progressShown_) std::cerr << "\r\033[K" << std::flush;
  progressShown_ = false;
}

std::string Driver::crashText(const std::string &error) {
  std::string text = fmt::format("tangram crash file\nversion: {} ({})\ncommand: {}\nerror: {}\n", TANGRAM_VERSION,
                                 coreBuildId(), commandLine_, error);
  for (char &c : text)
    if (c == '\r') c = ' ';
  if (session_) {
    text += "plugins:";
    for (const LoadedPlugin &p : session_->plugins().loaded()) text += fmt::format(" {} {},", p.name, p.version);
    text += "\n" + session_->crashReport();
  }
  return text;
}

std::string Driver::writeCrashFile(const std::string &text) {
  std::error_code ec;
  for (std::filesystem::path folder : {std::filesystem::path("."), std::filesystem::temp_directory_path(ec)}) {
    std::string name = fmt::format("tangram-crash-{}-{}.txt", std::time(nullptr), getpid());
    std::filesystem::path path = folder == "." ? std::filesystem::path(name) : folder / name;
    std::ofstream out(path, std::ios::binary);
    if (out << text << std::flush) return path.string();
  }
  return "";
}

TemporaryFolder::TemporaryFolder(const std::string &name) {
  std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (!mkdtemp(pattern.data())) fail(kUnwritable, {}, pattern);
  path_ = pattern;
  runtime::removeAtEnd(path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ec;
  std::filesystem::remove_all(path_, ec);
  if (!ec) runtime::dropFolder(path_);
}

std::string readFile(const std::filesystem::path &path) {
  std::error_code ec;
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path, ec)) fail(kUnreadable, {}, path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void writeFile(const std::filesystem::path &path, const std::string &text) {
  std::error_code ec;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ec);
  std::ofstream out(path, std::ios::binary);
  if (!(out << text << std::flush)) fail(kUnwritable, {}, path.string());
}

std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string seconds(double s) {
  if (s < 1e-6) return fmt::format("{:.1f} ns", s * 1e9);
  if (s < 1e-3) return fmt::format("{:.2f} us", s * 1e6);
  if (s < 1) return fmt::format("{:.3f} ms", s * 1e3);
  return fmt::format("{:.3f} s", s);
}

std::string stemOf(const std::filesystem::path &file) {
  std::string name = file.filename().string();
  std::size_t dot = name.find('.', 1);
  return dot == std::string::npos ? name : name.substr(0, dot);
}

void addCommonFlags(CLI::App &app, Driver &driver) {
  CommonFlags &c = driver.common;
  const char *group = "Common flags";
  app.add_option("--plugin-path", c.pluginPath,
                 "Folder with plugins, searched first, or one plugin; may stand several times")
      ->type_name("PATH")
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag(
         "--print-after{all}", c.printAfter,
         "Print the AST to standard error after every pass, or =PASS, =change (after those that change it), =fail "
         "(before and after one that fails)")
      ->group(group);
  app.add_flag("--verify-properties", c.verifyProperties,
               "Behind every pass, check all properties that it and those before it have established; "
               "TANGRAM_VERIFY_PROPERTIES=1 in the environment means the same")
      ->group(group);
  app.add_flag("--time-passes", c.timePasses, "Say how long each step took")->group(group);
  app.add_option("--heuristic", c.heuristic, "Choose plans by this one instead of the target's")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--color", c.color, "auto, always or never")->type_name("WHEN")->group(group);
}

void addProgramFlags(CLI::App &app, ProgramFlags &flags) {
  app.add_option("FILE", flags.files,
                 "The program: spectrums and codelets; with several files, also of several languages, those of all")
      ->required();
  app.add_option("--target,-t", flags.target, "A name in hw/ (`tangram targets`), or the path of a YAML file")
      ->type_name("T");
  app.add_option(
         "--spectrum,-s", flags.spectrums,
         "Which spectrum, 'sum' or 'sum<float>'; may stand several times; 'all', unless one is called so. Default: "
         "those that no other spectrum of the program calls")
      ->type_name("S")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("-I", flags.includes, "Folder with included files")
      ->type_name("DIR")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("-D", flags.defines, "Define a macro")->type_name("NAME[=VALUE]")->take_all()->allow_extra_args(false);
}

void checkFolder(const std::string &folder) {
  if (folder == "-") fail(kNoFolder, {});
}

void addUndecided(CLI::App &app, Driver &driver) {
  app.add_flag(
      "--undecided", driver.common.undecided,
      "Plans, too, with codelets of which it could not be decided whether calls of a map touch the same elements");
}

void addChecked(CLI::App &app, Driver &driver) {
  app.add_flag("--checked", driver.common.checked,
               "Code that does no access out of its container's range, and says where the first one would have been; "
               "TANGRAM_CHECKED=1 in the environment means the same");
}

void addBackend(CLI::App &app, Driver &driver) {
  app.add_option(
         "--backend", driver.common.backend,
         "Build code by this backend instead of the target's: llvm-cpu in the place of openmp takes a fraction of "
         "the time, and no compiler of C++. What both have options for, the target says for it, too")
      ->type_name("NAME");
}

void addExpected(CLI::App &app, ProgramFlags &flags) {
  app.add_option(
         "--expect", flags.expected,
         "Sizes that the arguments are expected to have, a=512Kx128: what is chosen suits them, and is right for "
         "all. For each spectrum with a parameter of the name")
      ->type_name("NAME=SIZES")
      ->take_all()
      ->allow_extra_args(false);
}

} // namespace tangram::driver

// Crash files: written on a crash of ours, replayed by --reproduce.
#include "Driver.h"

#include "tangram/ast/Text.h"
#include "tangram/plugin/Plugin.h"

#include <csignal>
#include <iostream>
#include <sys/mman.h>
#include <unistd.h>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kNothingRan{"crash.nothing-ran", DiagnosticClass::Limitation,
                                     "no step of the compiler was running when this was written",
                                     "run its command again: {0}"};
constexpr DiagnosticKind kIncomplete{"crash.incomplete", DiagnosticClass::User,
                                     "the crash file says '{0}' was running, but holds no {1}",
                                     "give a crash file unchanged"};

// A signal handler gets no argument of ours.
Driver *crashing = nullptr;
volatile std::sig_atomic_t handling = 0;

void say(const char *text) {
  std::size_t n = 0;
  while (text[n]) ++n;
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, n);
}

/// Writing the file allocates, which a broken heap may not survive: a second fault or ten seconds end it.
void onCrash(int signal) {
  if (handling) {
    say("tangram: no crash file could be written\n");
    _exit(3);
  }
  handling = 1;
  alarm(10);
  say("tangram: error: tangram itself crashed; this is not your mistake\n");
  try {
    const char *what = sigdescr_np(signal);
    std::string path = crashing->writeCrashFile(crashing->crashText(what ? what : "unknown signal"));
    if (!path.empty()) {
      say("a crash file to send with your report: ");
      say(path.c_str());
      say("\n`tangram --reproduce ");
      say(path.c_str());
      say("` replays it\n");
    }
  } catch (...) {
    say("tangram: no crash file could be written\n");
  }
  _exit(3);
}

/// The steps of the target with these names, options and all; a step of another name runs with its defaults.
std::vector<hardware::Step> stepsNamed(const hardware::Target &target, const std::vector<std::string> &names) {
  std::vector<hardware::Step> steps;
  for (const std::string &name : names) {
    hardware::Step step{name, {}, {}};
    for (const hardware::Step &known : target.pipeline.passes)
      if (known.name == name) step = known;
    steps.push_back(step);
  }
  return steps;
}

void replayComposition(Session &s, const CrashState &state, const std::string &kind) {
  s.facts();
  if (kind == "analysis") return;
  std::string spectrum = state.step.substr(state.step.find(' ') + 1);
  if (kind == "planner") {
    s.forest(spectrum);
  } else if (kind == "heuristic") {
    for (const std::string &name : s.entrySpectrums()) {
      HeuristicContext context;
      s.choose(name, context);
    }
  } else {
    std::vector<Plan> plans;
    std::string part;
    auto take = [&] {
      if (part.find_first_not_of(" \n") != std::string::npos) plans.push_back(parsePlan(part, "crash file", s.arena()));
      part.clear();
    };
    for (std::size_t at = 0; at < state.plans.size();) {
      std::size_t end = std::min(state.plans.find('\n', at), state.plans.size());
      std::string line = state.plans.substr(at, end - at);
      if (line.starts_with("plan ")) take();
      part += line + "\n";
      at = end + 1;
    }
    take();
    s.compose(plans, s.arena());
  }
}

} // namespace

void installCrashHandler(Driver &driver) {
  crashing = &driver;
  // A stack of its own: the crash may be that the stack is full. Printing an AST recurses.
  constexpr std::size_t size = 16u << 20;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = size;
  if (memory != MAP_FAILED) sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) sigaction(s, &action, nullptr);
}

int reproduce(Driver &driver, const std::string &crashFile) {
  Session &s = driver.session();
  std::string text = readFile(crashFile);
  CrashState state = parseCrashState(text, crashFile, s.arena());
  std::string command;
  for (std::size_t at = 0; at < text.size() && !text.substr(at).starts_with("=== ");) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.starts_with("command: ")) command = line.substr(9);
    if (line.starts_with("version: ")) {
      std::string now = fmt::format("version: {} ({})", TANGRAM_VERSION, coreBuildId());
      if (line != now) std::cout << fmt::format("note: written by another tangram\n  {}\n  this is {}\n", line, now);
    }
    at = end + 1;
  }
  if (state.step.empty()) fail(kNothingRan, {}, command);
  std::cout << fmt::format("replaying: {}\n", state.step) << std::flush;

  std::string kind = state.step.substr(0, state.step.find(' '));
  std::optional<hardware::Target> target;
  if (!state.target.empty()) target = hardware::parseTarget(state.target, crashFile + " (target)", s.arena());
  if (kind == "frontend") {
    TemporaryFolder folder("tangram-reproduce");
    std::filesystem::path source = folder.path() / std::filesystem::path(state.file).filename();
    writeFile(source, state.source);
    if (state.partial) s.setPartial();
    if (target)
      s.open({source}, *target, state.spectrum);
    else
      s.open({source}, "", state.spectrum);
    s.module();
  } else {
    if (state.module.empty()) fail(kIncomplete, {}, state.step, "module");
    if (!target) fail(kIncomplete, {}, state.step, "target");
    const ast::Node *node = ast::parse(state.module, s.arena(), crashFile + " (module)");
    const ast::Module *module = ast::dyn<ast::Module>(node);
    if (!module) fail(kIncomplete, {}, state.step, "module");
    s.open(module, *target);
    if (kind == "pass") {
      module = s.runPasses(module, stepsNamed(*target, state.passes), s.arena());
    } else if (kind == "backend" || kind == "build") {
      std::vector<OutputFile> files = s.emit(*module, "reproduced");
      TemporaryFolder folder("tangram-reproduce");
      if (kind == "build") s.build(files, folder.path(), "reproduced");
    } else if (kind == "expander") {
      s.expand();
    } else {
      replayComposition(s, state, kind);
    }
  }
  std::cout << "it did not fail this time\n";
  return 0;
}

} // namespace tangram::driver

// What a session holds.
#pragma once

#include "tangram/session/Session.h"

#include "tangram/pass/DeepStack.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

namespace tangram {

using Clock = std::chrono::steady_clock;

inline double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Spectrums that codelets of the spectrum call, itself among them where they do.
std::set<std::string> callees(const ast::Spectrum &spectrum);

struct Session::Impl {
  explicit Impl(SessionOptions o) : options(std::move(o)) {}

  SessionOptions options;
  PluginLoader loader; // before all that plugins made: unloaded last
  Registry registry;
  DiagnosticEngine diags;
  ast::Arena arena;

  std::vector<std::filesystem::path> files;
  std::filesystem::path file; // of these, the one that is read
  bool partial = false;       // there are others that nobody has here
  bool isWhole() const { return files.size() == 1 && !partial; }
  std::string spectrum;
  std::vector<std::string> wanted; // of its spectrums; empty: all
  std::vector<std::string> includes, defines;
  std::string entrySuffix;
  std::optional<hardware::Target> target;
  const ast::Module *module = nullptr, *written = nullptr;
  std::vector<NotExpanded> notExpanded;
  std::optional<Facts> facts;
  std::map<std::string, std::unique_ptr<Forest>> forests;
  ExpectedSizes expected;
  std::vector<Timing> timings;
  std::set<std::string> remarked; // each once

  /// A plan that was lowered to see whether it fits: who lowers it next has that.
  struct Lowered {
    std::unique_ptr<ast::Arena> arena;
    const ast::Module *module = nullptr;
    std::vector<Diagnostic> said;
    std::vector<Timing> timings;
  };
  std::map<std::string, Lowered> kept;              // by the plan's text
  std::vector<std::unique_ptr<ast::Arena>> lowered; // of what was handed out

  // What is running now.
  std::string step;
  const ast::Module *current = nullptr;
  std::vector<std::string> remaining;
  std::string plans;
  std::string reported; // a crash report taken where a pass failed

  std::size_t errors() const {
    std::size_t n = 0;
    for (const Diagnostic &d : diags.all()) n += d.severity == Severity::Error;
    return n;
  }

  /// Runs one named step, on a deep stack: timed, what escapes from it is told apart from bad input, errors that it
  /// reported end the work. `step` keeps its name where it fails.
  template <class F> auto run(const std::string &kind, const std::string &name, F &&f) {
    std::string previous = std::exchange(step, kind + " " + name);
    std::size_t before = errors();
    auto start = Clock::now();
    try {
      std::optional<decltype(f())> result;
      onDeepStack([&] {
        crashOnPurpose(name);
        result = f();
      });
      timings.push_back({step, millisecondsSince(start)});
      if (errors() > before) throw ErrorsReported();
      step = std::move(previous);
      return std::move(*result);
    } catch (const DiagnosticError &) {
      throw;
    } catch (const ErrorsReported &) {
      throw;
    } catch (const std::bad_alloc &) {
      throw;
    } catch (const std::exception &e) {
      failBug({}, step, fmt::format("ended with an unexpected exception: {}", e.what()));
    }
  }

  // Steps.cpp: what runs, and what is checked of it
  void crashOnPurpose(const std::string &name) const;
  static unsigned overflowOnPurpose(unsigned depth);
  [[noreturn]] void throwOnPurpose() const;
  static const ast::Module *breakOnPurpose(const ast::Module &m, ast::Arena &arena);
  void checkSound(const ast::Module &m, const std::string &who);
  /// Of properties, by whom they were established: `by`, a pass that ran just now, has broken none of them.
  void checkProperties(const ast::Module &m, const std::map<std::string, std::string> &hold, const PassDescriptor &by);
  const ast::Module *pass(const ast::Module *before, const hardware::Step &s, PassContext &context);

  // Configuration.cpp: target, backend, heuristic
  void requireTarget() const;
  /// `whole`: all steps of the pipeline will run. A module that was parsed before needs only some of them.
  void setTarget(hardware::Target t, bool whole);
  /// Another one builds the target's code. What both have options for, the target says for it, too.
  void replaceBackend(const BackendDescriptor &by);
  static bool hasOption(const Descriptor &d, const std::string &name) {
    return std::any_of(d.options.begin(), d.options.end(), [&](const OptionSpec &o) { return o.name == name; });
  }
  const BackendDescriptor &backendDescriptor();
  OptionValues backendOptions();
  std::unique_ptr<Backend> makeBackend();
  /// The one that was asked for, or the target's, and its name.
  std::pair<std::string, std::unique_ptr<Heuristic>> heuristic(const hardware::Target &of);
  /// `asked`: NAME or NAME:OPTION=VALUE,...; empty: the target's.
  std::pair<std::string, std::unique_ptr<Heuristic>> heuristic(const hardware::Target &of, const std::string &asked);

  // Reading.cpp: files, linked, expanded and analysed
  /// The one that reads files with this ending, the longest that is known; where none is, the target's own.
  const FrontendDescriptor &frontend();
  /// The files of a folder that a frontend reads, for a message.
  std::string sourcesIn(const std::filesystem::path &folder) const;
  void parse();
  /// The module of `file`.
  const ast::Module *read();
  /// A module that was parsed before, from a crash file or of another session, has been expanded.
  void expand();
  /// What the target promises is some analysis's to see to.
  void checkPromises();
  void analyse();
};

} // namespace tangram

// The compiler as a library: source file and target in, plans and emitted files out. The driver is a thin user of it.
#pragma once

#include "tangram/compose/Cloner.h"
#include "tangram/compose/Heuristic.h"
#include "tangram/plugin/Loader.h"

#include <chrono>
#include <iosfwd>

namespace tangram {

enum class PrintAfter : std::uint8_t { None, Change, All, Fail, Named };

struct SessionOptions {
  std::vector<std::filesystem::path> pluginFolders; // searched first
  PrintAfter printAfter = PrintAfter::None;
  std::string printAfterPass;      // PrintAfter::Named
  std::ostream *printTo = nullptr; // null: standard error
  bool verifyBetweenPasses = true;
  bool verifyProperties = false; // behind each pass, too, all properties that should hold (PropertyDescriptor)
  std::string heuristic;         // instead of the target's, perhaps with options; empty: the target's
  std::string backend;           // instead of the target's; options of it that it has, too, hold for it
  bool checked = false;          // code that reports what would leave a container (pass/Checked.h)
  /// Plans, too, with codelets of which analysis could not decide whether they race (Facts::races): to verify them.
  bool undecided = false;
  /// Crashes on purpose when this step starts, so that crash files can be tested: "STEP[:HOW]",
  /// with HOW one of segv, abort, overflow, throw and break.
  std::string crashIn;
};

/// Errors have been reported and stand in Session::diags(); there is nothing to add.
class ErrorsReported : public std::exception {
public:
  const char *what() const noexcept override { return "errors were reported"; }
};

/// What a crash file holds beside the command line: enough to run the step that crashed, and those behind it, again.
struct CrashState {
  std::string step;                // "pass flatten", "planner sum", ...; empty: nothing was running
  std::vector<std::string> passes; // still to run, the one that crashed first
  std::string spectrum;
  std::string target; // YAML; empty: none was loaded
  std::string plans;
  std::string file, source; // the program's path and text; the text only where the frontend was running
  bool partial = false;     // the file is one of several that are the program (FrontendRequest::whole)
  std::string module;       // textual AST with locations as it stood; empty: there was none
};
std::string print(const CrashState &state);
/// Throws DiagnosticError where `text` is not what print() wrote.
CrashState parseCrashState(std::string_view text, const std::string &file, ast::Arena &arena);

struct Timing {
  std::string step;
  double milliseconds = 0;
};

/// One program on one target: a source file, or several that are linked (ast/Link.h), each read by the frontend of its
/// extension. Steps are done when first asked for and kept.
class Session {
public:
  explicit Session(SessionOptions options = {});
  ~Session();

  const SessionOptions &options() const;
  Registry &registry();
  const PluginLoader &plugins() const;
  DiagnosticEngine &diags();

  /// Owns the module and the names of files.
  ast::Arena &arena();

  /// All throw DiagnosticError, or ErrorsReported with the errors in diags(), on bad input.
  /// An empty `target`: only module() can be asked for. `spectrum`: of templates, which instances
  /// (FrontendRequest::spectrum).
  void open(std::vector<std::filesystem::path> files, const std::string &target, const std::string &spectrum = "");
  void open(std::vector<std::filesystem::path> files, hardware::Target target, const std::string &spectrum = "");
  /// From a module that was parsed, and expanded, before (a crash file, a test).
  void open(const ast::Module *module, const std::string &target);
  void open(const ast::Module *module, hardware::Target target);
  /// The file that was opened is one of several that are the program: others may have what it declares.
  void setPartial();
  /// Nothing will be asked of spectrums but these, what they call and what calls them: the others are neither expanded
  /// nor analysed. Where one of these is unknown, all are. Before module() is asked for.
  void setWanted(std::vector<std::string> spectrums);
  /// What only the user can say of the source; before module() is asked for.
  void setIncludes(std::vector<std::string> includes, std::vector<std::string> defines);

  /// What heuristics may expect of arguments; before plans are chosen.
  void setExpected(ExpectedSizes sizes);
  const ExpectedSizes &expected() const;

  bool hasTarget() const;
  const hardware::Target &target() const;
  const ast::Module &module(); // after the frontend, and the target's expanders
  /// The program as it was written: without what expanders add, with what nobody wants (setWanted).
  const ast::Module &written();
  /// Runs the target's expanders on a module that was parsed before, and not expanded.
  void expand();
  /// What the expanders did not add, and why.
  const std::vector<NotExpanded> &notExpanded();
  const Facts &facts();                              // after the analyses
  const Forest &forest(const std::string &spectrum); // checked to have plans
  /// Spectrums that no other spectrum calls: what a program is for. All of them where each is called by another.
  std::vector<std::string> entrySpectrums();
  std::vector<Plan> choose(const std::string &spectrum, HeuristicContext &context);
  /// A heuristic by its name, with the options that the target gives it; empty: the one that chooses. Options may stand
  /// behind the name: "learned:database=sum.db".
  std::unique_ptr<Heuristic> heuristic(const std::string &name = "");
  /// What the heuristic says that a plan costs (Heuristic::predict).
  std::optional<Prediction> predict(const Plan &plan);
  /// The plan that the heuristic likes best of those that fit the target's device, with a warning where it likes others
  /// better; its favourite where no plan that it names fits.
  Plan pick(const std::string &spectrum, HeuristicContext &context);
  /// Why the plan needs more of a resource than the target's device has, which shows when it is lowered; empty: it
  /// fits. What else may be wrong with it is not said. Where it fits, the next lower() of the plan, alone or beside
  /// plans of other spectrums, has what was lowered.
  std::string unfit(const Plan &plan);
  /// The composed AST of the plans after all passes, ready for the backend. An entry's name is its plan's spectrum as
  /// a C identifier, with a number where there are several. Lives as long as both the arena and this session.
  const ast::Module *lower(const std::vector<Plan> &plans, ast::Arena &arena);
  /// Ends the name of every entry, so that several modules can be linked into one program; before plans are picked.
  void setEntrySuffix(std::string suffix);
  /// The names that entries of these plans have before any pass, but for the suffix; lower() may have to change some of
  /// them, and the kernels of its module are in the order of the plans.
  static std::vector<std::string> entryNames(const std::vector<Plan> &plans);
  /// The composed AST before any pass.
  const ast::Module *compose(const std::vector<Plan> &plans, ast::Arena &arena);
  /// Runs `passes` in order, verifying and printing between them as the options say.
  const ast::Module *runPasses(const ast::Module *module, const std::vector<hardware::Step> &passes, ast::Arena &arena);
  std::vector<OutputFile> emit(const ast::Module &lowered, const std::string &stem);
  std::filesystem::path build(const std::vector<OutputFile> &files, const std::filesystem::path &folder,
                              const std::string &stem);

  const std::vector<Timing> &timings() const;
  /// What was running, for a crash file: see CrashState.
  std::string crashReport() const;

private:
  /// What unfit() lowered of these plans; null where it has to be done anew.
  const ast::Module *keptOf(const std::vector<Plan> &plans, ast::Arena &arena);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tangram

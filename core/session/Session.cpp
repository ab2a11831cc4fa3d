#include "tangram/session/Session.h"

#include "tangram/ast/Link.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"
#include "tangram/ast/Walk.h"
#include "tangram/hardware/Launch.h"
#include "tangram/hardware/Promises.h"
#include "tangram/hardware/Resources.h"
#include "tangram/pass/Checked.h"
#include "tangram/pass/DeepStack.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

namespace tangram {
namespace {

constexpr DiagnosticKind kCannotWrite{"session.cannot-write", DiagnosticClass::User, "cannot write '{}'",
                                      "name a folder that exists, can be written and has room"};
constexpr DiagnosticKind kNoFrontend{"session.no-frontend", DiagnosticClass::User, "no frontend reads '{0}'",
                                     "known extensions: {1}"};
constexpr DiagnosticKind kNoFile{"session.no-file", DiagnosticClass::User, "there is no file '{0}'",
                                 "check the path; it is looked up from the current folder"};
constexpr DiagnosticKind kFolder{"session.folder", DiagnosticClass::User, "'{0}' is a folder", "name a file: {1}"};
constexpr DiagnosticKind kNoTarget{"session.no-target", DiagnosticClass::User, "no target was given",
                                   "name one with --target; `tangram targets` lists them"};
constexpr DiagnosticKind kNoBackend{"session.no-backend", DiagnosticClass::Limitation,
                                    "target '{0}' has no backend: there are plans for it, but no code",
                                    "use `tangram explain` or `--emit plan`, or name another target"};
constexpr DiagnosticKind kOtherPipeline{"session.other-pipeline", DiagnosticClass::User,
                                        "backend '{0}' cannot build what the pipeline of '{1}' makes: {2}",
                                        "use a target of that backend, which `tangram targets` lists"};
constexpr DiagnosticKind kUnknownSpectrum{"session.unknown-spectrum", DiagnosticClass::User,
                                          "the program has no spectrum '{0}'", "use {1}"};
constexpr DiagnosticKind kRangeFromOutside{
    "session.range-from-outside", DiagnosticClass::User,
    "spectrum '{0}' cannot be an entry: '{1}' is an index range wherever the program calls it, and is taken for one; a "
    "container from outside could have an index twice",
    "compile a spectrum that calls '{0}' with range(n), and takes the number n"};
constexpr DiagnosticKind kNoSpectrum{"session.no-spectrum", DiagnosticClass::User, "'{0}' declares no spectrum",
                                     "declare one: __spectrum int sum(const Array<1, int> in);"};
constexpr DiagnosticKind kMissingFact{"session.missing-fact", DiagnosticClass::User,
                                      "analysis '{0}' needs the facts '{1}', which no analysis before it establishes",
                                      "put the analysis that establishes '{1}' before it in the target"};
constexpr DiagnosticKind kPromise{"session.promise", DiagnosticClass::User,
                                  "the target promises '{0}: {1}', and no analysis of its pipeline sees to that",
                                  "add to 'analyses' one with the option '{0}', behind 'level-matching': {2}"};
constexpr DiagnosticKind kSameBits{"session.same-bits", DiagnosticClass::User,
                                   "'{0}: {1}' and the option '{3}' of backend '{2}' exclude each other",
                                   "leave out '{3}', or the promise"};
constexpr DiagnosticKind kPassedOver{
    "session.passed-over", DiagnosticClass::Limitation,
    "{0} that heuristic '{1}' likes better for '{2}' cannot be used; of the first: {3}",
    "the best of those that fit is taken; fewer workers in the target's levels leave more for each", Severity::Warning};
constexpr DiagnosticKind kRemark{"session.remark", DiagnosticClass::User, "heuristic '{0}': {1}",
                                 "`tangram heuristics {0}` says what it can be told", Severity::Warning};
constexpr DiagnosticKind kNoPlan{"session.no-plan", DiagnosticClass::Bug,
                                 "heuristic '{0}' chose no plan for '{1}', although there are {2}",
                                 "report it to the author of the heuristic"};

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string readWhole(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string identifier(const std::string &spectrum) {
  std::string result;
  for (char c : spectrum) {
    bool fits = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (fits)
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (result.size() > 1 && result.back() == '_') result.pop_back();
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0]))) result.insert(0, "k");
  return result;
}

} // namespace

struct Session::Impl {
  explicit Impl(SessionOptions o) : options(std::move(o)) {}

  SessionOptions options;
  PluginLoader loader; // before all that plugins made: unloaded last
  Registry registry;
  DiagnosticEngine diags;
  ast::Arena arena;

  std::vector<std::filesystem::path> files;
  std::filesystem::path file; // of these, the one that is read
  std::string spectrum;
  std::vector<std::string> includes, defines;
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
    std::string plan; // its text
    std::unique_ptr<ast::Arena> arena;
    const ast::Module *module = nullptr;
    std::vector<Diagnostic> said;
    std::vector<Timing> timings;
  };
  std::optional<Lowered> fitted;
  std::vector<std::unique_ptr<ast::Arena>> lowered; // of what was handed out

  // What is running now.
  std::string step;
  const ast::Module *current = nullptr;
  std::vector<std::string> remaining;
  std::string plans;

  std::size_t errors() const {
    std::size_t n = 0;
    for (const Diagnostic &d : diags.all()) n += d.severity == Severity::Error;
    return n;
  }

  /// Runs one named step, on a deep stack: timed, what escapes from it is told apart from bad input, errors that it
  /// reported end the work. `step` keeps its name where it fails.
  std::string reported; // a crash report taken where a pass failed

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

  void crashOnPurpose(const std::string &name) const {
    auto colon = options.crashIn.find(':');
    if (options.crashIn.empty() || options.crashIn.substr(0, colon) != name) return;
    std::string how = colon == std::string::npos ? "segv" : options.crashIn.substr(colon + 1);
    if (how == "segv") std::raise(SIGSEGV);
    if (how == "abort") std::abort();
    if (how == "overflow") overflowOnPurpose(1);
    if (how == "throw") throwOnPurpose();
  }
  // NOLINTNEXTLINE(misc-no-recursion): it is meant to have no end
  static unsigned overflowOnPurpose(unsigned depth) {
    volatile unsigned used[256] = {depth};
    // What is read behind the call keeps it from becoming a loop.
    return depth ? used[overflowOnPurpose(depth + 1) % 256] : 0;
  }
  [[noreturn]] void throwOnPurpose() const { failBug({}, step, "was told to fail"); }

  void checkSound(const ast::Module &m, const std::string &who) {
    if (!options.verifyBetweenPasses) return;
    std::vector<ast::Violation> violations = ast::verify(m);
    if (violations.empty()) return;
    std::string text = fmt::format("left a broken AST: {}", violations[0].message);
    for (std::size_t i = 1; i < std::min<std::size_t>(violations.size(), 5); ++i) text += "; " + violations[i].message;
    if (violations.size() > 5) text += fmt::format("; and {} more", violations.size() - 5);
    failBug(violations[0].node ? violations[0].node->range : ast::SourceRange{}, who, text);
  }

  /// Of properties, by whom they were established: `by`, a pass that ran just now, has broken none of them.
  void checkProperties(const ast::Module &m, const std::map<std::string, std::string> &hold, const PassDescriptor &by) {
    for (const auto &[property, establisher] : hold) {
      const PropertyDescriptor *d = registry.properties.find(property);
      if (!d) continue; // of a plugin that is not loaded
      std::vector<ast::Violation> violations = d->violations(m, *target);
      if (violations.empty()) continue;
      std::string what = establisher == by.name
                             ? fmt::format("does not establish the property '{}' as it says", property)
                             : fmt::format("broke the property '{}', which {} has established", property, establisher);
      failBug(violations[0].node ? violations[0].node->range : ast::SourceRange{}, fmt::format("pass '{}'", by.name),
              fmt::format("{}: {}", what, violations[0].message));
    }
  }

  /// `whole`: all steps of the pipeline will run. A module that was parsed before needs only some of them.
  void setTarget(hardware::Target t, bool whole) {
    target = std::move(t);
    const std::string own = target->pipeline.backend.name;
    if (!options.backend.empty()) replaceBackend(registry.backends.get(options.backend));
    if (options.checked && (whole || !target->pipeline.passes.empty())) makeChecked(*target, registry);
    if (whole) try {
        hardware::checkPipeline(*target, registry);
      } catch (const DiagnosticError &e) {
        if (target->pipeline.backend.name == own) throw;
        fail(kOtherPipeline, {}, options.backend, target->name, e.diagnostic.message);
      }
    bool automatic = false;
    for (const hardware::Level &level : target->hardware.levels) automatic |= level.workers.automatic;
    std::string determinism = target->promise("determinism");
    if (whole && !target->pipeline.backend.name.empty()) backendOptions(); // they may exclude what is promised
    // What the machine at hand has must not decide where each device is to come to the same.
    if (determinism == "device" || determinism == "everywhere") automatic = false;
    if (automatic && registry.backends.find(target->pipeline.backend.name)) makeBackend()->detect(target->hardware);
  }

  /// Another one builds the target's code. What both have options for, the target says for it, too.
  void replaceBackend(const BackendDescriptor &by) {
    hardware::Step &step = target->pipeline.backend;
    if (step.name == by.name) return;
    OptionValues kept;
    for (const auto &[name, entry] : step.options.entries())
      if (hasOption(by, name)) kept.set(name, entry.value, entry.range);
    step.name = by.name;
    step.options = std::move(kept);
  }

  static bool hasOption(const Descriptor &d, const std::string &name) {
    return std::any_of(d.options.begin(), d.options.end(), [&](const OptionSpec &o) { return o.name == name; });
  }

  const BackendDescriptor &backendDescriptor() {
    const hardware::Step &s = target->pipeline.backend;
    if (s.name.empty()) fail(kNoBackend, {}, target->name);
    return registry.backends.get(s.name, s.range);
  }
  /// The one that was asked for, or the target's, and its name.
  std::pair<std::string, std::unique_ptr<Heuristic>> heuristic(const hardware::Target &of) {
    return heuristic(of, options.heuristic);
  }

  /// `asked`: NAME or NAME:OPTION=VALUE,...; empty: the target's.
  std::pair<std::string, std::unique_ptr<Heuristic>> heuristic(const hardware::Target &of, const std::string &asked) {
    hardware::Step s = of.pipeline.heuristic;
    const std::string name = asked.substr(0, asked.find(':'));
    if (!name.empty() && name != s.name) s = {name, {}, {}};
    const HeuristicDescriptor &d = registry.heuristics.get(s.name, s.range);
    const std::string who = fmt::format("heuristic '{}'", d.name);
    if (name.size() < asked.size()) readOptions(d.options, asked.substr(name.size() + 1), who, s.options);
    std::unique_ptr<Heuristic> made = d.create(checkOptions(d.options, s.options, who, s.range));
    made->meet([this, &of](const std::string &other) -> std::unique_ptr<Heuristic> {
      return registry.heuristics.find(other) ? heuristic(of, other).second : nullptr;
    });
    return {d.name, std::move(made)};
  }

  OptionValues backendOptions() {
    const hardware::Step &s = target->pipeline.backend;
    const BackendDescriptor &d = backendDescriptor();
    OptionValues given = s.options;
    // Whether a product and a sum are fused depends on the code around them, as does which functions are of vectors.
    if (const hardware::Promise *promise = hardware::sameBits(*target))
      for (const char *option : {"fma", "vector-math"}) {
        if (!hasOption(d, option)) continue;
        if (given.has(option) && given.flag(option))
          fail(kSameBits, s.range, promise->name, promise->value, s.name, option);
        given.set(option, false);
      }
    return checkOptions(d.options, given, fmt::format("backend '{}'", s.name), s.range);
  }
  std::unique_ptr<Backend> makeBackend() { return backendDescriptor().create(backendOptions()); }

  void requireTarget() const {
    if (!target) fail(kNoTarget, {});
  }

  /// The one that reads files with this ending, the longest that is known; where none is, the target's own.
  const FrontendDescriptor &frontend() {
    std::string name = file.filename().string();
    const FrontendDescriptor *found = nullptr;
    std::size_t longest = 0;
    std::vector<std::string> known;
    for (const auto &[_, d] : registry.frontends.all())
      for (const std::string &extension : d.extensions) {
        if (name.ends_with(extension) && extension.size() > longest) found = &d, longest = extension.size();
        known.push_back(extension);
      }
    if (found) return *found;
    if (target) {
      const hardware::Step &s = target->pipeline.frontend;
      if (!s.name.empty()) return registry.frontends.get(s.name, s.range);
    }
    fail(kNoFrontend, {}, file.string(),
         known.empty() ? std::string("none: no frontend plugin is loaded; `tangram plugins` says what is")
                       : fmt::format("{}", fmt::join(known, ", ")));
  }

  /// The files of a folder that a frontend reads, for a message.
  std::string sourcesIn(const std::filesystem::path &folder) const {
    std::vector<std::string> sources;
    std::error_code ec;
    for (std::filesystem::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
      for (const auto &[_, d] : registry.frontends.all())
        for (const std::string &extension : d.extensions)
          if (it->path().filename().string().ends_with(extension)) sources.push_back(it->path().string());
    std::sort(sources.begin(), sources.end());
    return sources.empty() ? "none that lies there has an extension that a frontend reads" : suggest("", sources);
  }

  void parse() {
    if (files.empty()) fail(kNoFile, {}, "");
    std::vector<const ast::Module *> parts;
    for (const std::filesystem::path &one : files) {
      file = one;
      parts.push_back(read());
    }
    if (parts.size() > 1)
      onDeepStack([&] {
        parts = {ast::link(arena, parts)};
        checkSound(*parts[0], "linking");
      });
    module = written = current = parts[0];
    if (target) expand();
  }

  /// The module of `file`.
  const ast::Module *read() {
    std::error_code ec;
    if (std::filesystem::is_directory(file, ec)) fail(kFolder, {}, file.string(), sourcesIn(file));
    if (!std::filesystem::is_regular_file(file, ec)) fail(kNoFile, {}, file.string());
    const FrontendDescriptor &d = frontend();
    OptionValues given;
    ast::SourceRange where;
    if (target && target->pipeline.frontend.name == d.name) { // another one has its own defaults
      given = target->pipeline.frontend.options;
      where = target->pipeline.frontend.range;
    }
    OptionValues values = checkOptions(d.options, given, fmt::format("frontend '{}'", d.name), where);
    FrontendRequest request{file, spectrum, includes, defines, &values, files.size() == 1};
    const ast::Module *parsed = run("frontend", d.name, [&] {
      const ast::Module *result = d.create()->parse(request, arena, diags);
      if (result && !diags.hasErrors()) checkSound(*result, fmt::format("frontend '{}'", d.name));
      return result;
    });
    if (!parsed) throw ErrorsReported();
    if (parsed->spectrums.empty()) fail(kNoSpectrum, {arena.internFile(file.string()), 1, 1, 1, 1}, file.string());
    return parsed;
  }

  /// A module that was parsed before, from a crash file or of another session, has been expanded.
  void expand() {
    for (const hardware::Step &s : target->pipeline.expanders) {
      const ExpanderDescriptor &d = registry.expanders.get(s.name, s.range);
      OptionValues values = checkOptions(d.options, s.options, fmt::format("expander '{}'", d.name), s.range);
      std::string who = fmt::format("expander '{}'", d.name);
      std::vector<NotExpanded> declined;
      ExpandContext context{arena, diags, *target, declined};
      const ast::Module *before = module;
      const ast::Module *after = run("expander", d.name, [&] {
        const ast::Module *result = d.create(values)->run(before, context);
        if (!result) failBug({}, who, "returned no module");
        if (std::string lost = lostByExpansion(*before, *result); !lost.empty())
          failBug({}, who, lost + ": expanders only add");
        checkSound(*result, who);
        return result;
      });
      if (diags.hasErrors()) throw ErrorsReported();
      for (NotExpanded &n : declined) {
        n.expander = d.name;
        notExpanded.push_back(std::move(n));
      }
      module = current = after;
    }
  }

  /// What the target promises is some analysis's to see to.
  void checkPromises() {
    for (const hardware::Promise &promise : target->promises) {
      bool seen = false;
      for (const hardware::Step &s : target->pipeline.analyses)
        seen |= hasOption(registry.analyses.get(s.name, s.range), promise.name);
      if (seen) continue;
      std::vector<std::string> could;
      for (const auto &[name, d] : registry.analyses.all())
        if (hasOption(d, promise.name)) could.push_back(name);
      fail(kPromise, promise.range, promise.name, promise.value,
           could.empty() ? std::string("no plugin that is loaded has one") : fmt::format("{}", fmt::join(could, ", ")));
    }
  }

  void analyse() {
    checkPromises();
    facts.emplace();
    for (const hardware::Step &s : target->pipeline.analyses) {
      const AnalysisDescriptor &d = registry.analyses.get(s.name, s.range);
      for (const std::string &fact : d.requires_)
        if (!facts->established.count(fact)) fail(kMissingFact, s.range, d.name, fact);
      OptionValues given = s.options;
      for (const hardware::Promise &promise : target->promises)
        if (hasOption(d, promise.name) && !given.has(promise.name))
          given.set(promise.name, promise.value, promise.range);
      OptionValues values = checkOptions(d.options, given, fmt::format("analysis '{}'", d.name), s.range);
      run("analysis", d.name, [&] {
        d.create(values)->run(*module, target->hardware, *facts, diags);
        return 0;
      });
      facts->established.insert(d.establishes.begin(), d.establishes.end());
    }
    if (options.undecided) {
      facts->races.contended.clear();
      facts->races.ranges.clear();
    }
  }

  const ast::Module *pass(const ast::Module *before, const hardware::Step &s, PassContext &context) {
    const PassDescriptor &d = registry.passes.get(s.name, s.range);
    OptionValues values = checkOptions(d.options, s.options, fmt::format("pass '{}'", d.name), s.range);
    std::ostream &out = options.printTo ? *options.printTo : std::cerr;
    const ast::Module *after = before;
    try {
      after = run("pass", d.name, [&] {
        const ast::Module *result = d.create(values)->run(before, context);
        if (!result) failBug({}, fmt::format("pass '{}'", d.name), "returned no module");
        if (options.crashIn == d.name + ":break") result = breakOnPurpose(*result, context.arena);
        after = result;
        checkSound(*result, fmt::format("pass '{}'", d.name));
        return result;
      });
    } catch (const DiagnosticError &) {
      if (options.printAfter == PrintAfter::Fail) {
        out << fmt::format("; before pass {}, which failed\n{}\n", d.name, ast::print(before));
        if (after != before) out << fmt::format("; after pass {}, which failed\n{}\n", d.name, ast::print(after));
      }
      throw;
    }
    bool wanted = options.printAfter == PrintAfter::All ||
                  (options.printAfter == PrintAfter::Change && after != before) ||
                  (options.printAfter == PrintAfter::Named && options.printAfterPass == d.name);
    if (wanted)
      out << fmt::format("; after pass {}{}\n{}\n", d.name, after == before ? " (no change)" : "", ast::print(after));
    return after;
  }

  static const ast::Module *breakOnPurpose(const ast::Module &m, ast::Arena &arena) {
    if (m.kernels.empty()) return &m;
    const ast::Expr *nowhere =
        arena.make<ast::VarRef>({}, ast::Type(ast::Scalar::I32), std::string("declared nowhere"));
    const ast::Stmt *stmt = arena.make<ast::Evaluate>({}, nowhere);
    const ast::Block *body = arena.derive(m.kernels[0]->body, [&](ast::Block &b) { b.stmts.push_back(stmt); });
    const ast::Kernel *kernel = arena.derive(m.kernels[0], [&](ast::Kernel &k) { k.body = body; });
    return arena.derive(&m, [&](ast::Module &broken) { broken.kernels[0] = kernel; });
  }
};

Session::Session(SessionOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {
  std::vector<std::filesystem::path> folders;
  for (const std::filesystem::path &path : impl_->options.pluginFolders) {
    std::error_code ec;
    if (std::filesystem::is_directory(path, ec))
      folders.push_back(path);
    else // a plugin that is named is wanted: what is wrong with it is an error
      impl_->loader.load(path, impl_->registry);
  }
  impl_->loader.loadAll(PluginLoader::searchPath(folders), impl_->registry, impl_->diags);
}

Session::~Session() = default;

const SessionOptions &Session::options() const { return impl_->options; }
Registry &Session::registry() { return impl_->registry; }
const PluginLoader &Session::plugins() const { return impl_->loader; }
DiagnosticEngine &Session::diags() { return impl_->diags; }
ast::Arena &Session::arena() { return impl_->arena; }
bool Session::hasTarget() const { return impl_->target.has_value(); }
const std::vector<Timing> &Session::timings() const { return impl_->timings; }

void Session::open(std::vector<std::filesystem::path> files, const std::string &target, const std::string &spectrum) {
  impl_->files = std::move(files);
  impl_->spectrum = spectrum;
  if (!target.empty()) impl_->setTarget(hardware::loadTarget(target, impl_->arena), true);
}

void Session::open(std::vector<std::filesystem::path> files, hardware::Target target, const std::string &spectrum) {
  impl_->files = std::move(files);
  impl_->spectrum = spectrum;
  impl_->setTarget(std::move(target), true);
}

void Session::open(const ast::Module *module, const std::string &target) {
  open(module, hardware::loadTarget(target, impl_->arena));
}

void Session::open(const ast::Module *module, hardware::Target target) {
  impl_->module = impl_->written = impl_->current = module;
  impl_->setTarget(std::move(target), false);
}

void Session::setIncludes(std::vector<std::string> includes, std::vector<std::string> defines) {
  impl_->includes = std::move(includes);
  impl_->defines = std::move(defines);
}

const hardware::Target &Session::target() const {
  impl_->requireTarget();
  return *impl_->target;
}

const ast::Module &Session::module() {
  if (!impl_->module) impl_->parse();
  return *impl_->module;
}

const ast::Module &Session::written() {
  module();
  return *impl_->written;
}

void Session::expand() {
  impl_->requireTarget();
  module();
  impl_->expand();
}

const std::vector<NotExpanded> &Session::notExpanded() {
  module();
  return impl_->notExpanded;
}

const Facts &Session::facts() {
  impl_->requireTarget();
  module();
  if (!impl_->facts) {
    try {
      impl_->analyse();
    } catch (...) {
      impl_->facts.reset();
      throw;
    }
  }
  return *impl_->facts;
}

void Session::setExpected(ExpectedSizes sizes) {
  impl_->expected = std::move(sizes);
  impl_->forests.clear();
}

const ExpectedSizes &Session::expected() const { return impl_->expected; }

const Forest &Session::forest(const std::string &spectrum) {
  std::unique_ptr<Forest> &forest = impl_->forests[spectrum];
  if (forest) return *forest;
  std::vector<std::string> names;
  for (const ast::Spectrum *s : module().spectrums) names.push_back(s->name);
  if (std::find(names.begin(), names.end(), spectrum) == names.end())
    fail(kUnknownSpectrum, {}, spectrum, suggest(spectrum, names));
  const Facts &known = facts();
  for (const ast::Spectrum *s : module().spectrums)
    for (unsigned i = 0; s->name == spectrum && i < s->params.size(); ++i)
      if (known.races.ranges.count({spectrum, i}))
        fail(kRangeFromOutside, s->params[i]->range, spectrum, s->params[i]->name);
  auto made = impl_->run("planner", spectrum, [&] {
    auto result =
        std::make_unique<Forest>(module(), target().hardware, known, spectrum, target().depth, impl_->expected);
    requirePlans(*result);
    return result;
  });
  forest = std::move(made);
  return *forest;
}

std::vector<std::string> Session::entrySpectrums() {
  std::set<std::string> called;
  std::vector<std::string> all, entries;
  for (const ast::Spectrum *s : module().spectrums) {
    all.push_back(s->name);
    ast::walk(
        s,
        [&](const ast::SpectrumCall &call) {
          if (call.spectrum != s->name) called.insert(call.spectrum);
        },
        [&](const ast::Map &map) {
          if (map.spectrum != s->name) called.insert(map.spectrum);
        });
  }
  for (const std::string &name : all)
    if (!called.count(name)) entries.push_back(name);
  return entries.empty() ? all : entries;
}

std::vector<Plan> Session::choose(const std::string &spectrum, HeuristicContext &context) {
  const Forest &f = forest(spectrum);
  const auto [name, heuristic] = impl_->heuristic(target());
  std::vector<Plan> plans = impl_->run("heuristic", name, [&] { return heuristic->choose(f, context); });
  for (const std::string &remark : context.remarks)
    if (impl_->remarked.insert(remark).second) diags().report(kRemark, {}, name, remark);
  if (plans.empty()) fail(kNoPlan, target().pipeline.heuristic.range, name, spectrum, f.count().str());
  for (Plan &plan : plans) plan.target = target().name;
  return plans;
}

std::unique_ptr<Heuristic> Session::heuristic(const std::string &name) {
  return impl_->heuristic(target(), name.empty() ? impl_->options.heuristic : name).second;
}

std::optional<Prediction> Session::predict(const Plan &plan) {
  const Forest &f = forest(plan.spectrum);
  if (!plan.cases.empty()) return {}; // sizes say which of them it is
  const auto [name, heuristic] = impl_->heuristic(target());
  return impl_->run("prediction", name, [&] { return heuristic->predict(f, plan); });
}

std::vector<std::string> Session::entryNames(const std::vector<Plan> &plans) {
  std::map<std::string, unsigned> many;
  for (const Plan &plan : plans) ++many[plan.spectrum];
  std::set<std::string> taken;
  for (const auto &[spectrum, n] : many)
    if (n == 1) taken.insert(identifier(spectrum));
  std::map<std::string, unsigned> next;
  std::vector<std::string> names;
  std::set<std::string> singles;
  for (const Plan &plan : plans) {
    std::string base = identifier(plan.spectrum), name = base;
    bool single = many[plan.spectrum] == 1 && singles.insert(base).second;
    while (!single && !taken.insert(name = fmt::format("{}_{}", base, ++next[base])).second) {
    }
    names.push_back(name);
  }
  return names;
}

const ast::Module *Session::compose(const std::vector<Plan> &plans, ast::Arena &arena) {
  const Facts &known = facts();
  impl_->plans.clear();
  for (const Plan &plan : plans) impl_->plans += print(plan) + "\n";
  std::vector<std::string> names = entryNames(plans);
  std::vector<ClonedKernel> kernels;
  for (std::size_t i = 0; i < plans.size(); ++i) kernels.push_back({&plans[i], names[i]});
  return impl_->run("cloner", "clone", [&] {
    const ast::Module *composed = clone(module(), target().hardware, known, kernels, arena);
    impl_->checkSound(*composed, "the cloner");
    return composed;
  });
}

const ast::Module *Session::runPasses(const ast::Module *module, const std::vector<hardware::Step> &passes,
                                      ast::Arena &arena) {
  const Facts &known = facts();
  PassContext context{arena, impl_->diags, target(), known};
  const ast::Module *restored = impl_->current;
  std::map<std::string, std::string> hold;
  if (const PropertyDescriptor *composed = impl_->registry.properties.find("composed");
      impl_->options.verifyProperties && composed && composed->violations(*module, target()).empty())
    hold["composed"] = "the cloner";
  try {
    for (std::size_t i = 0; i < passes.size(); ++i) {
      impl_->current = module;
      impl_->remaining.clear();
      for (std::size_t j = i; j < passes.size(); ++j) impl_->remaining.push_back(passes[j].name);
      module = impl_->pass(module, passes[i], context);
      if (!impl_->options.verifyProperties) continue;
      const PassDescriptor &done = impl_->registry.passes.get(passes[i].name);
      for (const std::string &property : done.destroys) hold.erase(property);
      for (const std::string &property : done.establishes) hold[property] = done.name;
      impl_->checkProperties(*module, hold, done);
    }
  } catch (const DiagnosticError &e) {
    // The caller's arena may be gone by the time a crash file is written.
    if (e.diagnostic.cls == DiagnosticClass::Bug) impl_->reported = crashReport();
    impl_->current = restored;
    throw;
  }
  impl_->remaining.clear();
  impl_->current = restored;
  return module;
}

std::string Session::unfit(const Plan &plan) {
  if (!hardware::launchLevels(target().hardware)) return "";
  // Nothing is seen of it but its answer and its time.
  std::string result, step = impl_->step;
  std::vector<Diagnostic> before = diags().take();
  std::vector<Timing> timings = impl_->timings;
  PrintAfter printAfter = std::exchange(impl_->options.printAfter, PrintAfter::None);
  auto start = Clock::now();
  impl_->fitted.reset();
  auto arena = std::make_unique<ast::Arena>();
  const ast::Module *lowered = nullptr;
  try {
    lowered = lower({plan}, *arena);
  } catch (const DiagnosticError &e) {
    if (hardware::saysThatItDoesNotFit(e.diagnostic)) result = e.diagnostic.message;
  } catch (const ErrorsReported &) {
    result.clear(); // whoever lowers the plan to use it says what is wrong
  }
  impl_->options.printAfter = printAfter;
  std::vector<Timing> steps(impl_->timings.begin() + static_cast<std::ptrdiff_t>(timings.size()), impl_->timings.end());
  impl_->timings = std::move(timings);
  impl_->timings.push_back({"fit " + plan.spectrum, millisecondsSince(start)});
  impl_->step = std::move(step);
  std::vector<Diagnostic> said = diags().take();
  if (lowered) impl_->fitted = {print(plan), std::move(arena), lowered, std::move(said), std::move(steps)};
  for (Diagnostic &d : before) diags().add(std::move(d));
  return result;
}

Plan Session::pick(const std::string &spectrum, HeuristicContext &context) {
  constexpr std::size_t kTried = 32;
  Plan favourite = choose(spectrum, context)[0];
  std::string why = unfit(favourite);
  if (why.empty()) return favourite;
  HeuristicContext more;
  more.wanted = kTried;
  more.seed = context.seed;
  std::vector<Plan> plans = choose(spectrum, more);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!unfit(plans[i]).empty()) continue;
    diags().report(kPassedOver, {}, i == 1 ? "a plan" : fmt::format("{} plans", i), impl_->heuristic(target()).first,
                   spectrum, why);
    return plans[i];
  }
  return favourite;
}

const ast::Module *Session::lower(const std::vector<Plan> &plans, ast::Arena &arena) {
  std::optional<Impl::Lowered> &fitted = impl_->fitted;
  const bool same = fitted && plans.size() == 1 && fitted->plan == print(plans[0]);
  if (same && impl_->options.printAfter == PrintAfter::None) {
    for (Diagnostic &d : fitted->said) diags().add(std::move(d));
    if (impl_->timings.back().step == "fit " + plans[0].spectrum) impl_->timings.pop_back(); // its steps say more
    impl_->timings.insert(impl_->timings.end(), fitted->timings.begin(), fitted->timings.end());
    const ast::Module *module = fitted->module;
    impl_->lowered.push_back(std::move(fitted->arena));
    fitted.reset();
    return module;
  }
  return runPasses(compose(plans, arena), target().pipeline.passes, arena);
}

std::vector<OutputFile> Session::emit(const ast::Module &lowered, const std::string &stem) {
  target();
  OptionValues values = impl_->backendOptions();
  EmitContext context{target(), values, impl_->diags, stem};
  const ast::Module *restored = std::exchange(impl_->current, &lowered);
  std::vector<OutputFile> files = impl_->run("backend", target().pipeline.backend.name,
                                             [&] { return impl_->makeBackend()->emit(lowered, context); });
  impl_->current = restored;
  return files;
}

std::filesystem::path Session::build(const std::vector<OutputFile> &files, const std::filesystem::path &folder,
                                     const std::string &stem) {
  target();
  OptionValues values = impl_->backendOptions();
  BuildContext context{target(), values, impl_->diags, folder, stem, [] { return false; }};
  std::error_code ignored; // what cannot be made cannot be written to
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  for (const OutputFile &file : files) {
    std::ofstream out(folder / file.name, std::ios::binary);
    if (!(out << file.text).flush()) fail(kCannotWrite, {}, (folder / file.name).string());
  }
  return impl_->run("build with", target().pipeline.backend.name,
                    [&] { return impl_->makeBackend()->build(files, context); });
}

std::string Session::crashReport() const {
  if (!impl_->reported.empty()) return impl_->reported;
  CrashState state;
  state.step = impl_->step;
  state.passes = impl_->remaining;
  state.spectrum = impl_->spectrum;
  state.plans = impl_->plans;
  state.file = impl_->file.string();
  if (impl_->target) state.target = hardware::printRenamed(*impl_->target);
  if (impl_->step.starts_with("frontend ")) state.source = readWhole(impl_->file);
  if (impl_->current) state.module = ast::print(impl_->current, {.locations = true});
  return print(state);
}

} // namespace tangram

// From files to facts: frontends, linking, expanders, analyses.
#include "Impl.h"

#include "tangram/ast/Link.h"
#include "tangram/ast/Walk.h"
#include "tangram/pass/DeepStack.h"

#include <algorithm>

namespace tangram {

namespace {

constexpr DiagnosticKind kNoFrontend{"session.no-frontend", DiagnosticClass::User, "no frontend reads '{0}'",
                                     "known extensions: {1}"};
constexpr DiagnosticKind kNoFile{
    "session.no-file", DiagnosticClass::User, "there is no file '{0}'",
    "check the path; it is looked up from the current folder; a spectrum is named by --spectrum"};
constexpr DiagnosticKind kFolder{"session.folder", DiagnosticClass::User, "'{0}' is a folder", "name a file: {1}"};
constexpr DiagnosticKind kNoSpectrum{"session.no-spectrum", DiagnosticClass::User, "'{0}' declares no spectrum",
                                     "declare one: __spectrum int sum(const Array<1, int> in);"};
constexpr DiagnosticKind kMissingFact{"session.missing-fact", DiagnosticClass::User,
                                      "analysis '{0}' needs the facts '{1}', which no analysis before it establishes",
                                      "put the analysis that establishes '{1}' before it in the target"};
constexpr DiagnosticKind kPromise{"session.promise", DiagnosticClass::User,
                                  "the target promises '{0}: {1}', and no analysis of its pipeline sees to that",
                                  "add to 'analyses' one with the option '{0}', behind 'level-matching': {2}"};

} // namespace

std::set<std::string> callees(const ast::Spectrum &spectrum) {
  std::set<std::string> called;
  ast::walk(
      &spectrum, [&](const ast::SpectrumCall &call) { called.insert(call.spectrum); },
      [&](const ast::Map &map) { called.insert(map.spectrum); });
  return called;
}

namespace {

/// The module with these spectrums, and those that have to do with them: that they call, that call them (which says
/// what they are given), and so on. As it is where it lacks one of them.
const ast::Module *connected(const ast::Module *module, const std::vector<std::string> &spectrums, ast::Arena &arena) {
  std::map<std::string, std::set<std::string>> neighbours;
  for (const ast::Spectrum *s : module->spectrums) {
    auto edge = [&](const std::string &callee) {
      neighbours[s->name].insert(callee);
      neighbours[callee].insert(s->name);
    };
    edge(s->name);
    for (const std::string &callee : callees(*s)) edge(callee);
  }
  std::set<std::string> kept;
  std::vector<std::string> next = spectrums;
  while (!next.empty()) {
    const std::string name = std::move(next.back());
    next.pop_back();
    const auto found = neighbours.find(name);
    if (found == neighbours.end()) return module;
    if (kept.insert(name).second) next.insert(next.end(), found->second.begin(), found->second.end());
  }
  return arena.derive(module, [&](ast::Module &m) {
    std::erase_if(m.spectrums, [&](const ast::Spectrum *s) { return !kept.count(s->name); });
  });
}

} // namespace

const FrontendDescriptor &Session::Impl::frontend() {
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

std::string Session::Impl::sourcesIn(const std::filesystem::path &folder) const {
  std::vector<std::string> sources;
  std::error_code ec;
  for (std::filesystem::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    for (const auto &[_, d] : registry.frontends.all())
      for (const std::string &extension : d.extensions)
        if (it->path().filename().string().ends_with(extension)) sources.push_back(it->path().string());
  std::sort(sources.begin(), sources.end());
  return sources.empty() ? "none that lies there has an extension that a frontend reads" : suggest("", sources);
}

void Session::Impl::parse() {
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
  written = parts[0];
  module = current = wanted.empty() ? written : connected(written, wanted, arena);
  if (target) expand();
}

const ast::Module *Session::Impl::read() {
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
  FrontendRequest request{file, spectrum, includes, defines, &values, isWhole()};
  const ast::Module *parsed = run("frontend", d.name, [&] {
    const ast::Module *result = d.create()->parse(request, arena, diags);
    if (result && !diags.hasErrors()) checkSound(*result, fmt::format("frontend '{}'", d.name));
    return result;
  });
  if (!parsed) throw ErrorsReported();
  if (parsed->spectrums.empty()) fail(kNoSpectrum, {arena.internFile(file.string()), 1, 1, 1, 1}, file.string());
  return parsed;
}

void Session::Impl::expand() {
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

void Session::Impl::checkPromises() {
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

void Session::Impl::analyse() {
  checkPromises();
  facts.emplace();
  for (const hardware::Step &s : target->pipeline.analyses) {
    const AnalysisDescriptor &d = registry.analyses.get(s.name, s.range);
    for (const std::string &fact : d.requires_)
      if (!facts->established.count(fact)) fail(kMissingFact, s.range, d.name, fact);
    OptionValues given = s.options;
    for (const hardware::Promise &promise : target->promises)
      if (hasOption(d, promise.name) && !given.has(promise.name)) given.set(promise.name, promise.value, promise.range);
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

} // namespace tangram

#include "RunPasses.h"

#include "tangram/ast/Text.h"
#include "tangram/ast/Verify.h"

#include <algorithm>
#include <iostream>
#include <set>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kUnsound{"passes.unsound", DiagnosticClass::User, "this AST is not sound: {0}",
                                  "print one with `tangram compile FILE --emit ast`, or correct it here"};
constexpr DiagnosticKind kNotAModule{"passes.not-a-module", DiagnosticClass::User, "'{0}' holds a {1}, not a Module",
                                     "print one with `tangram compile FILE --emit ast`"};
constexpr DiagnosticKind kBadPassesEmit{"passes.bad-emit", DiagnosticClass::User, "--emit cannot be '{0}'", "use {1}"};
constexpr DiagnosticKind kEmitTarget{"passes.emit-target", DiagnosticClass::User,
                                     "--emit {0} needs a target, whose backend writes it", "add --target T"};
constexpr DiagnosticKind kWrongForm{
    "passes.form", DiagnosticClass::User, "pass '{0}' cannot make anything of this AST: {1}",
    "it needs an AST that is {2}, and no pass in front of it made it so: run those passes first, or start from what "
    "`tangram compile FILE --target T --emit ast --composed` prints. If this AST is that, this is a bug: please report "
    "it"};

/// Where no target is named: one level that runs scalar code, and nothing in the pipeline.
hardware::Target bareTarget() {
  hardware::Target target;
  target.name = "none";
  target.summary = "one scalar level";
  hardware::Level level;
  level.name = "thread";
  level.symbol = "T";
  level.scalar = true;
  target.hardware.name = "none";
  target.hardware.levels.push_back(level);
  return target;
}

/// What a pass needs of its input is the file's to have until a pass has established it: where a pass cannot go on, the
/// file is at fault, and not the passes.
const ast::Module *oneByOne(Session &session, const ast::Module *module, const std::vector<hardware::Step> &steps,
                            ast::Arena &arena) {
  std::set<std::string> established;
  for (const hardware::Step &step : steps) {
    const PassDescriptor &pass = session.registry().passes.get(step.name);
    try {
      module = session.runPasses(module, {step}, arena);
    } catch (const DiagnosticError &error) {
      std::vector<std::string> missing;
      std::copy_if(pass.requires_.begin(), pass.requires_.end(), std::back_inserter(missing),
                   [&](const std::string &property) { return !established.count(property); });
      const Diagnostic &d = error.diagnostic;
      if (d.cls != DiagnosticClass::Bug || missing.empty()) throw;
      fail(kWrongForm, d.range.valid() ? d.range : module->range, pass.name, d.message, fmt::join(missing, ", "));
    }
    for (const std::string &property : pass.destroys) established.erase(property);
    established.insert(pass.establishes.begin(), pass.establishes.end());
  }
  return module;
}

} // namespace

int runPasses(Driver &driver, const PassesFlags &flags) {
  static const std::vector<std::string> kinds{"ast", "source", "library"};
  if (std::find(kinds.begin(), kinds.end(), flags.emit) == kinds.end())
    fail(kBadPassesEmit, {}, flags.emit, suggest(flags.emit, kinds));
  if (flags.emit != "ast" && flags.target.empty()) fail(kEmitTarget, {}, flags.emit);
  const std::string &file = flags.word, &targetName = flags.target;
  std::vector<std::string> names = flags.run.empty() ? std::vector<std::string>{} : splitList(flags.run);
  Session &s = driver.session();
  const ast::Node *node = ast::parse(readFile(file), s.arena(), file);
  const ast::Module *module = ast::dyn<ast::Module>(node);
  if (!module) fail(kNotAModule, {}, file, ast::name(node->kind()));
  if (std::vector<ast::Violation> broken = ast::verify(*module); !broken.empty())
    fail(kUnsound, broken[0].node ? broken[0].node->range : module->range, broken[0].message);
  if (targetName.empty())
    s.open(module, bareTarget());
  else
    s.open(module, targetName);
  std::vector<hardware::Step> steps;
  for (const std::string &name : names) {
    hardware::Step step{name, {}, {}};
    for (const hardware::Step &known : s.target().pipeline.passes)
      if (known.name == name) step = known;
    s.registry().passes.get(name);
    steps.push_back(step);
  }
  ast::Arena arena;
  const ast::Module *lowered = oneByOne(s, module, steps, arena);
  if (flags.emit == "ast") {
    std::cout << ast::print(lowered, {.locations = flags.locations}) << "\n";
    return 0;
  }
  checkFolder(flags.folder);
  std::filesystem::path folder = flags.folder.empty() ? "." : flags.folder;
  std::string stem = flags.stem.empty() ? stemOf(file) : flags.stem;
  std::vector<OutputFile> files = s.emit(*lowered, stem);
  for (const OutputFile &output : files) writeFile(folder / output.name, output.text);
  if (flags.emit == "library") std::cout << s.build(files, folder, stem).string() << "\n";
  return 0;
}

} // namespace tangram::driver

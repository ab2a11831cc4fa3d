// tangram compile
#include "Driver.h"

#include "tangram/ast/Text.h"
#include "tangram/planning/Workload.h"

#include <cctype>
#include <iostream>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kBadEmit{"compile.bad-emit", DiagnosticClass::User, "--emit cannot be '{0}'", "use {1}"};
constexpr DiagnosticKind kBadStem{"compile.bad-stem", DiagnosticClass::User, "'{0}' is no base name of files",
                                  "give a name without folder: --stem sum"};

constexpr DiagnosticKind kBadSuffix{"compile.bad-suffix", DiagnosticClass::User,
                                    "--suffix: '{0}' cannot end the name of a C function",
                                    "use letters, digits and underscores: --suffix _cpu"};
constexpr DiagnosticKind kOverwrites{"compile.overwrites", DiagnosticClass::User,
                                     "'{0}' would be overwritten by what is made of it",
                                     "choose another folder with -o, or another base name with --stem"};

constexpr DiagnosticKind kAlone{"compile.alone", DiagnosticClass::User,
                                "of '{0}' one {1} of {2} does everything, by the plan that was picked",
                                "`tangram explain {3} --target {2} --spectrum {0}` says why", Severity::Warning};

struct CompileFlags : ProgramFlags {
  std::string emit = "source", folder, stem, suffix;
  bool notation = false, locations = false, composed = false;
};

/// To the folder as a file of its own, or to standard output.
void put(const CompileFlags &flags, const std::string &ending, const std::string &text) {
  if (flags.folder.empty())
    std::cout << text;
  else
    writeFile(std::filesystem::path(flags.folder) / (flags.stem + ending), text);
}

/// Says of plans that leave a machine idle that they do.
void tellIdle(Session &s, const std::vector<Plan> &plans, const std::string &file) {
  for (const Plan &plan : plans) {
    const Workload work = workload(plan, s.module(), s.target().hardware, s.expected());
    const bool loops = std::any_of(work.rules.begin(), work.rules.end(), [](const RuleWork &rule) {
      return rule.computes() && rule.codelet && !outermostLoops(*rule.codelet).empty();
    });
    if (work.alone && loops && s.target().hardware.levels.size() > 1)
      s.diags().report(kAlone, {}, plan.spectrum, *work.alone, s.target().name, file);
  }
}

int compile(Driver &driver, CompileFlags flags) {
  static const std::vector<std::string> kinds{"ast", "plan", "source", "library"};
  if (std::find(kinds.begin(), kinds.end(), flags.emit) == kinds.end())
    fail(kBadEmit, {}, flags.emit, suggest(flags.emit, kinds));
  // One text, as for other tools; what is several files has a folder.
  if (flags.folder == "-") {
    if (flags.emit != "plan" && flags.emit != "ast") checkFolder(flags.folder);
    flags.folder.clear();
  }
  if (flags.stem.empty()) flags.stem = stemOf(flags.files[0]);
  if (flags.stem.find('/') != std::string::npos || flags.stem == "." || flags.stem == "..")
    fail(kBadStem, {}, flags.stem);

  auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  if (!std::all_of(flags.suffix.begin(), flags.suffix.end(), fits)) fail(kBadSuffix, {}, flags.suffix);

  Session &s = driver.open(flags);
  s.setEntrySuffix(flags.suffix);
  ast::PrintOptions print{.locations = flags.locations};
  if (flags.emit == "ast" && flags.target.empty()) {
    put(flags, ".ast", ast::print(&s.module(), print) + "\n");
    return 0;
  }
  s.target(); // says so where there is none
  s.module();
  std::vector<Plan> plans = driver.plans(flags);
  if (flags.plans.empty()) tellIdle(s, plans, flags.files[0]);
  if (flags.emit == "plan") {
    std::string text;
    for (const Plan &plan : plans) {
      std::string one = flags.notation ? notation(plan, s.module(), s.target().hardware) : tangram::print(plan);
      text += (text.empty() ? "" : "\n") + one + (one.ends_with('\n') ? "" : "\n");
    }
    put(flags, ".plan", text);
    return 0;
  }
  ast::Arena arena;
  const ast::Module *lowered = flags.composed ? s.compose(plans, arena) : s.lower(plans, arena);
  if (flags.emit == "ast") {
    put(flags, ".ast", ast::print(lowered, print) + "\n");
    return 0;
  }
  std::filesystem::path folder =
      flags.folder.empty() ? std::filesystem::path(".") : std::filesystem::path(flags.folder);
  std::vector<OutputFile> files = s.emit(*lowered, flags.stem);
  for (const OutputFile &file : files) {
    std::error_code ec;
    for (const std::string &source : flags.files)
      if (std::filesystem::equivalent(folder / file.name, source, ec)) fail(kOverwrites, {}, source);
  }
  for (const OutputFile &file : files) writeFile(folder / file.name, file.text);
  if (flags.emit == "library") std::cout << s.build(files, folder, flags.stem).string() << "\n";
  return 0;
}

} // namespace

void addCompile(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("compile", "Turn codelets into source, a library, a plan or an AST");
  auto flags = std::make_shared<CompileFlags>();
  addProgramFlags(*sub, *flags);
  addBackend(*sub, driver);
  addChecked(*sub, driver);
  addExpected(*sub, *flags);
  sub->add_option(
         "--also", flags->also,
         "Another source that gets the same options: an --expect of a container that it has, and FILE has not, "
         "is no mistake")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--plan,-p", flags->plans,
                  "Follow the plans of this file instead of choosing; may stand several times. Without --spectrum, "
                  "nothing else is compiled")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--emit,-e", flags->emit,
                  "source (default): STEM.cpp and STEM.h, or what the backend writes instead; library: those and a "
                  "shared library, whose path is printed; "
                  "plan; ast: lowered for the backend, or as it was read where there is no --target")
      ->type_name("WHAT");
  sub->add_option("-o,--output", flags->folder,
                  "Folder for files; default: the current one for source and library, standard output for plan and "
                  "ast, which - means, too")
      ->type_name("DIR");
  sub->add_option("--stem", flags->stem, "Base name of the files; default: the program's")->type_name("NAME");
  sub->add_option("--suffix", flags->suffix,
                  "Ends the name of every entry: kernels for several targets can be linked into one program")
      ->type_name("TEXT");
  sub->add_flag("--notation", flags->notation, "With --emit plan: in the dissertation's notation");
  sub->add_flag("--composed", flags->composed, "With --emit ast: composed, before any pass");
  sub->add_flag("--locations", flags->locations, "With --emit ast: with the place of every node");
  addCommonFlags(*sub, driver);
  sub->footer("Examples:\n"
              "  tangram compile sum.tg.cpp --target cpu-openmp -o out\n"
              "  tangram compile sum.tg.cpp --target cpu-openmp --emit plan > sum.plan\n"
              "  tangram compile sum.tg.cpp --target cpu-openmp --plan sum.plan --emit library -o out\n"
              "  tangram compile sum.tg.cpp --emit ast");
  sub->callback([&driver, flags] {
    driver.command = [&driver, flags] {
      auto work = [&driver, flags] { return compile(driver, *flags); };
      return flags->emit == "library" ? driver.building(work) : work();
    };
  });
}

} // namespace tangram::driver

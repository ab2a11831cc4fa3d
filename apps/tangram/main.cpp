#include "Driver.h"

#include "tangram/plugin/Plugin.h"

#include <iostream>

namespace {

using namespace tangram;
using namespace tangram::driver;

void collectOptions(const CLI::App &app, std::vector<std::string> &names) {
  for (const CLI::Option *option : app.get_options()) {
    for (const std::string &name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string &name : option->get_snames()) names.push_back("-" + name);
  }
}

/// The command that the words went to, and words that nothing took.
const CLI::App *parsedCommand(const CLI::App &app) {
  const CLI::App *at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return at;
}

/// "tangram new plugin".
std::string wordsOf(const CLI::App &app, const CLI::App &command) {
  std::string words;
  for (const CLI::App *at = &command; at != &app; at = at->get_parent()) words = " " + at->get_name() + words;
  return "tangram" + words;
}

int usageError(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App *command = parsedCommand(app);
  std::vector<std::string> left = app.remaining(true);
  std::string message = error.what(), advice;
  auto near = [](const std::string &word, const std::vector<std::string> &known) {
    std::vector<std::string> names = nearest(word, known);
    return names.empty() ? std::string() : fmt::format("did you mean {}? ", fmt::join(names, " or "));
  };
  if (!left.empty() && left[0].starts_with('-') && left[0].size() > 1) {
    std::string flag = left[0].substr(0, left[0].find('='));
    std::vector<std::string> known;
    collectOptions(*command, known);
    message = fmt::format("there is no flag '{}'", flag);
    advice = near(flag, known);
  } else if (!left.empty() && command == &app) {
    std::vector<std::string> known;
    for (const CLI::App *sub : app.get_subcommands({})) known.push_back(sub->get_name());
    message = fmt::format("there is no command '{}'", left[0]);
    advice = near(left[0], known);
  } else if (!left.empty()) {
    message = fmt::format("'{}' is one word too many", left[0]);
  }
  std::string help = wordsOf(app, *command) + " --help";
  std::cerr << fmt::format("tangram: error: {}\n  {}`{}` lists what there is\n", message, advice, help);
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  Driver driver(argc, argv);
  CLI::App app{"Tangram: composes kernels from interchangeable codelets for the machine at hand.\n"
               "Exit codes: 0 done, 1 the input is wrong, 2 a known limitation, 3 a bug of tangram.",
               "tangram"};
  app.footer("Examples:\n"
             "  tangram run sum.tg.cpp --target cpu-openmp --spectrum sum --arg in=random:16M\n"
             "  tangram compile sum.tg.cpp --target cpu-openmp -o out\n"
             "  tangram explain sum.tg.cpp --target gpu --why-not kog@grid\n"
             "`tangram COMMAND --help` says more.");
  app.set_version_flag("--version", fmt::format("tangram {} ({})", TANGRAM_VERSION, coreBuildId()));
  app.require_subcommand(0, 1);
  std::string crashFile;
  app.add_option("--reproduce", crashFile, "Replay the step that a crash file was written for")->type_name("CRASHFILE");
  addCommonFlags(app, driver);
  addCompile(app, driver);
  addExplain(app, driver);
  addVerify(app, driver);
  addCheck(app, driver);
  addRun(app, driver);
  addTune(app, driver);
  addExperiment(app, driver);
  addTargets(app, driver);
  addPlugins(app, driver);
  addPasses(app, driver);
  addHeuristics(app, driver);
  addNew(app, driver);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    const CLI::App *command = parsedCommand(app);
    std::cout << (command == &app ? app.help() : command->help(wordsOf(app, *command->get_parent())));
    return 0;
  } catch (const CLI::Success &e) {
    return app.exit(e);
  } catch (const CLI::ParseError &e) {
    return usageError(app, e);
  }
  installCrashHandler(driver);
  if (!crashFile.empty()) return driver.guarded([&] { return reproduce(driver, crashFile); });
  if (!driver.command) {
    std::cout << app.help();
    return 0;
  }
  return driver.guarded(driver.command);
}

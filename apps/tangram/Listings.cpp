// tangram targets, plugins, heuristics, passes
#include "Driver.h"
#include "RunPasses.h"

#include <iostream>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kNoBackend{"targets.no-backend", DiagnosticClass::Limitation,
                                    "target '{0}' has no backend that could look at this machine",
                                    "write the sizes into the file by hand"};
constexpr DiagnosticKind kNoDevice{"targets.no-device", DiagnosticClass::User,
                                   "this machine has no device of the kind that target '{0}' describes{1}",
                                   "use a target for what is there; `tangram targets` lists them"};
constexpr DiagnosticKind kNoCompiler{"targets.no-compiler", DiagnosticClass::Limitation,
                                     "target '{0}' has no backend, and so no compiler",
                                     "name a target with a backend; `tangram targets` lists them"};
constexpr DiagnosticKind kOutputAlone{"targets.output-alone", DiagnosticClass::User, "-o goes with --detect or --flags",
                                      "write `tangram targets --detect T -o FILE`"};

struct Row {
  std::string name, text;
  Json json;
};

void list(Driver &driver, const std::vector<Row> &rows, const char *none) {
  if (driver.common.json) {
    Json all = Json::array();
    for (const Row &row : rows) all.push_back(row.json);
    std::cout << all.dump(2) << "\n";
    return;
  }
  std::size_t width = 0;
  for (const Row &row : rows) width = std::max(width, row.name.size());
  for (const Row &row : rows) std::cout << fmt::format("{:<{}}  {}\n", row.name, width, row.text);
  if (rows.empty()) std::cout << none << "\n";
}

std::string valueText(const OptionValue &value) {
  if (const bool *v = std::get_if<bool>(&value)) return *v ? "true" : "false";
  if (const std::int64_t *v = std::get_if<std::int64_t>(&value)) return std::to_string(*v);
  if (const double *v = std::get_if<double>(&value)) return fmt::format("{}", *v);
  if (const std::string *v = std::get_if<std::string>(&value)) return *v;
  return fmt::format("[{}]", fmt::join(std::get<std::vector<std::string>>(value), ", "));
}

Json valueJson(const OptionValue &value) {
  return std::visit([](const auto &v) { return Json(v); }, value);
}

const char *typeName(const OptionValue &value) {
  static const char *const names[] = {"flag", "integer", "number", "text", "list of text"};
  return names[value.index()];
}

Json describe(const Descriptor &d) {
  Json json{{"name", d.name}, {"summary", d.summary}, {"plugin", d.plugin}, {"options", Json::array()}};
  for (const OptionSpec &o : d.options) {
    Json option{
        {"name", o.name}, {"type", typeName(o.defaultValue)}, {"default", valueJson(o.defaultValue)}, {"doc", o.doc}};
    if (o.min) option["min"] = *o.min;
    if (o.max) option["max"] = *o.max;
    if (!o.oneOf.empty()) option["one-of"] = o.oneOf;
    json["options"].push_back(std::move(option));
  }
  return json;
}

std::string optionsHelp(const Descriptor &d) {
  std::string text;
  for (const OptionSpec &o : d.options) {
    text += fmt::format("  {} ({}, default {}", o.name, typeName(o.defaultValue), valueText(o.defaultValue));
    if (o.min) text += fmt::format(", at least {}", *o.min);
    if (o.max) text += fmt::format(", at most {}", *o.max);
    if (!o.oneOf.empty()) text += fmt::format(", one of {}", fmt::join(o.oneOf, ", "));
    text += fmt::format(")\n      {}\n", o.doc);
  }
  return text.empty() ? "" : "options:\n" + text;
}

std::string indented(const std::string &text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    result += "  " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return result;
}

const char *kindName(PassKind kind) { return kind == PassKind::Optimizer ? "optimizer" : "preparer"; }

Json describePass(const PassDescriptor &d) {
  Json json = describe(d);
  json["kind"] = kindName(d.kind);
  json["requires"] = d.requires_;
  json["excludes"] = d.excludes;
  json["establishes"] = d.establishes;
  json["destroys"] = d.destroys;
  json["before"] = d.before;
  json["after"] = d.after;
  return json;
}

Json describeExpander(const ExpanderDescriptor &d) {
  Json json = describe(d);
  json["kind"] = "expander";
  json["before"] = d.before;
  json["after"] = d.after;
  return json;
}

int helpOnExpander(Driver &driver, const ExpanderDescriptor &d) {
  if (driver.common.json) {
    std::cout << describeExpander(d).dump(2) << "\n";
    return 0;
  }
  std::cout << fmt::format("{} (expander, plugin {}): {}\n", d.name, d.plugin, d.summary) << optionsHelp(d);
  if (!d.before.empty() || !d.after.empty())
    std::cout << "before:\n" << indented(d.before) << "after:\n" << indented(d.after);
  return 0;
}

int helpOnPass(Driver &driver, const std::string &name) {
  if (const ExpanderDescriptor *expander = driver.session().registry().expanders.find(name))
    return helpOnExpander(driver, *expander);
  const PassDescriptor &d = driver.session().registry().passes.get(name);
  if (driver.common.json) {
    std::cout << describePass(d).dump(2) << "\n";
    return 0;
  }
  auto words = [](const std::vector<std::string> &list) {
    return list.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(list, ", "));
  };
  std::cout << fmt::format("{} ({}, plugin {}): {}\nneeds: {}\nnot behind: {}\nestablishes: {}\ndestroys: {}\n", d.name,
                           kindName(d.kind), d.plugin, d.summary, words(d.requires_), words(d.excludes),
                           words(d.establishes), words(d.destroys))
            << optionsHelp(d);
  if (!d.before.empty() || !d.after.empty())
    std::cout << "before:\n" << indented(d.before) << "after:\n" << indented(d.after);
  return 0;
}

int passes(Driver &driver) {
  std::vector<Row> rows;
  for (const auto &[name, d] : driver.session().registry().expanders.all())
    rows.push_back({name, fmt::format("{:<9}  {}", "expander", d.summary), describeExpander(d)});
  for (const auto &[name, d] : driver.session().registry().passes.all())
    rows.push_back({name, fmt::format("{:<9}  {}", kindName(d.kind), d.summary), describePass(d)});
  list(driver, rows, "no passes: no plugin that has any is loaded");
  return 0;
}

int heuristics(Driver &driver, const std::string &name) {
  const auto &table = driver.session().registry().heuristics;
  if (!name.empty()) {
    const HeuristicDescriptor &d = table.get(name);
    if (driver.common.json)
      std::cout << describe(d).dump(2) << "\n";
    else
      std::cout << fmt::format("{} (plugin {}): {}\n", d.name, d.plugin, d.summary) << optionsHelp(d);
    return 0;
  }
  std::vector<Row> rows;
  for (const auto &[key, d] : table.all()) rows.push_back({key, d.summary, describe(d)});
  list(driver, rows, "no heuristics: no plugin that has any is loaded");
  return 0;
}

int plugins(Driver &driver) {
  Session &s = driver.session();
  std::vector<Row> rows;
  for (const LoadedPlugin &p : s.plugins().loaded()) {
    Json json{{"name", p.name}, {"version", p.version}, {"summary", p.summary}, {"path", p.path.string()}};
    std::vector<std::string> has;
    auto collect = [&](const char *kind, const auto &table) {
      for (const auto &[name, d] : table.all())
        if (d.plugin == p.name) {
          json["components"].push_back(Json{{"kind", kind}, {"name", name}});
          has.push_back(fmt::format("{} {}", kind, name));
        }
    };
    collect("frontend", s.registry().frontends);
    collect("expander", s.registry().expanders);
    collect("analysis", s.registry().analyses);
    collect("heuristic", s.registry().heuristics);
    collect("pass", s.registry().passes);
    collect("backend", s.registry().backends);
    rows.push_back({p.name, fmt::format("{}  {}  [{}]", p.version, p.summary, fmt::join(has, ", ")), std::move(json)});
  }
  list(driver, rows, "no plugins: put their folder into --plugin-path or TANGRAM_PLUGIN_PATH");
  return 0;
}

int targets(Driver &driver) {
  std::vector<Row> rows;
  for (const hardware::TargetInfo &t : hardware::listTargets())
    rows.push_back({t.name, t.summary, Json{{"name", t.name}, {"summary", t.summary}, {"path", t.path.string()}}});
  list(driver, rows, "no targets: put a folder with YAML files into TANGRAM_HW_PATH");
  return 0;
}

int detect(Driver &driver, const std::string &name, const std::string &output) {
  Session &s = driver.session();
  hardware::Target target = hardware::loadTarget(name, s.arena());
  hardware::checkPipeline(target, s.registry());
  const hardware::Step &step = target.pipeline.backend;
  if (step.name.empty()) fail(kNoBackend, {}, target.name);
  const BackendDescriptor &d = s.registry().backends.get(step.name, step.range);
  OptionValues values = checkOptions(d.options, step.options, fmt::format("backend '{}'", d.name), step.range);
  Detection found = d.create(values)->detect(target.hardware);
  if (!found) fail(kNoDevice, {}, target.name, found.missing.empty() ? "" : ": " + found.missing);
  target.summary = fmt::format("{} ({})", target.summary, found.device);
  for (const auto &[option, entry] : found.options.entries()) target.pipeline.backend.options.set(option, entry.value);
  for (hardware::Level &level : target.hardware.levels) level.workers.automatic = false;
  std::string text = hardware::printRenamed(target);
  hardware::parseTarget(text, target.path, s.arena()); // what a device says of itself may contradict the rest
  if (output.empty())
    std::cout << text;
  else
    writeFile(output, text);
  return 0;
}

/// What the compiler of the target's code is told, as a response file of that compiler.
int compilerFlags(Driver &driver, const std::string &name, const std::string &output) {
  Session &s = driver.session();
  hardware::Target target = hardware::loadTarget(name, s.arena());
  const hardware::Step &step = target.pipeline.backend;
  if (step.name.empty()) fail(kNoCompiler, {}, target.name);
  const BackendDescriptor &d = s.registry().backends.get(step.name, step.range);
  OptionValues values = checkOptions(d.options, step.options, fmt::format("backend '{}'", d.name), step.range);
  std::string text;
  for (const std::string &word : d.create(values)->compilerFlags(values)) {
    // Without quotes where none are needed, so that $(tangram targets --flags T) is of use, too.
    const bool quoted = word.empty() || word.find_first_of(" \t\"'\\") != std::string::npos;
    if (quoted) text += '"';
    for (char c : word) text += (c == '"' || c == '\\' ? std::string("\\") : std::string()) + c;
    text += quoted ? "\"\n" : "\n";
  }
  if (output.empty())
    std::cout << text;
  else
    writeFile(output, text);
  return 0;
}

void addJson(CLI::App &sub, Driver &driver) { sub.add_flag("--json", driver.common.json, "As JSON"); }

} // namespace

void addTargets(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("targets", "List targets, or fill one in with the machine at hand");
  struct Flags {
    std::string detect, compilerFlags, output;
  };
  auto flags = std::make_shared<Flags>();
  sub->add_option("--detect", flags->detect, "Print this target with sizes of this machine")->type_name("T");
  sub->add_option("--flags", flags->compilerFlags,
                  "Print the flags and folders of headers by which `compile --emit library` compiles for this target, "
                  "one a line and quoted where need be, as compilers read them from @FILE")
      ->type_name("T")
      ->excludes("--detect");
  sub->add_option("-o,--output", flags->output, "With --detect or --flags: file to write")->type_name("FILE");
  addJson(*sub, driver);
  addCommonFlags(*sub, driver);
  sub->footer("Examples:\n  tangram targets --json\n  tangram targets --detect cpu-openmp -o here.yaml");
  sub->callback([&driver, flags] {
    driver.command = [&driver, flags] {
      if (flags->output == "-") flags->output.clear();
      if (!flags->detect.empty()) return detect(driver, flags->detect, flags->output);
      if (!flags->compilerFlags.empty()) return compilerFlags(driver, flags->compilerFlags, flags->output);
      if (!flags->output.empty()) fail(kOutputAlone, {});
      return targets(driver);
    };
  });
}

void addPlugins(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("plugins", "List loaded plugins and what they have");
  addJson(*sub, driver);
  addCommonFlags(*sub, driver);
  sub->footer("Example:\n  tangram plugins --plugin-path build/plugins");
  sub->callback([&driver] { driver.command = [&driver] { return plugins(driver); }; });
}

void addPasses(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("passes", "List passes, describe one, or run some on a textual AST");
  auto flags = std::make_shared<PassesFlags>();
  addChecked(*sub, driver);
  sub->add_option("NAME", flags->word, "A pass to describe; with --run or --emit the file with the AST");
  sub->add_option("--run", flags->run, "Run these on the module in the file and print it")->type_name("P1,P2,...");
  sub->add_option("--target,-t", flags->target,
                  "With --run: hardware and options of passes; default: one level that runs scalar code")
      ->type_name("T");
  CLI::Option *emit = sub->add_option("--emit,-e", flags->emit,
                                      "ast (default), or what the target's backend makes of the AST after --run: "
                                      "source, or library, whose path is printed")
                          ->type_name("WHAT");
  sub->add_option("-o,--output", flags->folder, "With --emit: folder for files; default: the current one")
      ->type_name("DIR");
  sub->add_option("--stem", flags->stem, "With --emit: base name of the files; default: the file's")->type_name("NAME");
  sub->add_flag("--locations", flags->locations, "With --run: print the place of every node");
  addJson(*sub, driver);
  addCommonFlags(*sub, driver);
  sub->footer(
      "Examples:\n  tangram passes flatten\n  tangram passes --run return-promotion,flatten --target cpu-simple "
      "sum.ast\n  tangram passes --emit library --target opencl-cpu -o out lowered.ast");
  sub->callback([&driver, flags, emit] {
    bool runs = !flags->run.empty() || emit->count() > 0;
    if (runs && flags->word.empty()) throw CLI::RequiredError("FILE");
    driver.command = [&driver, flags, runs] {
      if (runs) return runPasses(driver, *flags);
      return flags->word.empty() ? passes(driver) : helpOnPass(driver, flags->word);
    };
  });
}

void addHeuristics(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("heuristics", "List heuristics, or describe one");
  auto name = std::make_shared<std::string>();
  sub->add_option("NAME", *name, "One to describe");
  addJson(*sub, driver);
  addCommonFlags(*sub, driver);
  sub->footer("Example:\n  tangram heuristics parallelism-first");
  sub->callback([&driver, name] { driver.command = [&driver, name] { return heuristics(driver, *name); }; });
}

} // namespace tangram::driver

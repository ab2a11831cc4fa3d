// tangram tune --sizes
#include "Budget.h"
#include "RunArguments.h"
#include "SizeVariables.h"
#include "Tune.h"

#include "tangram/tune/Grid.h"

#include <cmath>
#include <iostream>

namespace tangram::driver {
namespace {

using tune::GridPoint;
using tune::GridReport;

constexpr DiagnosticKind kBundle{"tune.bundle", DiagnosticClass::User, "--bundle '{0}' is no share of a time",
                                 "write percent, 0 to 1000: --bundle 5%"};
constexpr DiagnosticKind kFaulty{
    "tune.faulty-dispatch", DiagnosticClass::Bug,
    "the plan that was made of several for '{0}' is not right, although each of them was: {1}",
    "report it; --keep leaves what was compiled"};

double parseBundle(const std::string &text) {
  std::string number = text;
  if (number.ends_with('%')) number.pop_back();
  std::size_t end = 0;
  double value = -1;
  try {
    value = std::stod(number, &end);
  } catch (const std::exception &) {
    fail(kBundle, {}, text);
  }
  if (end != number.size() || !(value >= 0 && value <= 1000)) fail(kBundle, {}, text);
  return value / 100;
}

double least(const GridPoint &point) {
  double result = HUGE_VAL;
  for (double s : point.seconds) result = std::min(result, s);
  return result;
}

/// What speaks for the plan at a point, or why nothing does.
std::string evidence(const GridReport &r, const GridPoint &point) {
  if (!point.failure.empty()) return fmt::format("{}: left out: {}", point.sizes, point.failure);
  std::string text = fmt::format("{}: {}", point.sizes,
                                 seconds(point.dispatch.value_or(point.seconds[planAt(r.fit, point.features)])));
  text += fmt::format(", the best {}", seconds(least(point)));
  if (r.fit.single) text += fmt::format(", the single plan {}", seconds(point.seconds[*r.fit.single]));
  if (point.pick) text += fmt::format(", the pick {}", seconds(*point.pick));
  return text;
}

std::string summary(const GridReport &r) {
  std::string text =
      fmt::format("{} of {} plans: {:.3f} times as long as the best of each size in geometric mean, {:.2f} at "
                  "most",
                  r.plan.cases.empty() ? std::size_t{1} : r.bundle.size(), r.plans.size(), r.fit.mean, r.fit.worst);
  if (r.fit.single && !r.plan.cases.empty())
    text += fmt::format("; one plan alone {:.3f} and {:.2f}", r.fit.singleMean, r.fit.singleWorst);
  return text;
}

/// As a file that `compile --plan` reads.
std::string planFile(const GridReport &r, const TuneFlags &flags) {
  std::string text = fmt::format("# tuned for {} ({}; seed {})\n", fmt::join(flags.sizes, ", "),
                                 fmt::join(flags.arguments, ", "), flags.seed);
  text += fmt::format("# {}\n", summary(r));
  for (const GridPoint &point : r.points) text += fmt::format("#   {}\n", evidence(r, point));
  text += fmt::format("# tangram {}, {}; {} plans tried\n", r.machine.tangram, today(), r.tried);
  return text + tangram::print(r.plan);
}

Json toJson(const GridReport &r, const std::string &plan) {
  Json json{{"spectrum", r.spectrum},
            {"target", r.target},
            {"device", r.machine.device},
            {"compiler", r.machine.compiler},
            {"tangram", r.machine.tangram},
            {"tried", r.tried},
            {"seconds", r.seconds},
            {"budget", r.budget},
            {"interrupted", r.interrupted},
            {"features", Json::array()},
            {"plans", Json::array()},
            {"bundle", r.bundle},
            {"mean", r.fit.mean},
            {"worst", r.fit.worst},
            {"regions", Json::array()},
            {"points", Json::array()},
            {"plan", plan}};
  if (r.fit.single)
    json["single"] = Json{{"plan", *r.fit.single}, {"mean", r.fit.singleMean}, {"worst", r.fit.singleWorst}};
  for (const SizeRatio &feature : r.features) json["features"].push_back(tangram::print(feature));
  for (const Plan &one : r.plans) json["plans"].push_back(key(one));
  for (std::size_t i = 0; i < r.fit.regions.size(); ++i)
    json["regions"].push_back(
        Json{{"when", i < r.plan.cases.size() ? tangram::print(r.plan.cases[i].when) : "otherwise"},
             {"plan", r.fit.regions[i].plan}});
  for (const GridPoint &point : r.points) {
    Json one{{"sizes", point.sizes}, {"between", point.between}};
    for (const auto &[name, value] : point.variables) one["variables"][name] = value;
    if (!point.failure.empty()) one["left-out"] = point.failure;
    one["seconds"] = Json::array();
    for (double s : point.seconds) one["seconds"].push_back(std::isfinite(s) ? Json(s) : Json(nullptr));
    if (point.pick) one["pick"] = *point.pick;
    if (point.dispatch) one["dispatch"] = *point.dispatch;
    if (point.failure.empty()) one["chosen"] = planAt(r.fit, point.features);
    json["points"].push_back(std::move(one));
  }
  return json;
}

void print(const GridReport &r, const TuneFlags &flags, const std::string &plan) {
  std::cout << fmt::format("{} on {}, {} sizes (seed {}): {} plans tried, in {:.0f} s\n", r.spectrum, r.target,
                           r.points.size(), flags.seed, r.tried, r.seconds);
  std::cout << fmt::format("  device {}{}\n  compiler {}\n", r.machine.device,
                           r.device.empty() ? "" : "; times are its own, with the data in its memory",
                           r.machine.compiler);
  if (r.interrupted) std::cout << "  interrupted\n";
  for (const GridPoint &point : r.points)
    std::cout << "  " << (point.between ? "between: " : "") << evidence(r, point) << "\n";
  std::cout << summary(r) << "\n";
  for (std::size_t i = 0; i < r.fit.regions.size(); ++i)
    std::cout << fmt::format("  {}: {}\n",
                             i < r.plan.cases.size() ? "when " + tangram::print(r.plan.cases[i].when) : "otherwise",
                             shortKey(r.plans[r.fit.regions[i].plan]));
  std::cout << (flags.output.empty()
                    ? plan
                    : fmt::format("the plan: {0}; use it by `tangram compile {1} --target {2} --plan {0}`\n",
                                  flags.output, fmt::join(flags.files, " "), flags.target));
}

} // namespace

int tuneSizes(Driver &driver, const TuneFlags &flags, tune::Database &database) {
  tune::GridOptions options;
  if (flags.bundle) options.tolerance = parseBundle(*flags.bundle);
  const ast::Spectrum &spectrum = spectrumToCall(driver, flags);
  std::vector<std::string> parameters;
  for (const ast::Param *p : spectrum.params) parameters.push_back(p->name);
  options.points = readSizes(flags.sizes, flags.arguments, parameters);
  options.call = [&](const tune::Variables &values) {
    std::vector<std::string> texts;
    for (const std::string &text : flags.arguments) texts.push_back(withSizes(text, values));
    Call call = callOf(driver, flags, texts, flags.seed);
    tune::GridCall result;
    result.problem.spectrum = spectrum.name;
    result.problem.sizes = call.arguments.shape.text;
    result.problem.data = fmt::format("{}; seed {}", fmt::join(texts, ", "), flags.seed);
    result.shape = call.arguments.shape;
    result.arguments = std::move(call.arguments.values);
    result.specs = std::move(call.given);
    result.expected = driver.session().expected();
    return result;
  };

  std::optional<TemporaryFolder> temporary;
  if (flags.folder.empty()) temporary.emplace("tangram-tune");
  fill(options.tune, flags);
  options.tune.folder = temporary ? temporary->path() : std::filesystem::path(flags.folder);
  const Interruptible interruptible;
  options.tune.interrupted = Interruptible::happened;
  options.tune.progress = [&](const tune::Progress &p) {
    driver.progress(progressLine(spectrum.name, p), flags.progress);
  };
  const GridReport report = tuneGrid(driver.session(), spectrum.name, database, options);
  driver.endProgress();
  if (!report.faulty.empty()) fail(kFaulty, spectrum.range, spectrum.name, report.faulty);

  const std::string plan = planFile(report, flags);
  if (!flags.output.empty()) writeFile(flags.output, plan);
  if (driver.common.json)
    std::cout << toJson(report, plan).dump(2) << "\n";
  else
    print(report, flags, plan);
  return report.interrupted ? Interruptible::kExitCode : 0;
}

} // namespace tangram::driver

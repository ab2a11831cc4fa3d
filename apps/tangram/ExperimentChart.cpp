// Lines of regret as SVG.
#include "Experiment.h"
#include "Markup.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tangram::driver {
namespace {

constexpr double kChartWidth = 640, kHeight = 400, kLeft = 60, kRight = 170, kTop = 20, kBottom = 50;
constexpr const char *kColors[] = {"#4269d0", "#efb118", "#ff725c", "#3ca951",
                                   "#a463f2", "#6cc5b0", "#9c6b4e", "#97a9bb"};

struct ChartPoint {
  double x = 0, regret = 1;
};

/// Of a heuristic at each budget: the geometric means over programs and targets at which it found something.
std::vector<ChartPoint> line(const std::vector<ExperimentResult> &results, const std::string &heuristic,
                             bool bySeconds) {
  std::map<std::size_t, std::vector<const ExperimentResult *>> budgets;
  for (const ExperimentResult &r : results)
    if (r.heuristic == heuristic && std::isfinite(r.regret)) budgets[r.plans].push_back(&r);
  std::vector<ChartPoint> points;
  for (const auto &[plans, of] : budgets) {
    double x = 0, y = 0;
    for (const ExperimentResult *r : of) {
      x += std::log(std::max(1e-3, bySeconds ? r->seconds : static_cast<double>(plans)));
      y += std::log(r->regret);
    }
    const auto n = static_cast<double>(of.size());
    points.push_back({std::exp(x / n), std::exp(y / n)});
  }
  return points;
}

} // namespace

std::string regretChart(const std::vector<ExperimentResult> &results, bool bySeconds) {
  std::vector<std::string> heuristics;
  for (const ExperimentResult &r : results)
    if (std::find(heuristics.begin(), heuristics.end(), r.heuristic) == heuristics.end())
      heuristics.push_back(r.heuristic);
  std::vector<std::vector<ChartPoint>> lines;
  double low = HUGE_VAL, high = 0, most = 1.1;
  for (const std::string &heuristic : heuristics) {
    lines.push_back(line(results, heuristic, bySeconds));
    for (const ChartPoint &p : lines.back())
      low = std::min(low, p.x), high = std::max(high, p.x), most = std::max(most, p.regret);
  }
  if (!(low < high)) low = std::isfinite(low) ? low / 2 : 1, high = low * 4;
  // Both axes are logarithmic.
  auto x = [&](double v) { return kLeft + (kChartWidth - kLeft - kRight) * std::log(v / low) / std::log(high / low); };
  auto y = [&](double v) { return kHeight - kBottom - (kHeight - kTop - kBottom) * std::log(v) / std::log(most); };
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                                "height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                                kChartWidth, kHeight);
  constexpr int ticks = 4;
  for (int i = 0; i <= ticks; ++i) {
    const double regret = std::pow(most, i / double(ticks)), at = low * std::pow(high / low, i / double(ticks));
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", kLeft,
                       kChartWidth - kRight, y(regret), y(regret));
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.2f}</text>\n", kLeft - 6, y(regret) + 4,
                       regret);
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.3g}</text>\n", x(at),
                       kHeight - kBottom + 18, at);
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", (kLeft + kChartWidth - kRight) / 2,
                     kHeight - 12, bySeconds ? "seconds spent" : "plans tried");
  svg +=
      fmt::format("<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">regret: time by that of the "
                  "best plan found</text>\n",
                  kHeight / 2);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char *color = kColors[i % std::size(kColors)];
    std::string path;
    for (const ChartPoint &p : lines[i])
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x(p.x), y(p.regret));
    svg += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"{}\"/>\n", color, path);
    for (const ChartPoint &p : lines[i])
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", x(p.x), y(p.regret), color);
    const double at = kTop + 16 * static_cast<double>(i) + 10;
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", kChartWidth - kRight + 12,
                       at - 9, color);
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", kChartWidth - kRight + 28, at, escaped(heuristics[i]));
  }
  return svg + "</svg>\n";
}

} // namespace tangram::driver

// What `tangram explain` says of the time that the heuristic predicts.
#include "Explain.h"

namespace tangram::driver {
namespace {

/// Parts of less are not worth a word.
constexpr double kShare = 0.01;

void lines(const Prediction &prediction, const PlanNode &node, unsigned depth, double whole,
           std::vector<std::string> &out) {
  std::string text =
      fmt::format("  {:>10}  {}{}", seconds(prediction.all), std::string(std::size_t{2} * depth, ' '), describe(node));
  std::string parts;
  const double calls = prediction.seconds > 0 ? prediction.all / prediction.seconds : 0;
  for (const Prediction::Part &part : prediction.parts)
    if (part.seconds * calls > kShare * whole)
      parts += fmt::format("{}{} {}", parts.empty() ? ": " : ", ", part.name, seconds(part.seconds * calls));
  out.push_back(text + parts);
  for (std::size_t i = 0; i < prediction.children.size(); ++i)
    lines(prediction.children[i], *node.children[i], depth + 1, whole, out);
}

} // namespace

std::vector<std::string> predictionLines(const Explanation &e) {
  if (!e.prediction) return {};
  std::vector<std::string> out{fmt::format("predicted: {}", seconds(e.prediction->seconds))};
  lines(*e.prediction, *e.plan.root, 0, e.prediction->seconds, out);
  out.emplace_back();
  return out;
}

Json predictionJson(const Prediction &prediction, const PlanNode &node) {
  Json json{{"choice", describe(node)},   {"level", node.level},     {"seconds", prediction.all},
            {"call", prediction.seconds}, {"parts", Json::object()}, {"children", Json::array()}};
  for (const Prediction::Part &part : prediction.parts) json["parts"][part.name] = part.seconds;
  for (std::size_t i = 0; i < prediction.children.size(); ++i)
    json["children"].push_back(predictionJson(prediction.children[i], *node.children[i]));
  return json;
}

} // namespace tangram::driver

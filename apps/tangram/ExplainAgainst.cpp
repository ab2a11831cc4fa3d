// Where two plans differ, in words, and what that costs by the heuristic's model.
#include "Explain.h"

#include <iostream>

namespace tangram::driver {
namespace {

struct Difference {
  std::string where, one, other;
  std::optional<double> oneSeconds, otherSeconds; // in all calls
};

class Comparison {
public:
  void compare(const PlanNode &a, const PlanNode &b, const Prediction *pa, const Prediction *pb) {
    const bool sameRule = a.rule == b.rule && a.codelet == b.codelet && a.to == b.to && a.spectrum == b.spectrum &&
                          a.children.size() == b.children.size();
    if (!sameRule || a.parameters != b.parameters) {
      Difference d;
      const bool map = a.rule == Rule::Distribute || a.rule == Rule::Serialize || a.rule == Rule::Split;
      d.where = fmt::format("{} of {} at {}", map ? "the map" : "the call", a.spectrum, a.level);
      for (const std::string &step : path_) d.where += ", " + step;
      d.one = describe(a), d.other = describe(b);
      if (pa) d.oneSeconds = pa->all;
      if (pb) d.otherSeconds = pb->all;
      differences.push_back(std::move(d));
    }
    if (!sameRule) return;
    if (a.rule == Rule::Select) path_.insert(path_.begin(), fmt::format("in codelet {} at {}", a.codelet, a.level));
    for (std::size_t i = 0; i < a.children.size(); ++i)
      compare(*a.children[i], *b.children[i], pa ? &pa->children[i] : nullptr, pb ? &pb->children[i] : nullptr);
    if (a.rule == Rule::Select) path_.erase(path_.begin());
  }

  std::vector<Difference> differences;

private:
  std::vector<std::string> path_; // codelets above, the nearest first
};

std::string timed(const std::string &what, const std::optional<double> &s) {
  return s ? fmt::format("{}: {}", what, seconds(*s)) : what;
}

} // namespace

bool explainAgainst(Session &session, const Plan &one, const Plan &other, bool json) {
  const std::optional<Prediction> a = session.predict(one), b = session.predict(other);
  Comparison comparison;
  comparison.compare(*one.root, *other.root, a ? &*a : nullptr, b ? &*b : nullptr);
  if (json) {
    Json result{
        {"spectrum", one.spectrum}, {"plan", key(one)}, {"against", key(other)}, {"differences", Json::array()}};
    if (a && b) result["predicted"] = Json{{"plan", a->seconds}, {"against", b->seconds}};
    for (const Difference &d : comparison.differences) {
      Json each{{"where", d.where}, {"plan", d.one}, {"against", d.other}};
      if (d.oneSeconds && d.otherSeconds) each["seconds"] = Json{{"plan", *d.oneSeconds}, {"against", *d.otherSeconds}};
      result["differences"].push_back(std::move(each));
    }
    std::cout << result.dump(2) << "\n";
    return !comparison.differences.empty();
  }
  std::cout << fmt::format("plan:    {}\nagainst: {}\n", key(one), key(other));
  if (comparison.differences.empty()) {
    std::cout << "they are the same\n";
    return false;
  }
  if (a && b)
    std::cout << fmt::format("predicted: {}, against {}: {:.2f} times as fast\n", seconds(a->seconds),
                             seconds(b->seconds), b->seconds / a->seconds);
  else
    std::cout << "the heuristic does not say what they take\n";
  std::cout << fmt::format("they differ in {} place{}; seconds are of all calls, with what is below:\n",
                           comparison.differences.size(), comparison.differences.size() == 1 ? "" : "s");
  for (const Difference &d : comparison.differences)
    std::cout << fmt::format("  {}\n    plan:    {}\n    against: {}\n", d.where, timed(d.one, d.oneSeconds),
                             timed(d.other, d.otherSeconds));
  return true;
}

} // namespace tangram::driver

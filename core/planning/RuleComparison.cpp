#include "tangram/planning/RuleComparison.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram {
namespace {

/// A plan that is being made: which alternative was taken at each of its points so far, and how often a better one was
/// passed over.
struct Candidate {
  struct Step {
    std::size_t alternative = 0, firstChild = 0;
    bool decided = false;
    SizedPoint point;
  };
  std::vector<Step> steps; // the first is the root; children of a step stand together
  std::vector<std::size_t> open;
  std::size_t passedOver = 0;
};

std::string describe(const Alternative &alternative) {
  std::string out(name(alternative.rule));
  if (alternative.codelet) out += ' ' + alternative.codelet->name;
  return out;
}

class Planner {
public:
  using Prefer = std::function<std::string(const SizedPoint &, const Alternative &, const Alternative &, unsigned)>;

  Planner(const Forest &forest, HeuristicContext &context, Prefer prefer)
      : forest_(forest), expectations_(forest, forest.expected()), context_(context), prefer_(std::move(prefer)),
        depth_(forest.point(forest.root()).depth) {}

  std::vector<Plan> run() {
    std::vector<Plan> plans;
    if (context_.wanted == 0 || !forest_.hasPlans()) return plans;
    Candidate first;
    first.steps.push_back({0, 0, false, SizedPoint(forest_, expectations_)});
    first.open.push_back(0);
    std::vector<Candidate> candidates{std::move(first)};
    for (unsigned iteration = 1; iteration <= depth_; ++iteration) {
      // A map belongs to the rule of the codelet that contains it: what opens in an iteration is decided in it too.
      while (std::any_of(candidates.begin(), candidates.end(), [&](auto &c) { return !due(c, iteration).empty(); })) {
        std::vector<Candidate> next;
        for (Candidate &candidate : candidates) {
          std::vector<std::size_t> now = due(candidate, iteration);
          if (now.empty())
            next.push_back(std::move(candidate));
          else
            expand(candidate, now, iteration, next);
        }
        prune(next);
        candidates = std::move(next);
      }
    }
    for (const Candidate &candidate : candidates) plans.push_back(plan(candidate));
    return plans;
  }

private:
  unsigned iterationOf(const Point &point) const { return depth_ - point.depth + (point.isMap ? 0 : 1); }
  std::vector<std::size_t> due(const Candidate &candidate, unsigned iteration) const {
    std::vector<std::size_t> result;
    for (std::size_t step : candidate.open)
      if (iterationOf(*candidate.steps[step].point) == iteration) result.push_back(step);
    return result;
  }

  /// The best alternatives of a point, as many as plans are wanted; equal ones in their stable order.
  const std::vector<std::size_t> &ranked(const SizedPoint &point, unsigned iteration) {
    auto [it, fresh] = ranked_.try_emplace({point.id(), point.expectation()});
    if (!fresh) return it->second;
    std::vector<std::size_t> left = rulesAt(*point); // it is rules that are compared, not values
    // One scan a rank that is wanted: a comparison need not be transitive, and there may be many alternatives.
    while (!left.empty() && it->second.size() < context_.wanted) {
      auto best = left.begin();
      for (auto other = best + 1; other != left.end(); ++other)
        if (!prefer_(point, point->alternatives[*other], point->alternatives[*best], iteration).empty()) best = other;
      it->second.push_back(*best);
      left.erase(best);
    }
    const Alternative &best = point->alternatives[it->second.front()];
    for (std::size_t loser : left) {
      std::string reason = prefer_(point, best, point->alternatives[loser], iteration);
      context_.prunings.push_back(
          {point.id(), loser,
           fmt::format("{} was preferred in iteration {} of {}: {}", describe(best), iteration, depth_,
                       reason.empty() ? "both are as good, and it stands first" : reason)});
    }
    return it->second;
  }

  /// The best combinations of rules for the points that are due, at most as many as plans are wanted.
  void expand(const Candidate &candidate, const std::vector<std::size_t> &now, unsigned iteration,
              std::vector<Candidate> &out) {
    struct Choice {
      std::vector<std::size_t> ranks;
      std::size_t sum = 0;
    };
    std::vector<Choice> choices(1);
    for (std::size_t step : now) {
      const std::vector<std::size_t> &order = ranked(candidate.steps[step].point, iteration);
      std::vector<Choice> more;
      for (const Choice &choice : choices)
        for (std::size_t r = 0; r < order.size(); ++r) {
          Choice longer = choice;
          longer.ranks.push_back(r);
          longer.sum += r;
          more.push_back(std::move(longer));
        }
      std::stable_sort(more.begin(), more.end(), [](auto &a, auto &b) { return a.sum < b.sum; });
      if (more.size() > context_.wanted) more.resize(context_.wanted);
      choices = std::move(more);
    }
    for (const Choice &choice : choices) {
      Candidate next = candidate;
      next.passedOver += choice.sum;
      for (std::size_t i = 0; i < now.size(); ++i) {
        const SizedPoint point = candidate.steps[now[i]].point;
        const std::size_t chosen = ranked(point, iteration)[choice.ranks[i]];
        const Alternative &alternative = point->alternatives[chosen];
        next.steps[now[i]].alternative = chosen;
        next.steps[now[i]].firstChild = next.steps.size();
        next.steps[now[i]].decided = true;
        next.open.erase(std::find(next.open.begin(), next.open.end(), now[i]));
        for (std::size_t child = 0; child < alternative.children.size(); ++child) {
          next.open.push_back(next.steps.size());
          next.steps.push_back({0, 0, false, point.child(alternative, child)});
        }
      }
      out.push_back(std::move(next));
    }
  }

  void prune(std::vector<Candidate> &candidates) const {
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](auto &a, auto &b) { return a.passedOver < b.passedOver; });
    if (candidates.size() > context_.wanted) candidates.resize(context_.wanted);
  }

  Plan plan(const Candidate &candidate) const {
    // derive() asks top down, children in order: the same tree is walked along.
    std::vector<std::size_t> stack{0};
    return forest_.derive([&](GoalId, const Point &point) {
      std::size_t at = stack.back();
      stack.pop_back();
      const Candidate::Step &step = candidate.steps[at];
      const Alternative &alternative = point.alternatives[step.alternative];
      for (std::size_t i = alternative.children.size(); i-- > 0;) stack.push_back(step.firstChild + i);
      return step.alternative;
    });
  }

  const Forest &forest_;
  const Expectations expectations_;
  HeuristicContext &context_;
  Prefer prefer_;
  unsigned depth_;
  std::map<std::pair<GoalId, Expectations::Id>, std::vector<std::size_t>> ranked_;
};

} // namespace

std::vector<Plan> RuleComparison::choose(const Forest &forest, HeuristicContext &context) {
  unsigned iterations = forest.point(forest.root()).depth;
  return Planner(forest, context,
                 [&](const SizedPoint &point, const Alternative &a, const Alternative &b, unsigned iteration) {
                   return prefer(forest, point, a, b, iteration, iterations);
                 })
      .run();
}

} // namespace tangram

#include "tangram/planning/EvolutionarySearch.h"

#include "tangram/compose/Count.h"
#include "tangram/planning/Variation.h"

#include <algorithm>

namespace tangram {
namespace {

constexpr std::size_t kParents = 16;   // the fastest so many have offspring
constexpr std::size_t kTournament = 2; // of so many drawn ones the fastest is taken
constexpr std::size_t kLitter = 6;     // of so many variants the one is tried that is predicted to be fastest
constexpr std::size_t kTries = 40;     // for a plan that is new
constexpr unsigned kListed = 1u << 14; // a space of so many plans is gone through where none that is new is drawn
constexpr double kDrawn = 0.15;        // how many are drawn ...
constexpr double kCrossed = 0.35;      // ... or made from two
constexpr double kScreened = 0.7;      // how many are the best of a litter: predictions err
constexpr double kMutatedTwice = 0.3;  // of those that are mutated

double chance(std::mt19937_64 &random) { return std::uniform_real_distribution<double>(0, 1)(random); }

} // namespace

EvolutionarySearch::EvolutionarySearch(const Forest &forest, std::string target, std::uint64_t seed, Predict predict)
    : forest_(forest), target_(std::move(target)), random_(seed), predict_(std::move(predict)),
      variation_(std::make_unique<Variation>(forest)) {}

EvolutionarySearch::~EvolutionarySearch() = default;

void EvolutionarySearch::suggest(Plan plan) {
  plan.target = target_;
  suggested_.push_back(std::move(plan));
}

void EvolutionarySearch::tell(const Plan &plan, std::optional<double> seconds) {
  given_.insert(key(plan));
  auto known = byKey_.find(key(plan));
  if (known == byKey_.end()) {
    if (!seconds) return;
    byKey_.emplace(key(plan), members_.size());
    members_.push_back({plan, *seconds});
  } else {
    members_[known->second].seconds = seconds.value_or(HUGE_VAL);
  }
}

std::vector<const EvolutionarySearch::Member *> EvolutionarySearch::fittest() const {
  std::vector<const Member *> result;
  for (const Member &member : members_)
    if (std::isfinite(member.seconds)) result.push_back(&member);
  std::stable_sort(result.begin(), result.end(),
                   [](const Member *a, const Member *b) { return a->seconds < b->seconds; });
  if (result.size() > kParents) result.resize(kParents);
  return result;
}

bool EvolutionarySearch::isNew(const Plan &plan) const { return !given_.count(key(plan)); }

Plan EvolutionarySearch::make(const std::vector<const Member *> &parents) {
  auto parent = [&]() -> const Plan & {
    std::size_t best = parents.size() - 1;
    for (std::size_t i = 0; i < kTournament; ++i)
      best = std::min(best, std::uniform_int_distribution<std::size_t>(0, parents.size() - 1)(random_));
    return parents[best]->plan;
  };
  const double how = chance(random_);
  Plan plan;
  if (parents.empty() || how < kDrawn) {
    plan = variation_->draw(random_);
  } else if (parents.size() > 1 && how < kDrawn + kCrossed) {
    const Plan &one = parent();
    plan = variation_->cross(one, parent(), random_);
  } else {
    plan = variation_->mutate(parent(), random_);
    if (chance(random_) < kMutatedTwice) plan = variation_->mutate(plan, random_);
  }
  plan.target = target_;
  return plan;
}

std::optional<Plan> EvolutionarySearch::screened(const std::vector<const Member *> &parents) {
  const std::size_t wanted = predict_ && chance(random_) < kScreened ? kLitter : 1;
  std::optional<Plan> best;
  double least = HUGE_VAL;
  std::size_t found = 0;
  for (std::size_t tries = 0; found < wanted && tries < kTries; ++tries) {
    Plan plan = make(parents);
    if (!isNew(plan)) continue;
    ++found;
    const double cost = wanted > 1 ? predict_(plan).value_or(HUGE_VAL) : 0;
    if (best && !(cost < least)) continue;
    best = std::move(plan);
    least = cost;
  }
  return best;
}

void EvolutionarySearch::take(Plan plan, std::vector<Plan> &plans) {
  if (given_.insert(key(plan)).second) plans.push_back(std::move(plan));
}

std::vector<Plan> EvolutionarySearch::next(std::size_t n) {
  std::vector<Plan> plans;
  while (plans.size() < n && nextSuggested_ < suggested_.size()) take(suggested_[nextSuggested_++], plans);
  const std::vector<const Member *> parents = fittest();
  while (plans.size() < n) {
    std::optional<Plan> plan = screened(parents);
    if (!plan) break;
    take(std::move(*plan), plans);
  }
  if (plans.size() < n && forest_.count() <= kListed)
    forest_.enumerate([&](Plan plan) {
      plan.target = target_;
      take(std::move(plan), plans);
      return plans.size() < n;
    });
  return plans;
}

} // namespace tangram

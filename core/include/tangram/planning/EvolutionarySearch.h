// Which plans to try next: an evolutionary search over the derivations of a forest, for whoever times plans or predicts
// what they take.
#pragma once

#include "tangram/compose/Forest.h"

#include <set>

namespace tangram {

class Variation;

/// First what was suggested, then plans that are made from the fastest of those that were told of, by one choice that
/// is another or a part of a second one, and a few that are drawn. The same seed and the same times give the same
/// plans.
class EvolutionarySearch {
public:
  /// What a plan may cost, where somebody has a model of that.
  using Predict = std::function<std::optional<double>(const Plan &)>;

  /// `forest` has plans, and outlives this. Plans are for `target`.
  EvolutionarySearch(const Forest &forest, std::string target, std::uint64_t seed, Predict predict = {});
  ~EvolutionarySearch();
  EvolutionarySearch(const EvolutionarySearch &) = delete;
  EvolutionarySearch &operator=(const EvolutionarySearch &) = delete;

  /// To be tried before any that is made up, in this order.
  void suggest(Plan plan);
  /// At most `n` plans, none of which was given before; fewer where no others are found.
  std::vector<Plan> next(std::size_t n);
  /// How long a plan takes; nothing: it cannot be used. The last answer counts.
  void tell(const Plan &plan, std::optional<double> seconds);

private:
  struct Member {
    Plan plan;
    double seconds = 0;
  };
  /// The fastest first; of those that are as fast, in the order in which they were told of.
  std::vector<const Member *> fittest() const;
  Plan make(const std::vector<const Member *> &parents);
  std::optional<Plan> screened(const std::vector<const Member *> &parents);
  bool isNew(const Plan &plan) const;
  void take(Plan plan, std::vector<Plan> &plans);

  const Forest &forest_;
  std::string target_;
  std::mt19937_64 random_;
  Predict predict_;
  std::unique_ptr<Variation> variation_;
  std::vector<Plan> suggested_;
  std::size_t nextSuggested_ = 0;
  std::set<std::string> given_; // keys
  std::vector<Member> members_;
  std::map<std::string, std::size_t> byKey_;
};

} // namespace tangram

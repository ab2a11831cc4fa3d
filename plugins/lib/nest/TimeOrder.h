// How iterations of two units of a schedule lie in time.
#pragma once

#include "tangram/nest/Schedule.h"

#include <array>

#include <isl/map.h>

namespace tangram::nest {

/// How iterations of two units lie in time: number by number, as { [loops of one] -> [loops of the other] }.
class TimeOrder {
public:
  TimeOrder(const Schedule &schedule, unsigned u, unsigned v, const std::vector<std::vector<isl::pw_aff>> &times)
      : schedule_(schedule), u_(u), v_(v), times_(times), cache_(times[u].size()) {}
  std::size_t size() const { return cache_.size(); }
  isl::map equal(isl::map pairs, std::size_t t) { return limited(std::move(pairs), t, 0); }
  isl::map earlier(isl::map pairs, std::size_t t) { return limited(std::move(pairs), t, 1); }
  isl::map later(isl::map pairs, std::size_t t) { return limited(std::move(pairs), t, 2); }

private:
  isl::map limited(isl::map pairs, std::size_t t, int which) {
    std::optional<long> a = number(times_[u_][t]), b = number(times_[v_][t]);
    if (a && b) {
      bool holds = which == 0 ? *a == *b : which == 1 ? *a < *b : *a > *b;
      return holds ? pairs : pairs.subtract(pairs);
    }
    std::array<isl::map, 3> &known = cache_[t];
    if (known[0].is_null()) {
      isl::map first = schedule_.timeMap(u_, {times_[u_][t]}), second = schedule_.timeMap(v_, {times_[v_][t]});
      known[0] = first.apply_range(second.reverse());
      known[1] = isl::manage(isl_map_lex_lt_map(first.copy(), second.copy()));
      known[2] = isl::manage(isl_map_lex_gt_map(first.copy(), second.copy()));
    }
    return pairs.intersect(known[static_cast<std::size_t>(which)]);
  }
  static std::optional<long> number(const isl::pw_aff &a) {
    if (!a.isa_aff() || !a.as_aff().is_cst()) return std::nullopt;
    return a.as_aff().constant_val().num_si();
  }

  const Schedule &schedule_;
  unsigned u_, v_;
  const std::vector<std::vector<isl::pw_aff>> &times_;
  std::vector<std::array<isl::map, 3>> cache_;
};

/// Those of the pairs of which the first is carried out before the second, by the number of time in which they differ.
template <class Use> void inOrder(TimeOrder &order, isl::map pairs, Use &&use) {
  for (std::size_t t = 0; t < order.size() && !pairs.is_empty(); ++t) {
    isl::map earlier = order.earlier(pairs, t);
    if (!earlier.is_empty()) use(std::move(earlier));
    pairs = order.equal(std::move(pairs), t);
  }
}

} // namespace tangram::nest

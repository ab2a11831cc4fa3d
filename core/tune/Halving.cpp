#include "tangram/tune/Halving.h"

#include <algorithm>
#include <cmath>

namespace tangram::tune {

double median(std::vector<double> seconds) {
  if (seconds.empty()) return HUGE_VAL;
  std::sort(seconds.begin(), seconds.end());
  const std::size_t n = seconds.size();
  return n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
}

namespace {

double least(const std::vector<double> &seconds) {
  return seconds.empty() ? HUGE_VAL : *std::min_element(seconds.begin(), seconds.end());
}

} // namespace

SuccessiveHalving::SuccessiveHalving(std::size_t candidates, HalvingOptions options)
    : options_(options), times_(candidates), over_(candidates == 0) {
  options_.finalists = std::max<std::size_t>(1, options_.finalists);
  options_.least = std::max<std::size_t>(1, options_.least);
  for (std::size_t i = 0; i < candidates; ++i) left_.push_back(i);
  for (std::size_t n = candidates; n > options_.finalists; n = std::max((n + 1) / 2, options_.finalists)) ++rungs_;
}

std::optional<std::size_t> SuccessiveHalving::next() const {
  if (over_) return {};
  return left_[turn_];
}

void SuccessiveHalving::took(const std::vector<double> &seconds, double turn) {
  std::vector<double> &own = times_[left_[turn_]];
  own.insert(own.end(), seconds.begin(), seconds.end());
  spent_ += turn;
  if (++turn_ < left_.size()) return;
  turn_ = 0;
  endRound();
}

std::vector<std::size_t> SuccessiveHalving::standing() const {
  std::vector<std::size_t> result = left_;
  std::vector<double> medians;
  for (const std::vector<double> &times : times_) medians.push_back(median(times));
  std::sort(result.begin(), result.end(),
            [&](std::size_t a, std::size_t b) { return medians[a] != medians[b] ? medians[a] < medians[b] : a < b; });
  return result;
}

void SuccessiveHalving::endRound() {
  ++rounds_;
  std::vector<std::size_t> order = standing();
  const double fastest = median(times_[order[0]]);
  if (left_.size() > options_.finalists)
    while (order.size() > options_.finalists && least(times_[order.back()]) > options_.hopeless * fastest)
      order.pop_back();
  const double share = options_.seconds / static_cast<double>(rungs_);
  const bool rungEnds = (rounds_ >= options_.least && spent_ >= share) || rounds_ >= options_.most;
  if (rungEnds) {
    if (order.size() <= options_.finalists) {
      over_ = true;
    } else {
      order.resize(std::max((order.size() + 1) / 2, options_.finalists));
      spent_ = 0;
      rounds_ = 0;
    }
  }
  // Who comes behind whom is another from round to round: what one leaves in the caches does not meet the same one.
  std::sort(order.begin(), order.end());
  std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(rounds_ % order.size()), order.end());
  left_ = std::move(order);
}

} // namespace tangram::tune

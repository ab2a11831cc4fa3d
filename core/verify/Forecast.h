// Whether a call of a plan would take too long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tangram::runtime {

/// How long a plan will take, from how long it took.
class Forecast {
public:
  void took(double seconds, std::uint64_t elements) {
    // The first call loads the code, which the device's driver may have to compile.
    if (calls_++ == 0)
      first_ = seconds;
    else
      spent_ += seconds;
    if (elements < kMany)
      fixed_ = std::min(fixed_, seconds);
    else
      perElement_ = std::max(0.0, seconds - fixed()) / static_cast<double>(elements);
  }
  bool tooLong(std::uint64_t elements, double patience) const {
    return perElement_ * static_cast<double>(elements) > patience || spent_ > kCalls * patience ||
           first_ > kFirst * patience;
  }

private:
  static constexpr std::uint64_t kMany = 1000; // elements; with fewer, what all calls need is most
  static constexpr double kCalls = 8;          // as slow as one may be
  static constexpr double kFirst = 20;         // of these for the first
  double fixed() const { return calls_ > 1 && fixed_ < std::numeric_limits<double>::infinity() ? fixed_ : 0; }

  unsigned calls_ = 0;
  double first_ = 0, spent_ = 0, perElement_ = 0;
  double fixed_ = std::numeric_limits<double>::infinity(); // what a call takes however few elements it has
};

} // namespace tangram::runtime

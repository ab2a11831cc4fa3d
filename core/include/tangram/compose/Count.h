// How many plans there are. Forest.h and what includes it only name the class: the library of large numbers takes
// longer to compile than all else there.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <compare>
#include <concepts>
#include <ostream>
#include <string>

namespace tangram {

/// A whole number, exact, with as many digits as it takes.
class Count {
public:
  using Number = boost::multiprecision::cpp_int; // to compute with

  Count() = default;
  template <class T>
    requires(!std::same_as<T, Count> && std::convertible_to<T, Number>)
  Count(const T &number) : number_(number) {}

  const Number &number() const { return number_; }
  std::string str() const { return number_.str(); }
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit operator T() const {
    return static_cast<T>(number_);
  }

  friend bool operator==(const Count &a, const Count &b) { return a.number_ == b.number_; }
  friend std::strong_ordering operator<=>(const Count &a, const Count &b) { return a.number_.compare(b.number_) <=> 0; }
  friend std::ostream &operator<<(std::ostream &out, const Count &count) { return out << count.str(); }

private:
  Number number_;
};

} // namespace tangram

// What the programs' main functions share.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdlib>

namespace apps {

/// A number of the command line; more than any that is allowed where it is none.
inline std::size_t number(const char *text) {
  char *end = nullptr;
  std::size_t value = std::strtoull(text, &end, 10);
  return end == text || *end || *text == '-' ? ~std::size_t(0) : value;
}

/// How long one run takes.
template <class F> double seconds(F run) {
  auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace apps

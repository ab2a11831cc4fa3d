// The words of a target file that stand for something; one list each, used by the reader, the printer and the advice.
#pragma once

#include "tangram/hardware/Hardware.h"

#include <array>
#include <string_view>

namespace tangram::hardware {

inline constexpr std::array<std::string_view, 3> kCapabilities = {"scalar", "vector", "matrix"};
inline constexpr std::array<std::string_view, 3> kTilings = {"any", "adjacent", "strided"}; // as in enum Tiling

inline constexpr std::array<std::string_view, 2> kOrders = {"any", "preserve"};
inline constexpr std::array<std::string_view, 4> kDeterminisms = {"none", "run", "device", "everywhere"};

inline constexpr std::array<std::uint64_t, 4> kAtomicBits = {8, 16, 32, 64};

template <std::size_t N> std::vector<std::string> list(const std::array<std::string_view, N> &words) {
  return {words.begin(), words.end()};
}

} // namespace tangram::hardware

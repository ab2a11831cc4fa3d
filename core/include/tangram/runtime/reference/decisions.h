// How a reference answers what roundings may turn.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tangram::reference {

/// What a call of a kernel is about beside its arguments.
struct Call {
  /// How comparisons and conversions to integers that roundings may turn are answered: as the plainest order does in
  /// the kernel's own type, all the other way, all by yes (the greater integer), all by no; anything else is the state
  /// of a generator that draws answers.
  enum : std::uint64_t { Own, Turned, Yes, No };
  std::uint64_t answers = Own;
  std::uint64_t most = UINT64_MAX; // so many; then answers are drawn: a loop may ask for ever
  std::uint64_t undecided = 0;     // such questions
  bool asked = false;              // its caller asks what is known of the results

  bool answer(bool own) {
    if (++undecided > most && answers <= No) answers = 0x9e3779b97f4a7c15;
    switch (answers) {
    case Own: return own;
    case Turned: return !own;
    case Yes: return true;
    case No: return false;
    default: break;
    }
    answers ^= answers << 13;
    answers ^= answers >> 7;
    answers ^= answers << 17;
    return answers & 1;
  }
};
inline Call call;

/// How often a call answers otherwise than its own numbers do, where these asked so often: loops may go on for as many
/// turns more, but not for ever.
inline std::uint64_t mostOthers(std::uint64_t asked) {
  constexpr std::uint64_t least = 1 << 20, more = 1 << 16, most = 1 << 29;
  return std::min(most, least + std::min(most, asked) * more);
}

} // namespace tangram::reference

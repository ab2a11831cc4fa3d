// Which plans verify() checks, and in which order: what matters most comes first, so that it may end early.
#pragma once

#include "tangram/planning/Derivations.h"
#include "tangram/verify/Verify.h"

namespace tangram::runtime {

struct Agenda {
  std::vector<Plan> plans;           // the pick, those that cover codelets and rules, the others
  bool pick = false;                 // the first of them is what the heuristic picks
  std::vector<std::size_t> codelets; // a plan for each codelet, the simplest that has it
  std::size_t drawn = 0;             // the last so many are drawn
  /// Plans that would make more calls than this (predictedCalls) even of the least arguments: they cut single elements
  /// into parts again and again. They are left out; the fewest calls that one of them would make.
  std::size_t hopeless = 0;
  double hopelessCalls = 0;
};
inline constexpr double kHopelessCalls = 1 << 17;

/// `least`: sizes of the smallest arguments there are.
Agenda makeAgenda(Session &session, const Forest &forest, const Derivations &derivations, const VerifyOptions &options,
                  const ExpectedSizes &least);

} // namespace tangram::runtime

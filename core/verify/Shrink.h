// Smaller cases of a failure: the smallest plan, and the smallest input.
#pragma once

#include "VerifyPlans.h"

namespace tangram::runtime {

/// Replaces parts of a plan that fails as long as it does. `simpler` lists candidates, the simplest first; `fails` says
/// which of some fail, or nothing where there is no more time. The result fails, and none of its candidates does.
Plan smallestFailing(Plan plan, const std::function<std::vector<Plan>(const Plan &)> &simpler,
                     const std::function<std::optional<std::vector<bool>>(const std::vector<Plan> &)> &fails);

/// The smallest arguments for which a kernel fails, and what is wrong there.
struct SmallInput {
  std::string arguments, reason;
  std::vector<std::string> values;
};

/// Sizes from nothing up, then elements: ones and zeros in place of others. Where none of about a thousand elements
/// fails, sizes up to `most`. Nothing where none does. `options` has what is said of arguments, and the deadline.
std::optional<SmallInput> smallestInput(const ast::Spectrum &spectrum, const Baseline &baseline,
                                        const std::filesystem::path &library, const std::string &entry,
                                        const VerifyOptions &options, std::uint64_t most);

} // namespace tangram::runtime

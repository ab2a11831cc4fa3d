// What a plan needs of a device beyond what the device has. That is a limit of the plan, known once it is lowered: no
// mistake in the source, and no plan that computes something wrong.
#pragma once

#include "tangram/diag/Diagnostic.h"

#include <cstdint>

namespace tangram::hardware {

inline constexpr DiagnosticKind kDoesNotFit{
    "target.does-not-fit", DiagnosticClass::Limitation,
    "{0} needs {1} bytes of {2}, of which target '{3}' has {4}: {5} bytes too many; the plan is {6}",
    "take another plan (tangram explain shows which there are), or give the target's levels fewer workers"};

/// `user`: what of the plan needs it; `plan`: its key.
[[noreturn]] inline void failDoesNotFit(SourceRange range, const std::string &user, std::uint64_t needed,
                                        const std::string &resource, const std::string &target, std::uint64_t there,
                                        const std::string &plan) {
  fail(kDoesNotFit, range, user, needed, resource, target, there, needed - there, plan);
}

inline bool saysThatItDoesNotFit(const Diagnostic &diagnostic) { return diagnostic.id == kDoesNotFit.id; }

} // namespace tangram::hardware

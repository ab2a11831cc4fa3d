// What a timing is of: machine, compiler, data, as text that tells one from another.
#pragma once

#include "tangram/session/Session.h"
#include "tangram/tune/Database.h"
#include "tangram/verify/Value.h"

namespace tangram::tune {

/// The device and the compiler of the session's target. A child asks the device, which must not be open in this process
/// when it starts others. Throws DiagnosticError where the device is not there.
Machine describeMachine(Session &session, const std::string &version);

/// The target's name, with a hash of all that it says.
std::string describeTarget(const hardware::Target &target);

/// A hash of the elements.
std::uint64_t hashOf(const std::vector<runtime::Value> &values);

} // namespace tangram::tune

// Clang's parser recurses as deep as its input nests; the usual stack is too small for what a file can hold.
#pragma once

#include <functional>

namespace tangram::frontend {

/// Runs `work` to its end on a thread with a large stack, or here where there is none to be had. It must not throw.
void onDeepStack(const std::function<void()> &work);

} // namespace tangram::frontend

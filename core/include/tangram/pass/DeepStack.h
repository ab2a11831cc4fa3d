// Programs nest, and what works on trees recurses as deep as they do. Every step of the compiler runs on a stack that
// is large enough for all that the frontends and the textual AST let through.
#pragma once

#include <functional>

namespace tangram {

/// Runs `work` to its end on a thread with a large stack, or here where this is such a thread already or there is none
/// to be had. What it throws is thrown here.
void onDeepStack(const std::function<void()> &work);

} // namespace tangram

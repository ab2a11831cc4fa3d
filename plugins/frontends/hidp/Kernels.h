// Functions of HiDP as spectrums and codelets of Tangram's language.
#pragma once

#include "Program.h"
#include "tangram/clang-family/Rewritten.h"

#include <set>

namespace tangram::hidp {

/// Loops whose iterations become calls of a map: where their nest begins in the file, and their iterator.
using Mapped = std::set<std::pair<std::size_t, std::string>>;

/// For each function a spectrum of its name. Codelets: `serial`, the statements as loops, one after the other; `fused`,
/// loops of one shape together, where there are such; `composed`, where statements call functions, or map blocks are
/// among `mapped` or have a pragma: what stands around them as it is, each block a map of a spectrum of its own, loops
/// between them in spectrums of their own.
frontend::Rewritten kernels(Program &program, const Source &source, const Mapped &mapped);

} // namespace tangram::hidp

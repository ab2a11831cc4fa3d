// Puts loads in front of what uses them, as far as they may go: a worker then waits for all of them at once. ptxas
// moves few loads past arithmetic by itself.
#pragma once

namespace llvm {
class Module;
}

namespace tangram::ptx {

/// Within basic blocks, between what writes memory or has other effects; so many at most before their uses that they
/// fit registers.
void loadsFirst(llvm::Module &module);

} // namespace tangram::ptx

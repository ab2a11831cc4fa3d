#include "LoadsFirst.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <set>
#include <vector>

namespace tangram::ptx {
namespace {

constexpr unsigned kTogether = 32; // registers that wait for memory

using Run = std::vector<llvm::Instruction *>;

/// What a load of the run needs of the run, the load included.
void mark(llvm::Instruction *i, const std::set<llvm::Instruction *> &run, std::set<llvm::Instruction *> &needed) {
  std::vector<llvm::Instruction *> open{i};
  while (!open.empty()) {
    llvm::Instruction *next = open.back();
    open.pop_back();
    if (!run.count(next) || !needed.insert(next).second) continue;
    for (llvm::Value *operand : next->operands())
      if (auto *by = llvm::dyn_cast<llvm::Instruction>(operand)) open.push_back(by);
  }
}

/// The order stays otherwise: what comes first needs nothing of what it passes.
void reorder(Run &run) {
  std::set<llvm::Instruction *> all(run.begin(), run.end()), needed;
  for (llvm::Instruction *i : run)
    if (llvm::isa<llvm::LoadInst>(i)) mark(i, all, needed);
  llvm::Instruction *last = nullptr;
  for (llvm::Instruction *i : run)
    if (needed.count(i)) {
      if (last)
        i->moveAfter(last);
      else if (i != run.front())
        i->moveBefore(run.front());
      last = i;
    }
  run.clear();
}

} // namespace

void loadsFirst(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      Run run;
      unsigned loads = 0;
      auto end = [&] {
        if (loads > 1) reorder(run);
        run.clear();
        loads = 0;
      };
      std::vector<llvm::Instruction *> order;
      for (llvm::Instruction &i : block) order.push_back(&i);
      for (llvm::Instruction *i : order) {
        auto *load = llvm::dyn_cast<llvm::LoadInst>(i);
        if (llvm::isa<llvm::PHINode>(i)) continue;
        if (i->isTerminator() || i->mayHaveSideEffects() || (i->mayReadFromMemory() && !load) ||
            (load && !load->isSimple())) {
          end();
          continue;
        }
        if (load && loads == kTogether) end();
        run.push_back(i);
        loads += load != nullptr;
      }
    }
}

} // namespace tangram::ptx

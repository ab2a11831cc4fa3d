#include "PartialResults.h"
#include "Reductions.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

namespace tangram::divide {

using namespace ast;
using nest::ReductionOp;

namespace {

/// A loop whose turns no nest knows.
bool isOpaque(const Stmt *s, const Module &module) {
  const auto *loop = dyn<For>(s);
  return !contains<Return>(s) && (isa<While>(s) || isa<DoWhile>(s) || (loop && !nest::isCounted(*loop, module)));
}

class PartialResults final : public Mutator {
public:
  PartialResults(Arena &arena, const Module &module, const Codelet &codelet, bool reorder)
      : Mutator(arena), module_(module), reorder_(reorder) {
    names_.reserveAll(&codelet);
  }

private:
  struct Updated {
    const VarRef *scalar = nullptr;
    std::optional<ReductionOp> op; // nothing: by several
    std::size_t mentioned = 0;     // in updates
  };

  const Node *mutateFor(const For *loop) override {
    ++loops_;
    const Node *result = Mutator::mutateFor(loop);
    --loops_;
    return result;
  }

  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      if (loops_ == 0 || !isOpaque(s, module_)) {
        stmts.push_back(as<Stmt>(mutate(s)));
        continue;
      }
      const Build build(arena(), s->range);
      std::vector<const Stmt *> behind;
      for (const auto &[name, of] : updatedIn(s)) {
        const Type type = of.scalar->type;
        const Expr *none = of.op ? neutral(build, *of.op, type) : nullptr;
        const bool exact = type.isInteger() || type.isBool() || (reorder_ && of.op == ReductionOp::Add);
        if (!none || !exact) continue;
        const Expr *own = build.var(names_.fresh(name + "_own"), type);
        stmts.push_back(build.declare(as<VarRef>(own)->name, type, none, false));
        s = substituted(arena(), s, [&](const VarRef *v) { return v->name == name ? own : v; });
        behind.push_back(build.assign(of.scalar, combined(build, *of.op, of.scalar, own)));
      }
      stmts.push_back(s);
      stmts.insert(stmts.end(), behind.begin(), behind.end());
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }

  /// Scalars of before the loop of which all mentions are parts of updates.
  std::map<std::string, Updated> updatedIn(const Stmt *loop) const {
    std::map<std::string, Updated> result;
    walk(loop, [&](const Stmt &s) {
      const std::optional<nest::Update> update = nest::updateOf(&s, module_);
      const auto *scalar = update ? dyn<VarRef>(update->target) : nullptr;
      if (!scalar || !scalar->type.isScalar()) return WalkResult::Advance;
      Updated &of = result.try_emplace(scalar->name, Updated{scalar, update->op, 0}).first->second;
      if (of.op != update->op) of.op.reset();
      of.mentioned += nest::mentionsOf(&s, scalar->name);
      return WalkResult::Skip;
    });
    const std::set<std::string> own = nest::declaredIn({loop});
    std::erase_if(result, [&](const auto &entry) {
      return own.count(entry.first) || entry.second.mentioned != nest::mentionsOf(loop, entry.first);
    });
    return result;
  }

  const Module &module_;
  bool reorder_;
  Names names_;
  unsigned loops_ = 0; // around
};

} // namespace

const Codelet *withPartialResults(const Module &module, const Codelet *codelet, bool reorder, Arena &arena) {
  return PartialResults(arena, module, *codelet, reorder)(codelet);
}

} // namespace tangram::divide

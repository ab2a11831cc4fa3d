#include "IntegerNarrowing.h"
#include "Narrower.h"

#include "tangram/ast/Mutator.h"
#include "tangram/ast/Uniformity.h"
#include "tangram/hardware/Hardware.h"
#include "tangram/loops/DataWidth.h"

namespace tangram::integer_narrowing {

using namespace ast;

namespace {

class Loops final : public Mutator {
public:
  Loops(Arena &arena, const hardware::Hardware &machine) : Mutator(arena), machine_(machine) {}

private:
  const Node *mutateLoop(const Loop *loop) override {
    const hardware::Level *level = machine_.find(loop->level);
    if (!level || !level->vector || loop->policy != Policy::Distribute) return rebuild(loop);
    const Region region{loop->body, loop->var, false, loop->level};
    const Block *body = narrowed(arena(), loop->body, Uniformity(region));
    // A number of four bytes among them, and as many lanes share a register as before: conversions for nothing.
    if (body == loop->body || widest(*loop, body) >= std::min(4U, widest(*loop, loop->body))) return loop;
    return arena().derive(loop, [&](Loop &copy) { copy.body = body; });
  }

  static unsigned widest(const Loop &loop, const Block *body) {
    const Region region{body, loop.var, false, loop.level};
    const Uniformity uniformity(region);
    return loops::widestData(body, [&](const Expr *e) { return uniformity.varying(e); });
  }

  const hardware::Hardware &machine_;
};

} // namespace

const Kernel *IntegerNarrowing::kernel(const Kernel *kernel, const Module &, PassContext &context) {
  return Loops(context.arena, context.target.hardware)(kernel);
}

} // namespace tangram::integer_narrowing

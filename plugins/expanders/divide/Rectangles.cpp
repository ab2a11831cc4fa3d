#include "Rectangles.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Extremes.h"
#include "tangram/nest/Range.h"
#include "tangram/nest/Read.h"

#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::LoopRange;

namespace {

class Rectangles : public Mutator {
public:
  Rectangles(const nest::Nest &nest, Arena &arena) : Mutator(arena), nest_(nest), dependences_(nest) {
    for (const Item &item : nest.items) find(item);
  }

  bool any() const { return !changed_.empty(); }

private:
  void find(const Item &item) {
    if (item.kind == Item::Kind::Loop && !seen_.count(item.index) && isParallel(item)) band(item);
    for (const auto *items : {&item.body, &item.otherwise})
      for (const Item &inner : *items) find(inner);
  }

  bool isParallel(const Item &loop) const { return dependences_.carried(loop.index).kind == Carried::Kind::Nothing; }

  /// Parallel loops directly in each other, from the outermost on.
  void band(const Item &outermost) {
    nest::IteratorBox box;
    std::vector<const Expr *> nonempty; // of the loops around
    for (const Item *item = &outermost; item; item = next(*item)) {
      seen_.insert(item->index);
      std::string why;
      std::optional<LoopRange> range = nest::rangeOf(nest_, item->index, arena(), why);
      if (!range) return;
      const nest::Loop &loop = nest_.loops[item->index];
      const Build build(arena(), loop.node->range);
      const bool begins = mentions(range->begin, box), ends = mentions(range->end, box);
      if (begins || ends) {
        if ((begins && range->step != 1) || contains<Continue>(loop.node->body)) return;
        const Expr *least = nest::extreme(build, range->begin, box, nest::Extreme::Least);
        const Expr *most = nest::extreme(build, range->end, box, nest::Extreme::Greatest);
        if (!least || !most) return;
        const Expr *iterator = build.cast(range->type, build.var(range->iterator, range->iteratorType));
        const Expr *inside = begins ? build.binary(BinaryOp::Le, range->begin, iterator) : nullptr;
        if (ends) {
          const Expr *below = build.less(iterator, range->end);
          inside = inside ? build.both(inside, below) : below;
        }
        // Loops around it without iterations have no extreme values.
        for (const Expr *turns : nonempty) most = build.select(turns, most, least);
        changed_[loop.node] = {least, most, inside, range->type};
        range->begin = least;
        range->end = most;
      }
      const Expr *last = build.sub(range->end, build.integer(range->type, 1));
      box[range->iterator] = {range->begin, last};
      nonempty.push_back(build.less(range->begin, range->end));
    }
  }

  /// The parallel loop that is all that a loop has in it.
  const Item *next(const Item &loop) const {
    const Item *inner = loop.body.size() == 1 ? &loop.body[0] : nullptr;
    return inner && inner->kind == Item::Kind::Loop && isParallel(*inner) ? inner : nullptr;
  }

  static bool mentions(const Expr *e, const nest::IteratorBox &box) {
    return ast::any<VarRef>(e, [&](const VarRef &v) { return box.count(v.name) > 0; });
  }

  const Node *mutateFor(const For *loop) override {
    const auto *inner = as<For>(Mutator::mutateFor(loop));
    auto it = changed_.find(loop);
    if (it == changed_.end()) return inner;
    const auto &[begin, end, inside, type] = it->second;
    const auto *start = as<Declare>(loop->init);
    const Build build(arena(), loop->range);
    const Expr *iterator = build.var(start->name, start->type);
    return arena().derive(inner, [&](For &f) {
      f.init = build.declare(start->name, start->type, build.cast(start->type, begin), false);
      f.cond = build.less(build.cast(type, iterator), end);
      f.body = build.block({build.when(inside, inner->body->stmts)});
    });
  }

  struct Changed {
    const Expr *begin = nullptr, *end = nullptr, *inside = nullptr;
    Type type;
  };
  const nest::Nest &nest_;
  nest::Dependences dependences_;
  std::map<const For *, Changed> changed_;
  std::set<unsigned> seen_;
};

} // namespace

const Codelet *withRectangularLoops(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const nest::Nest *const nest = nests.of(codelet);
  if (!nest) return &codelet;
  Rectangles rectangles(*nest, arena);
  return rectangles.any() ? as<Codelet>(rectangles.mutate(&codelet)) : &codelet;
}

} // namespace tangram::divide

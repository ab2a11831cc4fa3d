#include "tangram/nest/Segments.h"

#include "tangram/nest/KeptValues.h"

#include <algorithm>

namespace tangram::nest {

using namespace ast;

namespace {

/// From `bounds[i + first]` to `bounds[i + first + 1]`, where `i` is the iterator of a loop around.
struct Segment {
  std::string bounds;
  unsigned loop = 0;
  std::int64_t first = 0;
};

class Segments {
public:
  explicit Segments(const Nest &nest) : nest_(nest), kept_(*nest.codelet) {}

  std::optional<Segment> of(unsigned inner) const {
    const Loop &l = nest_.loops[inner];
    const auto *init = dyn<Declare>(l.node->init);
    const auto *cond = dyn<Binary>(l.node->cond);
    if (l.step != 1 || !init || !init->init || !cond || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Ne))
      return {};
    const auto *counter = dyn<VarRef>(kept_.resolved(cond->lhs));
    if (!counter || counter->name != l.variable) return {};
    const auto from = bound(init->init, inner), to = bound(cond->rhs, inner);
    if (!from || !to || from->bounds != to->bounds || from->loop != to->loop || to->first != from->first + 1) return {};
    return from;
  }

  /// Of the access, the dimension that an iterator of a segment of `loop` counts.
  std::optional<std::pair<std::size_t, Segment>> of(const Access &access, unsigned loop) const {
    const auto *s = dyn<Subscript>(access.node);
    if (!s || !isa<VarRef>(s->base)) return {};
    for (std::size_t d = 0; d < s->indices.size(); ++d) {
      const auto *counter = dyn<VarRef>(kept_.resolved(s->indices[d]));
      for (const unsigned inner : nest_.statements[access.statement].loops)
        if (counter && nest_.loops[inner].variable == counter->name)
          if (const std::optional<Segment> segment = of(inner); segment && segment->loop == loop)
            return std::pair(d, *segment);
    }
    return {};
  }

private:
  std::optional<Segment> bound(const Expr *e, unsigned inner) const {
    const auto *s = dyn<Subscript>(kept_.resolved(e));
    const auto *base = s ? dyn<VarRef>(s->base) : nullptr;
    if (!base || s->indices.size() != 1 || !base->type.isArray() || !base->type.element().isInteger()) return {};
    const Expr *index = kept_.resolved(s->indices[0]);
    std::int64_t more = 0;
    if (const auto *n = dyn<Binary>(index); n && (n->op == BinaryOp::Add || n->op == BinaryOp::Sub)) {
      const auto *right = dyn<IntLit>(kept_.resolved(n->rhs)), *left = dyn<IntLit>(kept_.resolved(n->lhs));
      if (right) {
        more = static_cast<std::int64_t>(n->op == BinaryOp::Add ? right->value : -right->value);
        index = kept_.resolved(n->lhs);
      } else if (left && n->op == BinaryOp::Add) {
        more = static_cast<std::int64_t>(left->value);
        index = kept_.resolved(n->rhs);
      }
    }
    const auto *i = dyn<VarRef>(index);
    for (std::optional<unsigned> around = nest_.loops[inner].parent; around && i; around = nest_.loops[*around].parent)
      if (nest_.loops[*around].variable == i->name) return Segment{base->name, *around, more};
    return {};
  }

  const Nest &nest_;
  KeptValues kept_;
};

bool writes(const Nest &nest, const std::string &container) {
  return std::any_of(nest.statements.begin(), nest.statements.end(), [&](const Statement &s) {
    return std::any_of(s.accesses.begin(), s.accesses.end(), [&](const Access &a) {
      return a.kind != AccessKind::Read && nest.variables[a.variable].name == container;
    });
  });
}

} // namespace

std::set<std::string> boundsOfSegments(const Nest &nest) {
  std::set<std::string> result;
  const Segments segments(nest);
  for (unsigned loop = 0; loop < nest.loops.size(); ++loop) {
    const std::optional<Segment> segment = segments.of(loop);
    const auto &params = nest.codelet->params;
    const bool given = segment && std::any_of(params.begin(), params.end(), [&](const Param *p) {
                         return p->name == segment->bounds && p->type.isArray() && p->type.rank() == 1;
                       });
    if (given && !writes(nest, segment->bounds)) result.insert(segment->bounds);
  }
  return result;
}

bool inOwnSegments(const Nest &nest, const Access &first, const Access &second, unsigned loop) {
  const Assumed &rising = nest.codelet->assumed;
  if (rising.empty()) return false;
  const Segments segments(nest);
  const auto one = segments.of(first, loop), other = segments.of(second, loop);
  return one && other && one->first == other->first && one->second.bounds == other->second.bounds &&
         one->second.first == other->second.first &&
         std::find(rising.begin(), rising.end(), one->second.bounds) != rising.end();
}

} // namespace tangram::nest

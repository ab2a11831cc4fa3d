#include "RegisterDemand.h"

#include "tangram/ast/Shapes.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram {

using namespace ast;

RegisterDemand::RegisterDemand(const CodeletSource &source, const CodeletContainers &containers, Numbers &numbers,
                               IndexSteps &steps)
    : source_(source), containers_(containers), numbers_(numbers), steps_(steps) {
  if (containers.hasWide()) findDifferingArrays();
}

RegisterDemand::Values RegisterDemand::of(const Stmt *s) const {
  if (const auto *d = dyn<Declare>(s)) return of(*d);
  Values own, inner;
  for (const Node *child : children(*s))
    if (const auto *stmt = isa<Stmt>(child) ? static_cast<const Stmt *>(child) : nullptr)
      isa<Declare>(stmt) ? own.add(of(stmt)) : inner.atLeast(of(stmt));
  own.add(inner);
  return own;
}

RegisterDemand::Values RegisterDemand::of(const Declare &d) const {
  if (d.shared || isReshaped(d)) return {};
  if (d.extents.empty())
    return {d.type.isArray() ? 0.0 : 1, 0, d.type.isFloating() ? static_cast<double>(d.type.bytes()) / 4 : 0};
  const double elements = containers_.find(&d.name)->elements;
  const double words = std::max(1.0, static_cast<double>(d.type.bytes()) / 4);
  const double all = elements <= kSmallArray ? elements * words : 0;
  // What is the same in all lanes is in one vector, however wide it is.
  return {all, all, differing_.contains(d.name) ? all : all / words};
}

void RegisterDemand::findDifferingArrays() {
  for (bool more = true; more;) {
    const std::size_t before = differing_.size();
    for (const Assign *a : source_.stores())
      if (const std::string *of = containerOf(a->target); of && !differing_.contains(*of) && !sameInAllLanes(a->value))
        differing_.insert(*of);
    more = differing_.size() > before;
  }
}

bool RegisterDemand::sameInAllLanes(const Expr *e) {
  if (!e || isa<CoopIdx>(e)) return !e;
  if (const auto *s = dyn<Subscript>(e)) {
    const std::string *of = containerOf(s);
    const bool own = containers_.find(of) && !containers_.isParameter(of);
    return own ? !differing_.contains(*of) : std::all_of(s->indices.begin(), s->indices.end(), [&](const Expr *i) {
      return steps_.acrossLanes(i) == 0.0;
    });
  }
  if (const auto *v = dyn<VarRef>(e)) {
    if (v->type.isInteger()) return steps_.acrossLanes(e) == 0.0;
    const Expr *value = numbers_.definition(v->name);
    return value && sameInAllLanes(value);
  }
  const std::vector<const Node *> operands = children(*e);
  return std::all_of(operands.begin(), operands.end(), [&](const Node *operand) {
    return isa<Expr>(operand) && sameInAllLanes(static_cast<const Expr *>(operand));
  });
}

} // namespace tangram

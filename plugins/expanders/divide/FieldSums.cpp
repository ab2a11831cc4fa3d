#include "FieldSums.h"

#include "Captures.h"
#include "LoopParts.h"
#include "ReplacedLoops.h"

#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"
#include "tangram/nest/Updates.h"

#include <map>

namespace tangram::divide {

using namespace ast;
using Stmts = std::vector<const Stmt *>;
using Exprs = std::vector<const Expr *>;

namespace {

/// `groups[g].sum`: the fields in front of a number, and the element; null for anything else.
const Subscript *elementWithFields(const Expr *e, std::string &fields) {
  while (const auto *member = dyn<Member>(e)) {
    fields = member->field + (fields.empty() ? "" : "_") + fields;
    e = member->base;
  }
  const auto *element = dyn<Subscript>(e);
  return element && !fields.empty() && isa<VarRef>(element->base) ? element : nullptr;
}

class FieldSums final : public ReplacedLoops {
public:
  FieldSums(const nest::Nest &nest, bool reorder, Arena &arena)
      : ReplacedLoops(arena), nest_(nest), dependences_(nest), reorder_(reorder) {
    names_.reserveAll(nest.codelet);
    for (const nest::Item &item : nest.items)
      if (item.kind == nest::Item::Kind::Loop) prepare(item.index);
  }
  const Codelet *run() { return made.empty() ? nest_.codelet : as<Codelet>(mutate(nest_.codelet)); }

private:
  struct Sum {
    const Subscript *element = nullptr; // one of those that are added to
    const Expr *target = nullptr;
    const Expr *own = nullptr; // a container
  };

  void prepare(unsigned loop) {
    if (dependences_.carried(loop).kind == nest::Carried::Kind::Nothing) return;
    const For *node = nest_.loops[loop].node;
    std::set<std::string> shared;
    for (const nest::Dependence &d : dependences_.all(loop)) shared.insert(nest_.variables[d.first->variable].name);
    sums_.clear();
    for (const Param *p : nest_.codelet->params)
      if (p->type.isArray() && p->type.element().isStruct() && shared.count(p->name)) find(*node, p->name);
    if (!sums_.empty()) made[node] = apart(*node);
    sums_.clear();
  }

  /// What the loop adds to fields of a container, where it does nothing else with it.
  void find(const For &loop, const std::string &container) {
    std::size_t mentions = 0, updates = 0; // those that are in updates
    std::map<std::string, Sum> found;
    walk(
        &loop, [](const Size &) { return WalkResult::Skip; }, [&](const VarRef &v) { mentions += v.name == container; },
        [&](const Evaluate &e) {
          const std::optional<nest::Update> update = nest::updateOf(&e, *nest_.module);
          std::string fields;
          const Subscript *element = update ? elementWithFields(update->target, fields) : nullptr;
          if (!element || as<VarRef>(element->base)->name != container || update->op != nest::ReductionOp::Add) return;
          const Type type = update->target->type;
          if (!type.isScalar() || type.isBool() || type.isHalf() || (type.isFloating() && !reorder_)) return;
          walk(&e, [&](const VarRef &v) { updates += v.name == container; }); // `x = T(x + y)` has it twice
          found[container + "_" + fields] = {element, update->target, nullptr};
        });
    if (updates == 0 || updates != mentions) return;
    for (auto &[name, sum] : found) {
      const Build build(arena(), loop.range);
      sum.own = build.var(names_.fresh(name),
                          Type::array(static_cast<unsigned>(sum.element->indices.size()), sum.target->type));
      sums_[name] = sum;
    }
  }

  Stmts apart(const For &loop) {
    const Build build(arena(), loop.range);
    const Tunable *noTunable = nullptr;
    const Expr *none = nullptr;
    Stmts before, behind;
    for (const auto &[name, sum] : sums_) {
      const Type type = sum.target->type;
      Exprs extents;
      const std::size_t rank = sum.element->indices.size();
      for (std::size_t d = 0; d < rank; ++d)
        extents.push_back(arena().make<Size>(loop.range, kSize, sum.element->base,
                                             rank > 1 ? build.integer(Scalar::U32, static_cast<Int>(d)) : none));
      before.push_back(arena().make<Declare>(loop.range, as<VarRef>(sum.own)->name, sum.own->type, false, false,
                                             extents, noTunable, none));
      before.push_back(overElements(build, names_, extents, [&](const Exprs &at) {
        return Stmts{build.assign(build.element(sum.own, at, type), build.zero(type))};
      }));
      behind.push_back(overElements(build, names_, extents, [&](const Exprs &at) {
        const Expr *place = placeOf(sum.target, at);
        return Stmts{build.assign(place, build.cast(type, build.add(place, build.element(sum.own, at, type))))};
      }));
    }
    before.push_back(as<Stmt>(mutate(static_cast<const Node *>(&loop))));
    before.insert(before.end(), behind.begin(), behind.end());
    return before;
  }

  /// The same fields of another element.
  const Expr *placeOf(const Expr *target, const Exprs &at) {
    if (const auto *member = dyn<Member>(target)) {
      const Expr *base = placeOf(member->base, at);
      return arena().derive(member, [&](Member &m) { m.base = base; });
    }
    return arena().derive(as<Subscript>(target), [&](Subscript &s) { s.indices = at; });
  }

  const Node *mutateMember(const Member *m) override {
    std::string fields;
    const Subscript *element = elementWithFields(m, fields);
    const auto sum = element ? sums_.find(as<VarRef>(element->base)->name + "_" + fields) : sums_.end();
    if (sum == sums_.end()) return Mutator::mutateMember(m);
    Exprs indices;
    for (const Expr *index : element->indices) indices.push_back(mutateAs(index));
    return Build(arena(), m->range).element(sum->second.own, std::move(indices), m->type);
  }

  const nest::Nest &nest_;
  nest::Dependences dependences_;
  bool reorder_;
  Names names_;
  std::map<std::string, Sum> sums_; // of the loop at hand, by container and fields
};

} // namespace

const Codelet *withFieldSums(nest::Nests &nests, const Codelet &codelet, bool reorder, Arena &arena) {
  const bool any = std::any_of(codelet.params.begin(), codelet.params.end(),
                               [](const Param *p) { return p->type.isArray() && p->type.element().isStruct(); });
  const nest::Nest *nest = any ? nests.of(codelet) : nullptr;
  return nest && !hasViews(*nest->codelet) ? FieldSums(*nest, reorder, arena).run() : &codelet;
}

} // namespace tangram::divide

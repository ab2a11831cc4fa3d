#include "RunningValues.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"

#include <algorithm>
#include <map>

namespace tangram::divide {

using namespace ast;

namespace {

class RunningValues : public Mutator {
public:
  RunningValues(const For *loop, Names &names, Arena &arena) : Mutator(arena), loop_(loop), names_(names) {}

  std::optional<OwnRunningValues> run(const Codelet &codelet) {
    const auto *body = as<Block>(mutate(codelet.body));
    if (made_.empty()) return {};
    return OwnRunningValues{arena().derive(&codelet, [&](Codelet &c) { c.body = body; }), std::move(made_)};
  }

private:
  const Node *mutateFor(const For *f) override {
    if (f != loop_) return Mutator::mutateFor(f);
    const auto &stmts = f->body->stmts;
    std::map<std::string, std::vector<std::size_t>> changes; // by which statements
    for (std::size_t i = 0; i < stmts.size(); ++i)
      for (const std::string &name : assignedVariables(stmts[i])) changes[name].push_back(i);
    for (const Stmt *s : stmts)
      if (const auto *d = dyn<Declare>(s)) changes.erase(d->name); // an iteration's own
    const Build build(arena(), f->range);
    std::vector<const Stmt *> first, all;
    std::vector<std::vector<const Stmt *>> behind(stmts.size());
    const std::map<std::string, Element> elements = changedElements(stmts);
    std::map<std::pair<std::string, bool>, const Expr *> own; // of a scalar, before and behind its change
    const auto ownOf = [&](const std::string &place, const Expr *e, bool changed, std::vector<const Stmt *> &where) {
      const Expr *&value = own[{place, changed}];
      if (value) return value;
      const std::string name = names_.fresh(place + (changed ? "_then" : "_before"));
      made_.insert(name);
      where.push_back(build.declare(name, e->type, e));
      return value = build.var(name, e->type);
    };
    for (std::size_t i = 0; i < stmts.size(); ++i)
      all.push_back(substituted(
          arena(), stmts[i],
          [&](const VarRef *v) -> const Expr * {
            const auto change = changes.find(v->name);
            if (change == changes.end() || change->second.size() != 1 || change->second[0] == i || !v->type.isScalar())
              return v;
            const bool changed = i > change->second[0];
            return ownOf(v->name, v, changed, changed ? behind[change->second[0]] : first);
          },
          [&](const Subscript *e) -> const Expr * {
            const auto *base = dyn<VarRef>(e->base);
            const auto change = base ? elements.find(base->name) : elements.end();
            if (change == elements.end() || change->second.statement == i) return nullptr;
            return ownOf(base->name, change->second.place, true, behind[change->second.statement]);
          }));
    if (own.empty()) return f;
    for (std::size_t i = 0; i < all.size(); ++i) {
      first.push_back(all[i]);
      first.insert(first.end(), behind[i].begin(), behind[i].end());
    }
    return arena().derive(f, [&](For &changed) { changed.body = build.block(std::move(first)); });
  }

  /// Of a container, the one element that an iteration touches, and the one statement, which updates it.
  struct Element {
    const Subscript *place = nullptr;
    std::size_t statement = 0;
  };

  /// Those that statements behind the update read, and no one in front of it touches.
  static std::map<std::string, Element> changedElements(const std::vector<const Stmt *> &stmts) {
    std::map<std::string, Element> found;
    std::set<std::string> assigned;
    for (const Stmt *s : stmts) assigned.merge(assignedVariables(s));
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      const auto *e = dyn<Evaluate>(stmts[i]);
      const auto *set = e ? dyn<Assign>(e->expr) : nullptr;
      const auto *place = set ? dyn<Subscript>(set->target) : nullptr;
      const auto *base = place ? dyn<VarRef>(place->base) : nullptr;
      if (!base || !place->type.isScalar() || place->indices.size() != base->type.rank()) continue;
      const bool stays = std::none_of(place->indices.begin(), place->indices.end(), [&](const Expr *index) {
        return hasEffects(index) || contains<Subscript>(index) ||
               any<VarRef>(index, [&](const VarRef &v) { return assigned.count(v.name) != 0; });
      });
      const bool updates = set->op != AssignOp::Set || nest::mentionsOf(set->value, base->name) > 0;
      bool alone = stays && updates, read = false;
      for (std::size_t j = 0; j < stmts.size() && alone; ++j) {
        std::size_t same = 0;
        walk(stmts[j], [&](const Subscript &other) { same += equal(&other, place); });
        alone = same == nest::mentionsOf(stmts[j], base->name) && (j >= i || same == 0) &&
                (j == i || !nest::writtenIn({stmts[j]}).count(base->name));
        read |= j > i && same > 0;
      }
      if (alone && read) found[base->name] = {place, i};
    }
    return found;
  }

  const For *loop_;
  Names &names_;
  std::set<std::string> made_;
};

} // namespace

std::optional<OwnRunningValues> withOwnRunningValues(const Codelet &codelet, const For *loop, Names &names,
                                                     Arena &arena) {
  return RunningValues(loop, names, arena).run(codelet);
}

} // namespace tangram::divide

#include "UpdatesApart.h"

#include "Captures.h"
#include "ReplacedLoops.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Substitute.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Updates.h"

#include <algorithm>

namespace tangram::divide {

using namespace ast;

namespace {

/// Iterators of loops by which the elements of updates are counted.
using Place = std::set<std::string>;

std::size_t mentionsOf(const Node *tree, const std::set<std::string> &names) {
  std::size_t count = 0;
  walk(tree, [](const Size &) { return WalkResult::Skip; }, [&](const VarRef &v) { count += names.count(v.name); });
  return count;
}

/// Updates of elements of containers that a loop does not declare, and what counts them.
class PlacesOf {
public:
  PlacesOf(const For *loop, const Module &module, bool reorder) : module_(module) {
    walk(loop, [&](const Declare &d) { own_.insert(d.name); });
    walk(loop, [&](const For &f) {
      if (const auto *d = dyn<Declare>(f.init)) iterators_.insert(d->name);
    });
    block(loop->body);
    std::set<std::string> changed = changedBy(loop), containers;
    for (const std::string &name : own_) changed.erase(name);
    std::size_t mentions = 0;
    for (const auto &[s, update] : updates_) {
      const bool any = update.op == nest::ReductionOp::Add &&
                       (update.target->type.isInteger() || (update.target->type.isFloating() && reorder));
      possible_ &= any;
      containers.insert(rootVariable(update.target)->name);
    }
    for (const auto &[s, update] : updates_) {
      mentions += mentionsOf(s, containers);
      possible_ &= !update.value || mentionsOf(update.value, containers) == 0;
    }
    possible_ &= changed == containers && mentions == mentionsOf(loop, containers);
    possible_ &= !contains<Break>(loop) && !contains<Return>(loop) && !callsChangeSomething(loop, module);
  }

  /// In the order of the source; several only where neither of two is counted by all that counts the other one.
  std::vector<Place> all() const {
    std::vector<Place> places;
    for (const auto &[s, update] : updates_)
      if (const Place p = placeOf(update); std::find(places.begin(), places.end(), p) == places.end())
        places.push_back(p);
    const auto apart = [](const Place &a, const Place &b) {
      return !std::includes(a.begin(), a.end(), b.begin(), b.end()) &&
             !std::includes(b.begin(), b.end(), a.begin(), a.end());
    };
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (!possible_ || !apart(places[i], places[j])) return {};
    return places;
  }
  std::set<const Stmt *> at(const Place &place) const {
    std::set<const Stmt *> result;
    for (const auto &[s, update] : updates_)
      if (placeOf(update) == place) result.insert(s);
    return result;
  }
  std::set<const Stmt *> updates() const {
    std::set<const Stmt *> result;
    for (const auto &[s, update] : updates_) result.insert(s);
    return result;
  }

private:
  void block(const Block *b) {
    for (const Stmt *s : b->stmts) {
      const std::optional<nest::Update> update = nest::updateOf(s, module_);
      const auto *element = update ? dyn<Subscript>(update->target) : nullptr;
      const VarRef *root = element ? rootVariable(element) : nullptr;
      if (root && !own_.count(root->name)) {
        updates_.emplace_back(s, *update);
        continue;
      }
      if (const auto *branch = dyn<If>(s)) {
        block(branch->then);
        if (branch->otherwise) block(branch->otherwise);
      } else if (const auto *inner = dyn<For>(s)) {
        block(inner->body);
      } else if (const auto *nested = dyn<Block>(s)) {
        block(nested);
      }
    }
  }

  Place placeOf(const nest::Update &update) const {
    Place place;
    walk(update.target, [&](const VarRef &v) {
      if (iterators_.count(v.name)) place.insert(v.name);
    });
    return place;
  }

  const Module &module_;
  std::set<std::string> own_, iterators_;
  std::vector<std::pair<const Stmt *, nest::Update>> updates_;
  bool possible_ = true;
};

/// Without statements, and without what holds nothing else.
class Without final : public Mutator {
public:
  Without(Arena &arena, const std::set<const Stmt *> &dropped) : Mutator(arena), dropped_(dropped) {}

private:
  static bool isEmpty(const Stmt *s) {
    if (const auto *block = dyn<Block>(s)) return std::all_of(block->stmts.begin(), block->stmts.end(), isEmpty);
    if (const auto *branch = dyn<If>(s))
      return !hasEffects(branch->cond) && isEmpty(branch->then) && (!branch->otherwise || isEmpty(branch->otherwise));
    const auto *loop = dyn<For>(s);
    return loop && isEmpty(loop->body);
  }
  const Node *mutateBlock(const Block *block) override {
    std::vector<const Stmt *> stmts;
    for (const Stmt *s : block->stmts) {
      const Stmt *kept = dropped_.count(s) ? nullptr : as<Stmt>(mutate(s));
      if (kept && (kept == s || !isEmpty(kept))) stmts.push_back(kept);
    }
    return stmts == block->stmts ? block : arena().derive(block, [&](Block &b) { b.stmts = std::move(stmts); });
  }
  const std::set<const Stmt *> &dropped_;
};

class UpdatesApart final : public ReplacedLoops {
public:
  UpdatesApart(const Codelet &codelet, const Module &module, bool reorder, Arena &arena)
      : ReplacedLoops(arena), codelet_(codelet), module_(module), reorder_(reorder) {
    names_.reserveAll(&codelet);
    find(codelet.body);
  }
  const Codelet *run() { return made.empty() ? &codelet_ : as<Codelet>(mutate(&codelet_)); }

private:
  void find(const Stmt *s) {
    if (const auto *loop = dyn<For>(s)) {
      const PlacesOf places(loop, module_, reorder_);
      const std::vector<Place> all = places.all();
      if (all.size() > 1) {
        for (const Place &place : all) {
          std::set<const Stmt *> others = places.updates();
          for (const Stmt *kept : places.at(place)) others.erase(kept);
          const auto *own = as<Stmt>(Without(arena(), others).mutate(loop));
          made[loop].push_back(made[loop].empty() ? own : as<Stmt>(withOwnNames(arena(), own, names_)));
        }
        return;
      }
      find(loop->body);
    } else if (const auto *block = dyn<Block>(s)) {
      std::for_each(block->stmts.begin(), block->stmts.end(), [&](const Stmt *inner) { find(inner); });
    } else if (const auto *branch = dyn<If>(s)) {
      find(branch->then);
      if (branch->otherwise) find(branch->otherwise);
    } else if (const auto *repeated = dyn<While>(s)) {
      find(repeated->body);
    }
  }

  const Codelet &codelet_;
  const Module &module_;
  bool reorder_;
  Names names_;
};

} // namespace

const Codelet *withUpdatesApart(const Codelet &codelet, const Module &module, bool reorder, Arena &arena) {
  if (hasViews(codelet)) return &codelet; // containers are told apart by their names
  return UpdatesApart(codelet, module, reorder, arena).run();
}

} // namespace tangram::divide

#include "Owners.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Text.h"
#include "tangram/ast/Walk.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tangram::barriers {

using namespace ast;

bool conflict(const Touch &a, const Touch &b) {
  if (a.buffer != b.buffer || (!a.writes && !b.writes) || (a.atomic && b.atomic)) return false;
  if (!a.owner.empty() && a.owner == b.owner) return false;
  return std::none_of(a.pairs.begin(), a.pairs.end(), [&](const auto &pair) { return b.pairs.count(pair.first) != 0; });
}

bool conflict(const Touches &earlier, const Touches &later) {
  return std::any_of(earlier.begin(), earlier.end(), [&](const Touch &a) {
    return std::any_of(later.begin(), later.end(), [&](const Touch &b) { return conflict(a, b); });
  });
}

bool conflictWithin(const Touches &touches) {
  for (std::size_t i = 0; i < touches.size(); ++i)
    for (std::size_t j = i + 1; j < touches.size(); ++j)
      if (conflict(touches[i], touches[j])) return true;
  return false;
}

void add(Touches &to, const Touches &more) {
  for (const Touch &t : more) {
    bool known = std::any_of(to.begin(), to.end(), [&](const Touch &o) {
      return o.buffer == t.buffer && o.writes == t.writes && o.atomic == t.atomic && o.owner == t.owner &&
             o.pairs == t.pairs;
    });
    if (!known) to.push_back(t);
  }
}

Touches withoutPairs(Touches touches) {
  for (Touch &t : touches) t.pairs.clear();
  return touches;
}

void forgetPairs(Touches &touches, const std::set<std::string> &changed) {
  for (Touch &t : touches)
    std::erase_if(t.pairs, [&](const auto &pair) {
      return std::any_of(pair.second.begin(), pair.second.end(),
                         [&](const std::string &name) { return changed.count(name) != 0; });
    });
}

namespace {

/// Views that are made anew in each iteration of a loop.
void viewsInLoops(const Node *tree, bool inLoop, std::set<std::string> &moving) {
  for (const Node *child : children(*tree)) {
    if (const auto *view = dyn<View>(child); view && inLoop) moving.insert(view->name);
    const auto *loop = dyn<Loop>(child);
    // Iterations of a distributed map are told apart by its variable, or end with a barrier.
    bool repeats =
        isa<For>(child) || isa<While>(child) || isa<DoWhile>(child) || (loop && loop->policy != Policy::Distribute);
    viewsInLoops(child, inLoop || repeats, moving);
  }
}

} // namespace

Owners::Owners(Analyses &analyses, const Kernel &kernel, const Launch &launch)
    : storage_(analyses.of<Storage>(kernel)), known_(analyses.of<KnownValues>(kernel)), pairs_(known_, launch) {
  walk(&launch, [&](const Alloc &a) {
    if (a.memory == "registers") private_.insert(a.name);
  });
  viewsInLoops(&launch, false, movingViews_);
  walk(&launch, [&](const Assign &a) {
    if (isa<Transfer>(a.value)) transferred_.insert(a.target);
  });
  walk(
      &launch,
      [&](const Declare &d) {
        if (d.init && d.extents.empty()) starts_[d.name].push_back(d.init);
      },
      [&](const Assign &a) {
        const auto *v = dyn<VarRef>(a.target);
        if (!v) return;
        if (a.op == AssignOp::Add)
          steps_[v->name].push_back(a.value);
        else
          jumps_.insert(v->name);
      },
      [&](const Unary &u) {
        if (const auto *v = dyn<VarRef>(u.operand); v && hasEffects(&u)) jumps_.insert(v->name);
      });
}

bool Owners::isIndex(const Expr *e, const std::string &variable) const {
  for (;;) {
    e = withoutWordCasts(e);
    const auto *v = dyn<VarRef>(e);
    if (!v) return false;
    if (v->name == variable) return true;
    e = known_.initialiser(v->name);
    if (!e) return false;
  }
}

bool Owners::isMultiple(const Expr *e, std::uint64_t of) const {
  e = withoutWordCasts(e);
  std::set<std::string> used;
  if (std::optional<Int> value = known_.value(e, &used)) {
    bool multiple = *value >= 0 && static_cast<std::uint64_t>(*value) % of == 0;
    if (multiple) frozen_.merge(used);
    return multiple;
  }
  if (const auto *b = dyn<Binary>(e)) {
    if (b->op == BinaryOp::Mul) return isMultiple(b->lhs, of) || isMultiple(b->rhs, of);
    if (b->op == BinaryOp::Add) return isMultiple(b->lhs, of) && isMultiple(b->rhs, of);
    return false;
  }
  const auto *v = dyn<VarRef>(e);
  auto starts = v && !jumps_.count(v->name) ? starts_.find(v->name) : starts_.end();
  auto are = [&](const std::vector<const Expr *> &values) {
    return std::all_of(values.begin(), values.end(), [&](const Expr *value) { return isMultiple(value, of); });
  };
  if (starts == starts_.end() || !are(starts->second)) return false;
  auto steps = steps_.find(v->name);
  return steps == steps_.end() || are(steps->second);
}

/// for (i = lane; ...; i += lanes), and what else moves by a multiple.
bool Owners::startsOwn(const VarRef *v, const Index &index) const {
  auto starts = !jumps_.count(v->name) ? starts_.find(v->name) : starts_.end();
  auto steps = steps_.find(v->name);
  return starts != starts_.end() && starts->second.size() == 1 && steps != steps_.end() &&
         std::all_of(steps->second.begin(), steps->second.end(),
                     [&](const Expr *step) { return isMultiple(step, index.workers); }) &&
         isOwn(starts->second[0], index);
}

bool Owners::isOwn(const Expr *e, const Index &index) const {
  const auto beyond = ownBeyond(e, index);
  return beyond && beyond->empty();
}

std::optional<std::vector<const Expr *>> Owners::ownBeyond(const Expr *e, const Index &index) const {
  if (index.variable.empty() || !index.workers) return {};
  std::vector<const Expr *> terms{e}, beyond;
  bool own = false;
  while (!terms.empty()) {
    const Expr *term = withoutWordCasts(terms.back());
    terms.pop_back();
    const auto *sum = dyn<Binary>(term);
    const auto *v = dyn<VarRef>(term);
    const Expr *init = v ? known_.initialiser(v->name) : nullptr;
    if (sum && sum->op == BinaryOp::Add) {
      terms.push_back(sum->lhs);
      terms.push_back(sum->rhs);
    } else if (!own && (isIndex(term, index.variable) || (v && startsOwn(v, index)))) {
      own = true;
    } else if (init && (isa<Binary>(withoutWordCasts(init)) || isa<VarRef>(withoutWordCasts(init)))) {
      terms.push_back(init);
    } else if (!isMultiple(term, index.workers)) {
      if (!index.uniformity || index.uniformity->varying(term) || !speculable(term)) return {};
      beyond.push_back(term);
    }
  }
  if (!own) return {};
  return beyond;
}

std::optional<Int> Owners::known(const Expr *e) const {
  std::set<std::string> used;
  std::optional<Int> value = known_.value(e, &used);
  if (value) frozen_.merge(used);
  return value;
}

std::optional<Owners::OfLane> Owners::ofLane(const Expr *e, const Index &index) const {
  constexpr Int kMost = Int(1) << 30;
  auto bounded = [&](OfLane n) -> std::optional<OfLane> {
    const bool small = n.factor >= 0 && n.offset >= 0 && n.factor <= kMost && n.offset <= kMost &&
                       n.factor * static_cast<Int>(index.workers) + n.offset <= kMost;
    return small ? std::optional(n) : std::nullopt;
  };
  e = withoutWordCasts(e);
  if (isIndex(e, index.variable)) return bounded({1, 0});
  if (std::optional<Int> value = known(e)) return bounded({0, *value});
  if (const auto *v = dyn<VarRef>(e)) {
    const Expr *init = known_.initialiser(v->name);
    return init ? ofLane(init, index) : std::nullopt;
  }
  const auto *node = dyn<Binary>(e);
  if (!node || (node->op != BinaryOp::Add && node->op != BinaryOp::Mul)) return {};
  std::optional<OfLane> a = ofLane(node->lhs, index), c = a ? ofLane(node->rhs, index) : std::nullopt;
  if (!c) return {};
  if (node->op == BinaryOp::Add) return bounded({a->factor + c->factor, a->offset + c->offset});
  if (a->factor && c->factor) return {};
  return bounded({a->factor * c->offset + c->factor * a->offset, a->offset * c->offset});
}

bool Owners::atMost(const Loop &loop, std::uint64_t iterations) const {
  std::set<std::string> used;
  std::optional<Int> begin = known_.value(loop.begin, &used), end = known_.value(loop.end, &used);
  bool result = begin && end && *end - *begin <= static_cast<Int>(iterations);
  if (result) frozen_.merge(used);
  return result;
}

std::string Owners::owner(const Storage::Access &access, const Index &index) const {
  if (index.variable.empty() || !index.workers) return "";
  const Expr *base = access.place;
  while (const auto *subscript = dyn<Subscript>(base)) base = subscript->base;
  const auto *named = dyn<VarRef>(base);
  if (!named || movingViews_.count(named->name)) return "";
  // Elements whose index is the worker's, modulo the number of workers, are that worker's.
  for (const Expr *e : access.indices)
    if (isOwn(e, index)) return fmt::format("{} of {} in {}", "own", index.level, named->name);
  return "";
}

std::set<std::string> Owners::frozen() const {
  std::set<std::string> all = frozen_;
  all.insert(pairs_.frozen().begin(), pairs_.frozen().end());
  return all;
}

Owners::Index Owners::under(const Expr *cond, bool holds, Index index) const {
  if (!index.uniformity) return index;
  auto lane = [&](const Expr *e) { return isIndex(e, index.variable); };
  for (Pair &pair : pairs_.of(cond, holds, *index.uniformity, lane)) index.pairs.push_back(std::move(pair));
  return index;
}

void Owners::collect(const Node *node, const Index &index, Touches &out) const {
  if (isa<Expr>(node)) {
    auto lane = [&](const Expr *e) { return isIndex(e, index.variable); };
    for (const Storage::Access &access : storage_.accesses(node)) {
      if (storage_.readOnly(access.buffer) || private_.count(access.buffer) ||
          storage_.kind(access.buffer) == Storage::Kind::Array || transferred_.count(access.place))
        continue;
      Touch touch{access.buffer, access.writes, access.atomic, owner(access, index), {}};
      const VarRef *base = rootVariable(access.place);
      for (const Pair &pair : index.pairs)
        if (base && !movingViews_.count(base->name) && access.indices.size() == 1 &&
            Pairs::has(pair, access.indices[0], lane))
          touch.pairs[pair.tag + " in " + base->name] = pair.rests;
      if (base && index.uniformity && index.workers && !movingViews_.count(base->name) && access.indices.size() == 1)
        if (std::optional<Pair> pair =
                pairs_.inBlocks(access.indices[0], *index.uniformity, [&](const Expr *x) { return isOwn(x, index); }))
          touch.pairs[pair->tag + " in " + base->name] = pair->rests;
      if (base && !movingViews_.count(base->name))
        for (std::size_t d = 0; d < access.indices.size(); ++d) {
          const auto beyond = ownBeyond(access.indices[d], index);
          if (!beyond || beyond->empty()) continue;
          std::vector<std::string> texts;
          std::set<std::string> rests;
          for (const Expr *term : *beyond) {
            texts.push_back(print(term));
            rests.merge(mentioned(term));
          }
          std::sort(texts.begin(), texts.end());
          touch.pairs[fmt::format("own beyond {} in dimension {} of {}", fmt::join(texts, " + "), d, base->name)] =
              rests;
        }
      add(out, {touch});
    }
    return;
  }
  if (const auto *branch = dyn<If>(node); branch && index.uniformity) {
    collect(branch->cond, index, out);
    collect(branch->then, under(branch->cond, true, index), out);
    if (branch->otherwise) collect(branch->otherwise, under(branch->cond, false, index), out);
    return;
  }
  bool repeats = isa<Loop>(node) || isa<For>(node) || isa<While>(node) || isa<DoWhile>(node);
  if (!repeats) {
    for (const Node *child : children(*node)) collect(child, index, out);
    return;
  }
  Touches inside;
  for (const Node *child : children(*node)) collect(child, index, inside);
  forgetPairs(inside, declaredIn(node));
  add(out, inside);
}

Touches Owners::touches(const Node *tree, const Index &index) const {
  Touches result;
  if (!tree) return result;
  collect(tree, index, result);
  // Before and behind an assignment pairs of one name are not the same ones.
  forgetPairs(result, assignedVariables(tree));
  return result;
}

} // namespace tangram::barriers

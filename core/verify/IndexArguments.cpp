#include "tangram/verify/IndexArguments.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Sizes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tangram::runtime {
namespace {

using namespace ast;

using UseOf = std::map<std::string, IndexUse>; // by the spectrum's own names of parameters

void addTarget(std::vector<IndexTarget> &targets, const IndexTarget &target) {
  if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
}

class IndexFinder {
public:
  explicit IndexFinder(const std::vector<const Spectrum *> &all) {
    for (const Spectrum *s : all) spectrums_[s->name] = s;
  }

  const UseOf &of(const Spectrum &spectrum) {
    if (auto known = done_.find(&spectrum); known != done_.end()) return known->second;
    done_[&spectrum]; // where it calls itself, what it does with them is known from the outside
    UseOf uses;
    for (const Codelet *c : spectrum.codelets)
      if (c->from.empty()) codelet(spectrum, *c, uses);
    return done_[&spectrum] = std::move(uses);
  }

  const Spectrum *find(const std::string &name) const {
    auto it = spectrums_.find(name);
    return it == spectrums_.end() ? nullptr : it->second;
  }

private:
  /// One codelet, while it is looked at.
  struct Body {
    std::map<std::string, const Param *> params; // by the codelet's names: the spectrum's
    std::map<std::string, std::string> values;   // variables that hold an element of a parameter, or are one
    std::map<std::string, std::string> counters; // of loops from an element of a parameter to another one
    struct Limit {
      std::string param;
      bool inclusive = false;
    };
    std::map<std::string, Limit> limits; // of counters of loops up to an element of a parameter
    std::set<std::string> assigned;
    UseOf *uses;
  };

  static bool isWatched(const Param &p) {
    return p.access == Access::In && p.type.leaf().isInteger() && !p.type.leaf().isBool();
  }

  void codelet(const Spectrum &spectrum, const Codelet &c, UseOf &uses) {
    Body body;
    body.uses = &uses;
    body.assigned = assignedVariables(c.body);
    for (std::size_t i = 0; i < c.params.size() && i < spectrum.params.size(); ++i) {
      const Param &p = *spectrum.params[i];
      body.params[c.params[i]->name] = &p;
      if (isWatched(p) && !p.type.isArray()) body.values[c.params[i]->name] = p.name;
    }
    visit(c.body, body);
  }

  /// The parameter that an expression is an element of, or is itself; empty: none.
  static std::string elementOf(const Expr *e, const Body &body) {
    e = withoutCasts(e);
    if (const Conditional *choice = dyn<Conditional>(e)) { // n == 0 ? own : list[n - 1]
      const std::string then = elementOf(choice->then, body), otherwise = elementOf(choice->otherwise, body);
      return then.empty() || then == otherwise ? otherwise : otherwise.empty() ? then : "";
    }
    if (const VarRef *v = dyn<VarRef>(e)) {
      auto it = body.values.find(v->name);
      return it == body.values.end() || body.assigned.count(v->name) ? "" : it->second;
    }
    const Subscript *s = dyn<Subscript>(e);
    const VarRef *base = s ? dyn<VarRef>(s->base) : nullptr;
    const Param *p = base ? paramOf(base->name, body) : nullptr;
    return p && isWatched(*p) && s->indices.size() == p->type.rank() ? p->name : "";
  }

  static const Param *paramOf(const std::string &name, const Body &body) {
    auto it = body.params.find(name);
    return it == body.params.end() ? nullptr : it->second;
  }

  static void otherwise(const std::string &param, Body &body) { (*body.uses)[param].alone = false; }

  /// What stands inside an element's subscripts.
  void inside(const Expr *element, Body &body) {
    if (const Conditional *choice = dyn<Conditional>(withoutCasts(element))) {
      visit(choice->cond, body);
      for (const Expr *part : {choice->then, choice->otherwise})
        if (elementOf(part, body).empty())
          visit(part, body);
        else
          inside(part, body);
      return;
    }
    const Subscript *s = dyn<Subscript>(withoutCasts(element));
    if (!s) return;
    counted(*s, body);
    for (const Expr *index : s->indices) visit(index, body);
  }

  /// Indices that are the counter of a loop from one bound to the next, or up to a number of turns.
  static void counted(const Subscript &s, Body &body) {
    const VarRef *base = dyn<VarRef>(s.base);
    const Param *container = base ? paramOf(base->name, body) : nullptr;
    for (std::size_t d = 0; d < s.indices.size() && container; ++d) {
      const VarRef *index = dyn<VarRef>(withoutCasts(s.indices[d]));
      if (auto k = body.counters.find(index ? index->name : ""); k != body.counters.end())
        addTarget((*body.uses)[k->second].partsOf, {container->name, static_cast<unsigned>(d)});
      const auto [counter, more] = counterOf(s.indices[d]);
      if (auto limit = body.limits.find(counter ? counter->name : ""); limit != body.limits.end())
        addTarget((*body.uses)[limit->second.param].into,
                  {container->name, static_cast<unsigned>(d), 1 - (limit->second.inclusive ? 1 : 0) - more});
    }
  }

  /// Of n - 1, n and -1.
  static std::pair<const VarRef *, std::int64_t> counterOf(const Expr *index) {
    index = withoutCasts(index);
    const Binary *sum = dyn<Binary>(index);
    if (!sum || (sum->op != BinaryOp::Add && sum->op != BinaryOp::Sub)) return {dyn<VarRef>(index), 0};
    const IntLit *more = dyn<IntLit>(withoutCasts(sum->rhs));
    constexpr Int kFar = Int{1} << 20;
    if (!more || more->value > kFar || more->value < -kFar) return {nullptr, 0};
    const auto by = static_cast<std::int64_t>(more->value);
    return {dyn<VarRef>(withoutCasts(sum->lhs)), sum->op == BinaryOp::Add ? by : -by};
  }

  void visit(const Node *n, Body &body) {
    if (!n) return;
    if (const Subscript *s = dyn<Subscript>(n)) return subscript(*s, body);
    if (const Declare *d = dyn<Declare>(n); d && d->init && d->extents.empty() && !body.assigned.count(d->name))
      if (const std::string param = elementOf(d->init, body); !param.empty() && d->type.isInteger()) {
        body.values[d->name] = param;
        return inside(d->init, body);
      }
    if (const For *loop = dyn<For>(n); loop && (counter(*loop, body), limit(*loop, body))) {
      const Binary *cond = as<Binary>(loop->cond);
      inside(cond->rhs, body);
      for (const Node *part : std::initializer_list<const Node *>{loop->init, cond->lhs, loop->step, loop->body})
        visit(part, body);
      return;
    }
    if (const Partition *parts = dyn<Partition>(n)) cuts(*parts, body);
    if (const SpectrumCall *c = dyn<SpectrumCall>(n)) return call(c->spectrum, c->args, body);
    if (const Map *m = dyn<Map>(n)) return call(m->spectrum, m->args, body);
    if (const Size *size = dyn<Size>(n); size && isa<VarRef>(size->container)) return visit(size->dim, body);
    if (const VarRef *v = dyn<VarRef>(n)) {
      const Param *p = paramOf(v->name, body);
      if (p && isWatched(*p)) otherwise(p->name, body);
      if (auto it = body.values.find(v->name); it != body.values.end()) otherwise(it->second, body);
    }
    for (const Node *child : children(*n)) visit(child, body);
  }

  /// for (k = bound[i]; k < bound[i + 1]; ...)
  static void counter(const For &loop, Body &body) {
    const Declare *k = dyn<Declare>(loop.init);
    const Binary *cond = dyn<Binary>(loop.cond);
    if (!k || !k->init || !cond || (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Ne)) return;
    const VarRef *compared = dyn<VarRef>(withoutCasts(cond->lhs));
    const std::string from = elementOf(k->init, body);
    if (compared && compared->name == k->name && !from.empty() && from == elementOf(cond->rhs, body))
      body.counters[k->name] = from;
  }

  /// for (k = 0; k < count[i]; ...)
  static bool limit(const For &loop, Body &body) {
    const Declare *k = dyn<Declare>(loop.init);
    const Binary *cond = dyn<Binary>(loop.cond);
    if (!k || !k->init || !dyn<IntLit>(withoutCasts(k->init)) || !cond ||
        (cond->op != BinaryOp::Lt && cond->op != BinaryOp::Le) || !contains<Subscript>(cond->rhs))
      return false;
    const VarRef *compared = dyn<VarRef>(withoutCasts(cond->lhs));
    const std::string count = elementOf(cond->rhs, body);
    if (!compared || compared->name != k->name || count.empty()) return false;
    body.limits[k->name] = {count, cond->op == BinaryOp::Le};
    return true;
  }

  /// partition(c, n, sequence(bound, ...), ..., sequence(bound, ...))
  static void cuts(const Partition &parts, Body &body) {
    const VarRef *whole = dyn<VarRef>(parts.container);
    const Param *container = whole ? paramOf(whole->name, body) : nullptr;
    if (!container) return;
    for (std::size_t d = 0; d < parts.starts.size() && d < parts.ends.size(); ++d) {
      const VarRef *start = dyn<VarRef>(parts.starts[d]->container), *end = dyn<VarRef>(parts.ends[d]->container);
      const Param *bounds = start && end && start->name == end->name ? paramOf(start->name, body) : nullptr;
      if (bounds && isWatched(*bounds))
        addTarget((*body.uses)[bounds->name].partsOf, {container->name, static_cast<unsigned>(d)});
    }
  }

  void subscript(const Subscript &s, Body &body) {
    const VarRef *base = dyn<VarRef>(s.base);
    const Param *container = base ? paramOf(base->name, body) : nullptr;
    counted(s, body);
    for (std::size_t d = 0; d < s.indices.size(); ++d) {
      const std::string param = elementOf(s.indices[d], body);
      if (param.empty()) {
        visit(s.indices[d], body);
        continue;
      }
      if (container && container->type.isArray() && container->name != param)
        addTarget((*body.uses)[param].into, {container->name, static_cast<unsigned>(d)});
      else
        otherwise(param, body);
      inside(s.indices[d], body);
    }
    if (!base) return visit(s.base, body);
    if (container && isWatched(*container)) otherwise(container->name, body); // as no index
  }

  void call(const std::string &callee, const std::vector<const Expr *> &args, Body &body) {
    const Spectrum *s = find(callee);
    const UseOf none, &theirs = s ? of(*s) : none;
    for (std::size_t a = 0; a < args.size(); ++a) {
      const Expr *arg = withoutCasts(args[a]);
      const Partition *parts = dyn<Partition>(arg);
      if (parts) cuts(*parts, body);
      const VarRef *whole = dyn<VarRef>(parts ? parts->container : arg);
      const Param *own = whole ? paramOf(whole->name, body) : nullptr;
      std::string param = own && own->type.isArray() && isWatched(*own) ? own->name : elementOf(arg, body);
      if (parts)
        for (const Node *child : children(*parts))
          if (child != parts->container || !whole) visit(child, body);
      if (param.empty()) {
        if (!parts && !whole) visit(arg, body);
        continue;
      }
      if (!whole) inside(arg, body);
      if (!s || a >= s->params.size()) {
        otherwise(param, body);
        continue;
      }
      auto use = theirs.find(s->params[a]->name);
      if (use == theirs.end()) continue; // nothing is done with it
      if (!use->second.alone) otherwise(param, body);
      for (const IndexTarget &target : use->second.into)
        if (!passOn(param, target, (*body.uses)[param].into, *s, args, body)) otherwise(param, body);
      for (const IndexTarget &target : use->second.partsOf)
        passOn(param, target, (*body.uses)[param].partsOf, *s, args, body);
    }
  }

  /// What is an index of a parameter of the callee's is one of what it was given, where that is one whole container;
  /// else nothing is known of it.
  bool passOn(const std::string &param, const IndexTarget &target, std::vector<IndexTarget> &targets,
              const Spectrum &callee, const std::vector<const Expr *> &args, Body &body) {
    for (std::size_t i = 0; i < args.size() && i < callee.params.size(); ++i) {
      if (callee.params[i]->name != target.container) continue;
      const VarRef *whole = dyn<VarRef>(withoutCasts(args[i]));
      const Param *own = whole ? paramOf(whole->name, body) : nullptr;
      if (!own || own->type.rank() != callee.params[i]->type.rank() || own->name == param) continue;
      addTarget(targets, {own->name, target.dim});
      return true;
    }
    return false;
  }

  std::map<std::string, const Spectrum *> spectrums_;
  std::map<const Spectrum *, UseOf> done_;
};

std::string targetText(const IndexTarget &target) {
  return target.dim == 0 ? target.container : fmt::format("dimension {} of {}", target.dim, target.container);
}

/// Whether loops have so many turns.
bool isCount(const IndexUse &use) {
  return std::any_of(use.into.begin(), use.into.end(), [](const IndexTarget &target) { return target.beyond != 0; });
}

std::string targetsText(const IndexUse &use) {
  std::vector<std::string> names;
  for (const IndexTarget &target : use.targets()) names.push_back(targetText(target));
  return fmt::format("{}", fmt::join(names, " and "));
}

} // namespace

std::string IndexUse::advice() const {
  if (!partsOf.empty() && into.empty()) return "offsets:" + partsOf[0].container;
  if (isCount(*this)) return fmt::format("random:0..N, with N the number of elements of {}", targetsText(*this));
  if (into.size() == 1 && into[0].dim == 0) return "index:" + into[0].container;
  return fmt::format("random:0..LAST, with LAST the greatest index of {}", targetsText(*this));
}

std::map<std::string, IndexUse> indexUses(const std::vector<const Spectrum *> &all, const Spectrum &spectrum) {
  std::map<std::string, IndexUse> uses = IndexFinder(all).of(spectrum);
  for (const Param *p : spectrum.params)
    if (p->type.rank() != 1 && uses.contains(p->name)) uses[p->name].partsOf.clear();
  std::erase_if(uses, [](const auto &use) { return use.second.targets().empty(); });
  return uses;
}

std::vector<std::string> inferIndices(const std::vector<const Spectrum *> &all, const Spectrum &spectrum,
                                      std::map<std::string, ArgumentSpec> &arguments, bool ofMissing) {
  std::vector<std::string> done;
  for (const auto &[param, use] : indexUses(all, spectrum)) {
    auto given = arguments.find(param);
    const bool isMissing = given == arguments.end();
    if ((!use.isIndex() && !use.isBounds()) || isMissing != ofMissing) continue;
    if (!isMissing && (given->second.kind != ArgumentSpec::Kind::Random || given->second.range)) continue;
    ArgumentSpec &spec = arguments[param];
    spec.kind = use.isIndex() ? ArgumentSpec::Kind::Index : ArgumentSpec::Kind::Offsets;
    spec.of = use.targets()[0].container;
    spec.targets = use.targets();
    if (isMissing) spec.text = (use.isIndex() ? "index:" : "offsets:") + spec.of;
    done.push_back(fmt::format(
        "{0}: {1} of {2}, as {3}; for other numbers say which, as --arg {0}=random:-100..100", param,
        isCount(use)    ? "random numbers of elements"
        : use.isIndex() ? "random indices"
                        : "bounds of random parts",
        targetsText(use), use.isIndex() ? "nothing else is done with it" : "codelets go from one to the next"));
  }
  return done;
}

std::string indexAdvice(const std::vector<const Spectrum *> &all, const Spectrum &spectrum,
                        const std::map<std::string, ArgumentSpec> &arguments) {
  std::vector<std::string> advice;
  for (const auto &[param, use] : indexUses(all, spectrum)) {
    auto given = arguments.find(param);
    if (given != arguments.end() && given->second.pointsInto()) continue;
    advice.push_back(fmt::format("'{0}' is used as {1} of {2}: give it such, --arg {0}={3}", param,
                                 use.into.empty() ? "bounds of parts"
                                 : isCount(use)   ? "a number of elements"
                                                  : "an index",
                                 targetsText(use), use.advice()));
  }
  return fmt::format("{}", fmt::join(advice, "; "));
}

} // namespace tangram::runtime

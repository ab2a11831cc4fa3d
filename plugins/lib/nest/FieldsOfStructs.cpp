#include "tangram/nest/FieldsOfStructs.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Structs.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Statements.h"
#include "tangram/nest/Updates.h"

#include <algorithm>
#include <map>

namespace tangram::nest {

using namespace ast;

namespace {

using Fields = std::vector<const Expr *>; // of a struct its fields, of a number itself
using Values = std::map<std::string, Fields>;

constexpr unsigned kDeepest = 8;             // calls within calls
constexpr std::size_t kMostNodes = 400;      // of what a function computes
constexpr std::size_t kMostStatements = 200; // that are gone through for it, both ways of branches

/// Puts for variables what `values` has of them.
class WithValues : public Mutator {
public:
  WithValues(const Module &module, const Structs &structs, Arena &arena, Values of, unsigned depth = 0)
      : Mutator(arena), values(std::move(of)), module_(module), structs_(structs), depth_(depth) {}

  Values values;
  bool failed = false; // something is used that has no fields

  Fields leavesOf(const Expr *e) {
    if (!e->type.isStruct()) return {mutateAs(e)};
    switch (exprKind(*e)) {
    case ExprKind::VarRef: {
      const auto known = values.find(as<VarRef>(e)->name);
      return known == values.end() ? membersOf(e) : known->second;
    }
    case ExprKind::Subscript: return membersOf(mutateAs(e));
    case ExprKind::Member: return ofMember(as<Member>(e));
    case ExprKind::InitList: {
      Fields all;
      const std::vector<const Param *> &fields = structs_.find(e->type)->fields;
      for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::vector<const Expr *> &given = as<InitList>(e)->values;
        const Fields some = i < given.size() ? leavesOf(given[i]) : zeros(fields[i]->type, e->range);
        all.insert(all.end(), some.begin(), some.end());
      }
      return all;
    }
    case ExprKind::Conditional: {
      const auto *choice = as<Conditional>(e);
      return chosen(mutateAs(choice->cond), leavesOf(choice->then), leavesOf(choice->otherwise), e->range);
    }
    case ExprKind::Call:
      if (const std::optional<Fields> result = inlined(*as<Call>(e))) return *result;
      break;
    case ExprKind::IntLit:
    case ExprKind::FloatLit:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::Assign:
    case ExprKind::Cast:
    case ExprKind::Size:
    case ExprKind::Pitch:
    case ExprKind::CoopIdx:
    case ExprKind::CoopDim:
    case ExprKind::Atomic:
    case TANGRAM_LANGUAGE_EXPRS:
    case TANGRAM_DEVICE_EXPRS:
    case TANGRAM_CHECKED_EXPRS:
    case TANGRAM_VECTOR_EXPRS: break;
    }
    failed = true;
    return zeros(e->type, e->range);
  }

protected:
  Fields chosen(const Expr *cond, const Fields &then, const Fields &otherwise, const SourceRange &range) {
    Fields all;
    for (std::size_t k = 0; k < then.size(); ++k)
      all.push_back(equal(then[k], otherwise[k]) ? then[k] : Build(arena(), range).select(cond, then[k], otherwise[k]));
    return all;
  }
  Fields zeros(const Type &type, const SourceRange &range) {
    Fields all;
    for (const Structs::Leaf &leaf : structs_.leaves(type)) all.push_back(Build(arena(), range).zero(leaf.type));
    return all;
  }
  /// The place of the first leaf of a member among those of its struct.
  std::size_t first(const Member &member) const {
    std::size_t at = 0;
    for (const Param *field : structs_.find(member.base->type)->fields) {
      if (field->name == member.field) break;
      at += structs_.leaves(field->type).size();
    }
    return at;
  }
  /// Of a place in memory, or a parameter.
  Fields membersOf(const Expr *place) {
    Fields all;
    for (const Structs::Leaf &leaf : structs_.leaves(place->type)) {
      const Expr *e = place;
      for (const std::string &name : leaf.path)
        for (const Param *field : structs_.find(e->type)->fields)
          if (field->name == name) {
            e = arena().make<Member>(place->range, field->type, e, name);
            break;
          }
      all.push_back(e);
    }
    return all;
  }
  const Expr *whole(const Type &type, const Fields &leaves, const SourceRange &range) {
    if (!type.isStruct()) { // messages name the place where it is used
      const auto *v = dyn<VarRef>(leaves[0]);
      return v ? Build(arena(), range).var(v->name, v->type) : leaves[0];
    }
    std::vector<const Expr *> fields;
    auto at = leaves.begin();
    for (const Param *field : structs_.find(type)->fields) {
      const auto behind = at + static_cast<std::ptrdiff_t>(structs_.leaves(field->type).size());
      fields.push_back(whole(field->type, {at, behind}, range));
      at = behind;
    }
    return arena().make<InitList>(range, type, std::move(fields));
  }

  /// A variable that has values, and where an expression's leaves are among its own: `s`, `s.re`.
  struct Target {
    Fields *leaves = nullptr;
    std::size_t first = 0;
  };
  Target targetOf(const Expr *place) {
    Target target;
    while (const auto *member = dyn<Member>(place)) {
      target.first += first(*member);
      place = member->base;
    }
    const auto *v = dyn<VarRef>(place);
    const auto known = v ? values.find(v->name) : values.end();
    if (known != values.end()) target.leaves = &known->second;
    return target;
  }

  const Node *mutateVarRef(const VarRef *v) override {
    const auto known = values.find(v->name);
    return known == values.end() ? v : whole(v->type, known->second, v->range);
  }
  const Node *mutateMember(const Member *m) override { return whole(m->type, ofMember(m), m->range); }
  const Node *mutateCall(const Call *call) override {
    const bool ofStructs = call->type.isStruct() || std::any_of(call->args.begin(), call->args.end(),
                                                                [](const Expr *a) { return a->type.isStruct(); });
    if (!ofStructs) return Mutator::mutateCall(call);
    const std::optional<Fields> result = inlined(*call);
    failed |= !result;
    return result ? whole(call->type, *result, call->range) : call;
  }

  static bool haveEffects(const Fields &leaves) { return std::any_of(leaves.begin(), leaves.end(), hasEffects); }

  /// What a call gives back; nothing where its function has loops, or is large.
  std::optional<Fields> inlined(const Call &call);

private:
  Fields ofMember(const Member *m) {
    const Fields all = leavesOf(m->base);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first(*m));
    return {begin, begin + static_cast<std::ptrdiff_t>(structs_.leaves(m->type).size())};
  }

  /// What statements return that only set variables.
  std::optional<Fields> returned(std::vector<const Stmt *> stmts, std::size_t &statements) {
    for (std::size_t i = 0; i < stmts.size(); ++i) {
      if (++statements > kMostStatements) return {};
      const Stmt *s = stmts[i];
      if (const auto *block = dyn<Block>(s)) {
        stmts.insert(stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1, block->stmts.begin(), block->stmts.end());
      } else if (const auto *give = dyn<Return>(s)) {
        if (!give->value) return {};
        const Fields result = leavesOf(give->value);
        return haveEffects(result) ? std::nullopt : std::optional(result);
      } else if (const auto *d = dyn<Declare>(s)) {
        if (!d->extents.empty() || d->shared || d->tunable) return {};
        Fields &own = values[d->name] = d->init ? leavesOf(d->init) : zeros(d->type, d->range);
        if (haveEffects(own)) return {};
      } else if (const auto *evaluate = dyn<Evaluate>(s)) {
        const auto *set = dyn<Assign>(evaluate->expr);
        if (!set || !assigned(*set)) return {};
      } else if (const auto *branch = dyn<If>(s)) {
        const Expr *cond = mutateAs(branch->cond);
        if (hasEffects(cond)) return {};
        auto side = [&](const Block *block) {
          std::vector<const Stmt *> rest;
          if (block) rest = block->stmts;
          rest.insert(rest.end(), stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1, stmts.end());
          WithValues other(module_, structs_, arena(), values, depth_);
          std::optional<Fields> result = other.returned(std::move(rest), statements);
          return other.failed ? std::nullopt : result;
        };
        const std::optional<Fields> then = side(branch->then);
        const std::optional<Fields> otherwise = then ? side(branch->otherwise) : std::nullopt;
        return otherwise ? std::optional(chosen(cond, *then, *otherwise, s->range)) : std::nullopt;
      } else {
        return {};
      }
    }
    return {};
  }

  bool assigned(const Assign &set) {
    const Fields fresh = leavesOf(set.value); // before what it is put for changes
    const Target target = targetOf(set.target);
    if (!target.leaves || haveEffects(fresh)) return false;
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      const Expr *&leaf = (*target.leaves)[target.first + k];
      leaf = set.op == AssignOp::Set ? fresh[k] : Build(arena(), set.range).binary(binaryOf(set.op), leaf, fresh[k]);
    }
    return true;
  }

  const Module &module_;
  const Structs &structs_;
  unsigned depth_;
};

std::optional<Fields> WithValues::inlined(const Call &call) {
  const auto function = std::find_if(module_.functions.begin(), module_.functions.end(),
                                     [&](const Function *f) { return f->name == call.callee; });
  if (function == module_.functions.end() || depth_ == kDeepest) return {};
  Values given;
  for (std::size_t i = 0; i < call.args.size() && i < (*function)->params.size(); ++i) {
    if (call.args[i]->type.isArray() || (*function)->params[i]->access != ast::Access::In) return {};
    const Fields leaves = leavesOf(call.args[i]);
    if (haveEffects(leaves)) return {};
    given[(*function)->params[i]->name] = leaves;
  }
  WithValues body(module_, structs_, arena(), std::move(given), depth_ + 1);
  std::size_t statements = 0;
  const std::optional<Fields> result = body.returned((*function)->body->stmts, statements);
  if (!result || body.failed) return {};
  std::size_t nodes = 0;
  for (const Expr *e : *result) nodes += nodeCount(e);
  return nodes <= kMostNodes ? result : std::nullopt;
}

/// The variables become one for each field.
class Splitting final : public WithValues {
public:
  Splitting(const Module &module, const Structs &structs, Arena &arena, std::set<std::string> variables, Names names)
      : WithValues(module, structs, arena, {}), variables_(std::move(variables)), names_(std::move(names)),
        structs_(structs) {}

private:
  const Stmt *sequence(const std::vector<const Stmt *> &stmts) {
    for (std::size_t i = 0; i + 1 < stmts.size(); ++i) emitBefore(stmts[i]);
    return stmts.back();
  }

  const Node *mutateDeclare(const Declare *d) override {
    if (!variables_.count(d->name)) return Mutator::mutateDeclare(d);
    const Fields init = d->init ? leavesOf(d->init) : Fields{};
    Fields own;
    std::vector<const Stmt *> stmts;
    const std::vector<Structs::Leaf> &leaves = structs_.leaves(d->type);
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const std::string name = names_.fresh(d->name + "_" + leaves[k].name("_"));
      own.push_back(Build(arena(), d->range).var(name, leaves[k].type));
      stmts.push_back(arena().derive(d, [&](Declare &copy) {
        copy.name = name;
        copy.type = leaves[k].type;
        copy.init = d->init ? init[k] : nullptr;
      }));
    }
    values[d->name] = std::move(own);
    return sequence(stmts);
  }

  /// What is assigned within an expression has no statements for its fields.
  const Node *mutateAssign(const Assign *a) override {
    failed |= a->type.isStruct() && targetOf(a->target).leaves;
    return Mutator::mutateAssign(a);
  }

  const Node *mutateEvaluate(const Evaluate *s) override {
    if (const auto *both = dyn<Binary>(s->expr); both && both->op == BinaryOp::Comma) {
      emitBefore(mutateAs(arena().make<Evaluate>(s->range, both->lhs)));
      return mutate(arena().make<Evaluate>(s->range, both->rhs));
    }
    const auto *set = dyn<Assign>(s->expr);
    const Target target = set && set->type.isStruct() ? targetOf(set->target) : Target{};
    if (!target.leaves) return Mutator::mutateEvaluate(s);
    const Fields fresh = leavesOf(set->value);
    const auto begin = target.leaves->begin() + static_cast<std::ptrdiff_t>(target.first);
    const Build build(arena(), s->range);
    Fields own;
    for (std::size_t k = 0; k < fresh.size(); ++k) own.push_back(build.var(as<VarRef>(begin[k])->name, begin[k]->type));
    if (const Stmt *on = onCondition(own, fresh, build)) return on;
    return sequence(assignments(own, fresh, build));
  }

  /// own = cond ? value : own
  const Stmt *onCondition(const Fields &own, const Fields &fresh, const Build &build) {
    const Expr *cond = nullptr;
    Fields then;
    bool holds = true;
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto *choice = dyn<Conditional>(fresh[k]);
      if (!choice || (cond && !equal(cond, choice->cond))) return nullptr;
      const bool stays = equal(choice->otherwise, own[k]);
      if ((!stays && !equal(choice->then, own[k])) || (cond && stays != holds)) return nullptr;
      cond = choice->cond, holds = stays;
      then.push_back(stays ? choice->then : choice->otherwise);
    }
    return cond ? build.when(holds ? cond : build.logicalNot(cond), assignments(own, then, build)) : nullptr;
  }

  /// By way of others, where one reads what one before it sets.
  std::vector<const Stmt *> assignments(const Fields &own, Fields fresh, const Build &build) {
    std::vector<const Stmt *> stmts;
    bool reads = false;
    for (std::size_t k = 1; k < own.size(); ++k)
      reads |= any<VarRef>(fresh[k], [&](const VarRef &v) {
        return std::any_of(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(k),
                           [&](const Expr *before) { return as<VarRef>(before)->name == v.name; });
      });
    for (std::size_t k = 0; k < own.size() && reads; ++k) {
      const std::string name = names_.fresh("new_" + as<VarRef>(own[k])->name);
      stmts.push_back(build.declare(name, own[k]->type, fresh[k]));
      fresh[k] = build.var(name, own[k]->type);
    }
    for (std::size_t k = 0; k < own.size(); ++k)
      if (!equal(own[k], fresh[k])) stmts.push_back(build.assign(own[k], fresh[k]));
    if (stmts.empty()) stmts.push_back(build.block({}));
    return stmts;
  }

  std::set<std::string> variables_;
  Names names_;
  const Structs &structs_;
};

/// What functions do with an element that they are given to change.
class UpdatesByField final : public WithValues {
public:
  UpdatesByField(const Module &module, const Structs &structs, Arena &arena)
      : WithValues(module, structs, arena, {}), module_(module) {}

private:
  const Node *mutateEvaluate(const Evaluate *s) override {
    const auto *set = dyn<Assign>(s->expr);
    const auto *call = set && set->op == AssignOp::Set ? dyn<Call>(set->value) : nullptr;
    const VarRef *root = call && !isa<VarRef>(set->target) ? rootVariable(set->target) : nullptr;
    if (!root || !mentionsValue(call, root->name) || hasEffects(set->target)) return s;
    failed = false;
    const std::optional<Fields> fresh = inlined(*call);
    if (!fresh || failed) return s;
    const Build build(arena(), s->range);
    const Fields places = set->target->type.isStruct() ? membersOf(set->target) : Fields{set->target};
    std::vector<const Stmt *> updates;
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (equal(places[k], (*fresh)[k])) continue;
      updates.push_back(build.assign(places[k], (*fresh)[k]));
      if (!updateOf(updates.back(), module_)) return s;
    }
    if (updates.empty()) return s;
    for (std::size_t i = 0; i + 1 < updates.size(); ++i) emitBefore(updates[i]);
    return updates.back();
  }

  const Module &module_;
};

/// Variables of structs, but for those that calls of spectrums give or are given, and those that functions change.
std::set<std::string> variablesOfStructs(const Codelet &codelet, const Module &module) {
  std::set<std::string> found, whole, all;
  auto mentioned = [&](const Node *in) {
    walk(in, [&](const VarRef &v) {
      if (v.type.isStruct()) whole.insert(v.name);
    });
  };
  auto calls = [](const Expr *e) { return e && (contains<SpectrumCall>(e) || contains<Map>(e)); };
  walk(
      codelet.body,
      [&](const Declare &d) {
        if (d.type.isStruct() && d.extents.empty() && !d.shared) found.insert(d.name);
        if (calls(d.init) || !all.insert(d.name).second) whole.insert(d.name);
      },
      [&](const Assign &a) {
        if (calls(a.value)) mentioned(a.target);
      },
      [&](const SpectrumCall &c) { mentioned(&c); }, [&](const Map &m) { mentioned(&m); },
      [&](const Call &c) {
        for (const Function *f : module.functions)
          for (std::size_t i = 0; f->name == c.callee && i < f->params.size() && i < c.args.size(); ++i)
            if (f->params[i]->access != ast::Access::In) mentioned(c.args[i]);
      },
      [&](const Atomic &a) { mentioned(&a); });
  for (const std::string &name : whole) found.erase(name);
  return found;
}

} // namespace

const Codelet *withFieldsOfStructs(const Codelet *codelet, const Module &module, Arena &arena) {
  std::set<std::string> variables = variablesOfStructs(*codelet, module);
  if (variables.empty() || codelet->coop) return codelet;
  Names names;
  names.reserveAll(codelet);
  const Structs structs(module);
  Splitting splitting(module, structs, arena, std::move(variables), std::move(names));
  const auto *result = as<Codelet>(splitting.mutate(codelet));
  return splitting.failed ? codelet : result;
}

const Codelet *withUpdatesByField(const Codelet *codelet, const Module &module, Arena &arena) {
  const Structs structs(module);
  return as<Codelet>(UpdatesByField(module, structs, arena).mutate(codelet));
}

} // namespace tangram::nest

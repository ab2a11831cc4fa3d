#include "Guard.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <utility>

namespace tangram::checks {

using namespace ast;

namespace {

constexpr DiagnosticKind kPlace{"bounds-checks.place", DiagnosticClass::Limitation,
                                "--checked: an element whose address is taken cannot be checked",
                                "pass a variable, and assign it to the element"};

/// Whether evaluating it twice gives the same, at no cost: no memory is read, nothing changes, nobody is asked.
bool repeatable(const Expr *e) {
  return !hasEffects(e) && !any<Expr>(e, [](const Expr &part) {
    const auto *unary = dyn<Unary>(&part);
    return isa<Subscript>(&part) || isa<Call>(&part) || isa<Shuffle>(&part) || isa<Check>(&part) ||
           (unary && unary->op == UnaryOp::Deref);
  });
}

/// Whether finding the place may change the value, which comes first.
bool moves(const Expr *finding, const Expr *value) {
  return finding && hasEffects(finding) && !isa<IntLit>(value) && !isa<FloatLit>(value);
}

const Expr *inOrder(Arena &arena, const Expr *first, const Expr *then) {
  return first ? arena.make<Binary>(then->range, then->type, BinaryOp::Comma, first, then) : then;
}

} // namespace

std::set<std::string> functionsWithAccesses(const Module &module) {
  std::set<std::string> names;
  for (std::size_t before = 1; before != names.size();) { // once more for those that call what was found
    before = names.size();
    for (const Function *f : module.functions)
      if (contains<Subscript>(f->body) || any<Call>(f->body, [&](const Call &c) { return names.count(c.callee) != 0; }))
        names.insert(f->name);
    if (names.empty()) break;
  }
  return names;
}

void Guard::start(const std::vector<const Param *> &params, const std::vector<const Param *> &constants,
                  const Block *body) {
  names_ = {};
  names_.reserveAll(body);
  places_.emplace(arena());
  fixed_.clear();
  given_.clear();
  std::set<std::string> assigned = assignedVariables(body);
  for (const Param *constant : constants) {
    names_.reserve(constant->name);
    given_.insert(constant->name);
  }
  for (const Param *p : params) {
    names_.reserve(p->name);
    places_->declare(p);
    if (p->type.isScalar() && p->access == Access::In && !assigned.count(p->name)) given_.insert(p->name);
  }
  walk(body, [&](const Declare &d) {
    if (d.init && d.extents.empty() && !assigned.count(d.name)) fixed_[d.name] = d.init;
  });
}

const Kernel *Guard::kernel(const Kernel *kernel) {
  start(kernel->params, kernel->constants, kernel->body);
  record_.emplace(context_.target.hardware, names_);
  parameter_ = nullptr;
  sites_.begin(*kernel);
  const Block *body = mutateAs(kernel->body);
  if (body == kernel->body) return kernel;
  body = record_->around(arena(), body, sites_.texts());
  return arena().derive(kernel, [&](Kernel &copy) { copy.body = body; });
}

const Function *Guard::function(const Function *function) {
  if (!functions_.count(function->name)) return function;
  start(function->params, {}, function->body);
  parameter_ = arena().make<Param>(function->range, names_.fresh("faults"), Type::pointer(Scalar::U32), Access::InOut);
  const Block *body = mutateAs(function->body);
  return arena().derive(function, [&](Function &copy) {
    copy.params.push_back(parameter_);
    copy.body = body;
  });
}

const Expr *Guard::recordHere(const Build &b) {
  return parameter_ ? b.var(parameter_->name, parameter_->type) : record_->pointer(b);
}

// ---- one access ------------------------------------------------------------------------------------------

const Expr *Guard::held(const Expr *value, const Expr *&first, const Guarded &target) {
  if (repeatable(value) && !moves(target.condition, value)) return value;
  Build b = build(value);
  std::string name = names_.fresh("held");
  emitBefore(b.declare(name, value->type, nullptr, false));
  const Expr *variable = b.var(name, value->type);
  first = arena().make<Assign>(value->range, value->type, AssignOp::Set, variable, value);
  return variable;
}

const Expr *Guard::settled(const Expr *value, const Guarded &target) {
  if (!target.condition || (!hasEffects(value) && !contains<Shuffle>(value) && !moves(target.condition, value)))
    return value;
  Build b = build(value);
  std::string name = names_.fresh("held");
  emitBefore(b.declare(name, value->type, value));
  return b.var(name, value->type);
}

const Expr *Guard::check(const Node *at, const Expr *index, const Expr *bound, const std::string &what) {
  Int site = sites_.add(at->range, what);
  return arena().make<Check>(at->range, Type(Scalar::Bool), index, bound, std::string(), nullptr, recordHere(build(at)),
                             site);
}

Guard::Guarded Guard::guarded(const Subscript *e, const char *does) {
  std::optional<Element> access = elementOf(e);
  const std::vector<const Expr *> *sizes = access ? places_->sizes(*access) : nullptr;
  if (!sizes) return {nullptr, rebuild(e)};
  Build b = build(e);
  std::string name = sites_.container(e->range, access->base->name);
  Guarded result;
  for (std::size_t d = 0; d < sizes->size(); ++d) {
    const Expr *&index = access->indices[d], *bound = (*sizes)[d], *first = nullptr;
    index = held(mutateAs(index), first, {});
    std::optional<Int> number = literal(index), size = literal(bound);
    if (number && size && *number >= 0 && *number < *size) continue;
    std::string which = sizes->size() > 1 ? fmt::format("dimension {} of ", d) : "";
    std::string what = fmt::format("{} element {{index}} of {}'{}', which has {{bound}}", does, which, name);
    const Expr *fits = inOrder(arena(), first, check(e, b.cast(Scalar::U64, index), bound, what));
    result.condition = result.condition ? b.both(result.condition, fits) : fits;
  }
  result.element = b.element(access->base, access->indices, e->type);
  return result;
}

const Expr *Guard::where(const Guarded &target, const Expr *first, const Expr *changed, const Expr *otherwise) {
  const Expr *result = changed;
  if (target.condition)
    result = arena().make<Conditional>(changed->range, changed->type, target.condition, changed, otherwise);
  return inOrder(arena(), first, result);
}

const Stmt *Guard::when(const Guarded &target, const Evaluate *s, const Expr *changed) {
  const Stmt *then = arena().derive(s, [&](Evaluate &copy) { copy.expr = changed; });
  return target.condition ? build(s).when(target.condition, {then}) : then;
}

// ---- expressions -----------------------------------------------------------------------------------------

const Node *Guard::mutateSubscript(const Subscript *e) {
  Guarded place = guarded(e, "reads");
  return where(place, nullptr, place.element, build(e).zero(e->type));
}

const Node *Guard::mutateAssign(const Assign *e) {
  const auto *element = dyn<Subscript>(e->target);
  if (!element) return rebuild(e);
  bool sets = e->op == AssignOp::Set;
  const Expr *first = nullptr, *value = mutateAs(e->value);
  Guarded target = guarded(element, sets ? "writes" : "changes");
  if (target.condition) value = held(value, first, target);
  const Expr *changed = arena().derive(e, [&](Assign &copy) {
    copy.target = target.element;
    copy.value = value;
  });
  return where(target, first, changed, sets ? value : build(e).zero(e->type));
}

const Node *Guard::mutateUnary(const Unary *e) {
  const auto *element = dyn<Subscript>(e->operand);
  if (element && e->op == UnaryOp::AddressOf) fail(kPlace, e->range);
  if (!element || !changesOperand(e->op)) return rebuild(e);
  Guarded target = guarded(element, "changes");
  const Expr *changed = arena().derive(e, [&](Unary &copy) { copy.operand = target.element; });
  return where(target, nullptr, changed, build(e).zero(e->type));
}

const Node *Guard::mutateAtomic(const Atomic *e) {
  const auto *element = dyn<Subscript>(e->target);
  if (!element) return rebuild(e);
  Guarded target = guarded(element, "changes");
  return where(target, nullptr, changed(e, target), build(e).zero(e->type));
}

/// Operands follow the index: they are computed where the operation is done.
const Atomic *Guard::changed(const Atomic *e, const Guarded &target) {
  std::vector<const Expr *> operands;
  for (const Expr *operand : e->operands) operands.push_back(mutateAs(operand));
  return arena().derive(e, [&](Atomic &copy) {
    copy.target = target.element;
    copy.operands = std::move(operands);
  });
}

const Node *Guard::mutateCall(const Call *e) {
  for (const Function *f : module_.functions)
    for (std::size_t i = 0; f->name == e->callee && i < f->params.size() && i < e->args.size(); ++i)
      if (f->params[i]->access != Access::In && isa<Subscript>(e->args[i])) fail(kPlace, e->range);
  const Call *result = rebuild(e);
  if (!functions_.count(e->callee)) return result;
  return arena().derive(result, [&](Call &copy) { copy.args.push_back(recordHere(build(e))); });
}

const Node *Guard::mutateCheck(const Check *e) {
  if (e->record) return e;
  return check(e, mutateAs(e->index), mutateAs(e->bound), e->what);
}

// ---- statements ------------------------------------------------------------------------------------------

/// A Transfer as loads and stores, each of which can be asked for.
const Stmt *Guard::plain(const Evaluate &s, const Assign &assign, const Transfer &transfer) {
  Build b(arena(), s.range);
  auto neighbour = [&](const Expr *e, Int by) -> const Expr * {
    const auto *element = as<Subscript>(e);
    if (by == 0) return element;
    return arena().derive(element, [&](Subscript &copy) {
      const Expr *&last = copy.indices.back();
      last = b.add(last, b.integer(last->type, by));
    });
  };
  std::vector<const Stmt *> all;
  for (Int i = 0; i < transfer.count; ++i) {
    const Expr *value = neighbour(transfer.source, i);
    if (transfer.cond) value = b.select(transfer.cond, value, b.zero(transfer.type));
    all.push_back(b.assign(neighbour(assign.target, i), value));
  }
  return all.size() == 1 ? all[0] : b.block(std::move(all));
}

const Node *Guard::mutateEvaluate(const Evaluate *s) {
  if (const auto *assign = dyn<Assign>(s->expr); assign && isa<Transfer>(assign->value))
    return mutate(plain(*s, *assign, *as<Transfer>(assign->value)));
  if (const auto *assign = dyn<Assign>(s->expr); assign && isa<Subscript>(assign->target)) {
    const Expr *value = mutateAs(assign->value);
    Guarded target = guarded(as<Subscript>(assign->target), assign->op == AssignOp::Set ? "writes" : "changes");
    value = settled(value, target);
    return when(target, s, arena().derive(assign, [&](Assign &copy) {
      copy.target = target.element;
      copy.value = value;
    }));
  }
  if (const auto *step = dyn<Unary>(s->expr); step && changesOperand(step->op) && isa<Subscript>(step->operand)) {
    Guarded target = guarded(as<Subscript>(step->operand), "changes");
    return when(target, s, arena().derive(step, [&](Unary &copy) { copy.operand = target.element; }));
  }
  if (const auto *atomic = dyn<Atomic>(s->expr); atomic && isa<Subscript>(atomic->target)) {
    Guarded target = guarded(as<Subscript>(atomic->target), "changes");
    return when(target, s, changed(atomic, target));
  }
  return rebuild(s);
}

const Node *Guard::mutateView(const View *s) {
  places_->declare(s);
  return rebuild(s);
}

const Node *Guard::mutateAlloc(const Alloc *s) {
  places_->declare(s);
  return rebuild(s);
}

const Node *Guard::mutateDeclare(const Declare *s) {
  places_->declare(s);
  return rebuild(s);
}

} // namespace tangram::checks

#include "Flattener.h"

#include "tangram/ast/Returns.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kUnspecialised{"flatten.unspecialised", DiagnosticClass::User,
                                        "the call of spectrum '{}' has no codelet",
                                        "compose the program by a plan first"};
constexpr DiagnosticKind kArguments{"flatten.arguments", DiagnosticClass::User,
                                    "codelet '{}' of '{}' takes {} arguments and is called with {}",
                                    "call it with the arguments of its spectrum"};
constexpr DiagnosticKind kUnknownLevel{"flatten.unknown-level", DiagnosticClass::User,
                                       "the composed AST names level '{}', which target '{}' does not have",
                                       "compose it for this target; its levels are {}"};
constexpr DiagnosticKind kWritesConst{"flatten.writes-const", DiagnosticClass::User,
                                      "'{}' may write its parameter '{}', and the container passed to it is const",
                                      "pass a container that is not const, or make the parameter const"};
constexpr DiagnosticKind kCoopCalls{"flatten.cooperative-calls", DiagnosticClass::Limitation,
                                    "cooperative codelet '{}' maps spectrums",
                                    "map them in a compound codelet around it"};
constexpr DiagnosticKind kCoopPlace{"flatten.cooperative-in-out", DiagnosticClass::Limitation,
                                    "cooperative codelet '{}' has the in/out scalar '{}'",
                                    "return the value, or write it to a container"};
constexpr DiagnosticKind kContainerType{"flatten.container-type", DiagnosticClass::User,
                                        "parameter '{}' of '{}' is {}, and {} is passed",
                                        "pass a container of the same rank and element type"};

constexpr DiagnosticKind kRecursion{"flatten.recursion", DiagnosticClass::User, "function '{}' calls itself",
                                    "write a loop"};

} // namespace

const hardware::Level &Flattener::levelOf(const std::string &name) const {
  const hardware::Hardware &hardware = context_.target.hardware;
  const hardware::Level *level = hardware.find(name);
  if (!level) fail(kUnknownLevel, here_, name, context_.target.name, fmt::join(hardware.levelNames(), ", "));
  return *level;
}

void Flattener::sync(const std::string &level) {
  if (!hardware::needBarrier(levelOf(level).sync)) return;
  const auto *last = out_->empty() ? nullptr : dyn<Sync>(out_->back());
  if (!last || last->level != level) emit(arena_.make<Sync>(here_, level));
}

void Flattener::devolve(const SpectrumCall *call) {
  if (call->devolved.empty()) return;
  sync(call->level);
  for (std::size_t i = 0; i + 1 < call->devolved.size(); ++i) sync(call->devolved[i]);
}

void Flattener::checkSpecialised(const SpectrumCall *call, std::size_t args) const {
  if (!call->codelet) fail(kUnspecialised, call->range, call->spectrum);
  std::size_t params = call->codelet->params.size();
  bool result = params == args + 1 && call->codelet->params.back()->access == Access::Out;
  if (params != args && !result) fail(kArguments, call->range, call->codelet->name, call->spectrum, params, args);
}

std::vector<Argument> Flattener::arguments(const SpectrumCall *call) {
  checkSpecialised(call, call->args.size());
  std::vector<Argument> args;
  for (std::size_t i = 0; i < call->args.size(); ++i) {
    const Expr *arg = call->args[i];
    const Param *param = call->codelet->params[i];
    Argument bound;
    if (param->type.isArray()) {
      bound.container = container(arg);
    } else {
      bound.value = param->access == Access::In ? expr(arg) : place(arg);
      bool disturbed = std::any_of(call->args.begin() + static_cast<std::ptrdiff_t>(i) + 1, call->args.end(),
                                   [&](const Expr *later) { return hoists(later); });
      if (disturbed && param->access == Access::In) bound.value = keep(bound.value);
    }
    args.push_back(std::move(bound));
  }
  return args;
}

bool Flattener::byVectors() const {
  bool below = false; // a level in lock step
  for (const hardware::Level *at = &machine_->top(); at; at = machine_->below(*at)) {
    if (at->name == level_) return below || (cooperative_ && at->sync == hardware::SyncKind::LockStep);
    below |= at->sync == hardware::SyncKind::LockStep;
  }
  return false;
}

bool Flattener::inlines(const std::string &function) const {
  return inlined_.count(function) || (ofNumbers_.count(function) && byVectors());
}

/// A function that has to do with structs, where they come apart, or with numbers, of which lanes have vectors: at its
/// call, like a codelet.
const Expr *Flattener::functionCall(const Call *call) {
  if (std::find(calls_.begin(), calls_.end(), call->callee) != calls_.end())
    fail(kRecursion, call->range, call->callee);
  const Function &function = **std::find_if(module_.functions.begin(), module_.functions.end(),
                                            [&](const Function *f) { return f->name == call->callee; });
  std::vector<const Param *> params = function.params;
  const Block *body = function.body;
  if (contains<Return>(body)) { // what has to do with structs has none any more
    Names names;
    for (const Param *p : params) names.reserve(p->name);
    names.reserveAll(body);
    const Expr *result = nullptr;
    if (!function.result.isVoid()) {
      params.push_back(arena_.make<Param>(function.range, names.fresh("result"), function.result, Access::Out));
      result = b().var(params.back()->name, function.result);
    }
    body = withoutReturns(arena_, names, body, result);
  }
  const auto *codelet = arena_.make<Codelet>(function.range, function.name, "", "", false, false, Texts{}, Texts{},
                                             Assumed{}, params, std::vector<const Expr *>{}, body);
  const auto *specialised = arena_.make<SpectrumCall>(
      call->range, call->type, call->callee, call->args, level_, Texts{}, Counts{}, Capability::None, codelet,
      std::vector<const Expr *>{}, static_cast<const SpectrumCall *>(nullptr));
  std::vector<Argument> args = arguments(specialised);
  calls_.push_back(call->callee);
  const Expr *result = inlined(specialised, args);
  calls_.pop_back();
  return result;
}

const Expr *Flattener::spectrumCall(const SpectrumCall *call) {
  std::vector<Argument> args = arguments(call);
  if (!scope_->suffix.empty()) requireDeclared(call, args); // of the kernel's own call they are its conditions
  return run(call, std::move(args));
}

const Expr *Flattener::run(const SpectrumCall *call, std::vector<Argument> args) {
  checkSpecialised(call, args.size());
  const std::string &level = call->devolved.empty() ? call->level : call->devolved.back();
  levelOf(level);
  if (!call->units.empty() && !cooperative_) return started(call, std::move(args));
  if (!cooperative_) devolve(call);
  if (!call->guard.empty()) return guarded(call, std::move(args));
  return chosen(call, args);
}

/// On one unit of the level below that is started with other numbers of units than the target says: a map of one call.
const Expr *Flattener::started(const SpectrumCall *call, std::vector<Argument> args) {
  const Expr *result = nullptr;
  if (call->codelet->params.size() > args.size()) {
    const Type &type = call->codelet->params.back()->type;
    result = variable(names_.fresh("ret_" + nextSuffix(call->codelet->name)), type, b().zero(type));
  }
  const SpectrumCall *inside = arena_.derive(call, [](SpectrumCall &copy) { // from the unit on
    copy.units.clear();
    copy.level = copy.devolved.front();
    copy.devolved.erase(copy.devolved.begin());
  });
  sync(call->level);
  loop(named("unit"), b().u64(0), b().u64(1), Policy::Distribute, call->units, [&](const Expr *) {
    const Expr *value = run(inside, std::move(args));
    if (result && value) emit(b().assign(result, value));
  });
  sync(call->level);
  if (result) stable_.insert(as<VarRef>(result)->name);
  return result;
}

const Expr *Flattener::chosen(const SpectrumCall *call, const std::vector<Argument> &args) {
  if (cooperative_) return byLanes(call, args);
  return call->codelet->coop ? cooperative(call, args) : inlined(call, args);
}

/// In a cooperative codelet. What only computes, all lanes do for themselves; of what writes, one gives the others the
/// result.
const Expr *Flattener::byLanes(const SpectrumCall *call, const std::vector<Argument> &args) {
  const Codelet *codelet = call->codelet;
  bool writes = std::any_of(codelet->params.begin(), codelet->params.end(),
                            [](const Param *param) { return param->access == Access::InOut; });
  if (codelet->coop || !writes) return inlined(call, args);
  const Expr *result = nullptr;
  if (codelet->params.size() > args.size()) {
    const Type &type = codelet->params.back()->type;
    std::string name = names_.fresh("ret_" + nextSuffix(codelet->name));
    emit(arena_.make<Declare>(here_, name, type, false, true, std::vector<const Expr *>{b().u64(1)},
                              static_cast<const Tunable *>(nullptr), static_cast<const Expr *>(nullptr)));
    result = b().element(b().var(name, type), {b().u64(0)}, type);
  }
  Stmts alone = collect([&] {
    const Expr *value = inlined(call, args);
    if (result && value) emit(b().assign(result, value));
  });
  const Expr *lane = arena_.make<CoopIdx>(here_, Type(Scalar::U32));
  emit(b().when(b().equal(lane, b().integer(Scalar::U32, 0)), std::move(alone)));
  return result ? constant(named("given"), result) : nullptr;
}

const Expr *Flattener::guarded(const SpectrumCall *call, std::vector<Argument> args) {
  if (!call->fallback) failBug(call->range, "flatten", "a guarded call has no fallback");
  const std::string &level = call->devolved.empty() ? call->level : call->devolved.back();
  for (std::size_t i = 0; i < args.size(); ++i)
    if (args[i].value && call->codelet->params[i]->access == Access::In) args[i].value = keep(args[i].value, "arg");

  Scope scope;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Param *param = call->codelet->params[i];
    if (param->type.isArray()) bindContainer(param, args[i].container, *call);
    std::shared_ptr<Container> c = param->type.isArray() ? std::make_shared<Container>(args[i].container) : nullptr;
    scope.bindings[param->name] = {args[i].value, std::move(c)};
  }
  const Expr *cond = b().boolean(true);
  {
    Enter enter(*this, scope, level_);
    lanes_ = std::max<std::uint64_t>(1, machine_->lanes(*machine_->find(level)));
    for (const Expr *guard : call->guard) cond = b().both(cond, b().cast(Scalar::Bool, renamed(guard)));
    lanes_.reset();
  }
  auto taken = [&] { return chosen(call, args); };
  if (std::optional<Int> known = literal(cond)) return *known ? taken() : run(call->fallback, args);

  const Param *last = call->codelet->params.back();
  const Expr *result = nullptr;
  if (call->codelet->params.size() > args.size())
    result = variable(names_.fresh("ret_" + nextSuffix(call->codelet->name)), last->type, b().zero(last->type));
  auto branch = [&](const std::function<const Expr *()> &inside) {
    return collect([&] {
      const Expr *value = inside();
      if (result && value) emit(b().assign(result, value));
    });
  };
  Stmts then = branch(taken), otherwise = branch([&] { return run(call->fallback, args); });
  emit(b().when(cond, std::move(then), std::move(otherwise)));
  if (result) stable_.insert(as<VarRef>(result)->name);
  return result;
}

void Flattener::bindContainer(const Param *param, const Container &argument, const Node &at) {
  if (!(param->type == argument.type))
    fail(kContainerType, at.range, param->name, at.kind() == Kind::SpectrumCall ? as<SpectrumCall>(&at)->spectrum : "",
         param->type.text(), argument.type.text());
  if (param->access != Access::In && argument.isConst)
    fail(kWritesConst, at.range, at.kind() == Kind::SpectrumCall ? as<SpectrumCall>(&at)->spectrum : "", param->name);
}

void Flattener::bind(const SpectrumCall *call, const std::vector<Argument> &args, bool assigned, Stmts &copyOut) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Param *param = call->codelet->params[i];
    bool changes = param->access != Access::In || scope_->assigned.count(param->name);
    if (param->type.isArray()) {
      if (assigned) continue;
      bindContainer(param, args[i].container, *call);
      Container bound = args[i].container;
      bound.isConst |= param->access == Access::In;
      scope_->bindings[param->name] = {nullptr, std::make_shared<Container>(std::move(bound))};
      continue;
    }
    if (changes != assigned) continue;
    const Expr *value = b().cast(param->type, args[i].value);
    bool plain = isa<IntLit>(value) || isa<FloatLit>(value) || isa<VarRef>(value);
    if (!changes && plain && isStable(value)) {
      scope_->bindings[param->name] = {value, nullptr};
    } else if (!changes) {
      scope_->bindings[param->name] = {constant(named(param->name), value), nullptr};
    } else {
      const Expr *copy = variable(named(param->name), param->type, value);
      scope_->bindings[param->name] = {copy, nullptr};
      if (param->access != Access::In)
        copyOut.push_back(b().assign(args[i].value, b().cast(args[i].value->type, copy)));
    }
  }
}

namespace {
/// `result = value;` as the last statement, with no other mention of the result: the value itself is the call's.
const Expr *onlyResult(const Codelet *codelet, const Param *result) {
  const Stmts &stmts = codelet->body->stmts;
  const auto *last = stmts.empty() ? nullptr : dyn<Evaluate>(stmts.back());
  const auto *assign = last ? dyn<Assign>(last->expr) : nullptr;
  const auto *target = assign && assign->op == AssignOp::Set ? dyn<VarRef>(assign->target) : nullptr;
  if (!target || target->name != result->name) return nullptr;
  unsigned mentions = 0;
  walk(
      codelet->body, [](const Codelet &) { return WalkResult::Skip; },
      [&](const VarRef &v) { mentions += v.name == result->name; });
  return mentions == 1 ? assign->value : nullptr;
}
} // namespace

const Expr *Flattener::body(const Codelet *codelet, std::size_t args) {
  if (codelet->params.size() == args) {
    statements(codelet->body->stmts);
    return nullptr;
  }
  const Param *param = codelet->params.back();
  if (const Expr *value = onlyResult(codelet, param)) {
    const Stmts &stmts = codelet->body->stmts;
    statements({stmts.begin(), stmts.end() - 1});
    here_ = stmts.back()->range;
    const Expr *result = b().cast(param->type, expr(value));
    // Nobody but this codelet could change its variables, and it is done.
    if (const auto *variable = dyn<VarRef>(result)) stable_.insert(variable->name);
    return result;
  }
  const Expr *result = variable(names_.fresh("ret_" + scope_->suffix), param->type, b().zero(param->type));
  scope_->bindings[param->name] = {result, nullptr};
  statements(codelet->body->stmts);
  stable_.insert(as<VarRef>(result)->name);
  return result;
}

const Expr *Flattener::inlined(const SpectrumCall *call, const std::vector<Argument> &args) {
  const Codelet *codelet = call->codelet;
  noteTouches(codelet);
  Scope scope{takeSuffix(codelet->name), {}, assignedVariables(codelet->body)};
  SourceRange caller = here_;
  Enter enter(*this, scope, call->devolved.empty() ? call->level : call->devolved.back());
  Stmts copyOut;
  bind(call, args, false, copyOut);
  bind(call, args, true, copyOut);
  const Expr *result = body(codelet, args.size());
  here_ = caller;
  if (result && !copyOut.empty()) result = keep(result);
  for (const Stmt *stmt : copyOut) emit(stmt);
  return result;
}

const Expr *Flattener::cooperative(const SpectrumCall *call, const std::vector<Argument> &args) {
  const Codelet *codelet = call->codelet;
  if (contains<Map>(codelet->body)) fail(kCoopCalls, codelet->range, codelet->name);
  noteTouches(codelet);
  for (std::size_t i = 0; i < args.size(); ++i)
    if (codelet->params[i]->access != Access::In && !codelet->params[i]->type.isArray())
      fail(kCoopPlace, codelet->range, codelet->name, codelet->params[i]->name);

  Scope scope{takeSuffix(codelet->name), {}, assignedVariables(codelet->body)};
  SourceRange caller = here_;
  const std::string &level = call->devolved.empty() ? call->level : call->devolved.back();
  Enter enter(*this, scope, level);
  Stmts none;
  bind(call, args, false, none);
  const Expr *result = nullptr;
  if (codelet->params.size() > args.size()) {
    // All lanes come to the same value, or the first one's counts: it lives outside.
    const Param *param = codelet->params.back();
    result = variable(names_.fresh("ret_" + scope.suffix), param->type, b().zero(param->type));
    scope.bindings[param->name] = {result, nullptr};
  }
  std::uint64_t width = std::max<std::uint64_t>(1, machine_->lanes(*machine_->find(level)));
  std::string lane = named("lane");
  cooperative_ = true;
  Stmts lanes = collect([&] {
    bind(call, args, true, none);
    statements(codelet->body->stmts);
  });
  cooperative_ = false;
  here_ = caller;
  emit(arena_.make<Cooperate>(call->range, lane, b().integer(Scalar::U32, static_cast<Int>(width)), level,
                              b().block(std::move(lanes))));
  if (result) stable_.insert(as<VarRef>(result)->name);
  return result;
}

} // namespace tangram::flatten

#include "Flattener.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Compare.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Slots.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::flatten {

using namespace ast;

namespace {
constexpr DiagnosticKind kContainerExpression{
    "flatten.container-expression", DiagnosticClass::Limitation, "a container cannot come from {} here",
    "name the container itself, a partition, a map, or an element of one of these"};
constexpr DiagnosticKind kNoResult{"flatten.no-result", DiagnosticClass::User,
                                   "the result of map({}, ...) is used, but '{}' returns nothing",
                                   "let the spectrum return a value or do not use the map's result"};
constexpr DiagnosticKind kIndices{"flatten.indices", DiagnosticClass::User, "{} indices for a container of rank {}",
                                  "write one index a dimension"};

constexpr DiagnosticKind kReassigned{"flatten.reassigned-container", DiagnosticClass::Limitation,
                                     "another container is assigned to '{}'",
                                     "assign the results of a map, or declare another variable"};

constexpr DiagnosticKind kLaneContainer{"flatten.lane-container", DiagnosticClass::Limitation,
                                        "{} in a cooperative codelet",
                                        "index the codelet's parameters, or use a local array"};

bool isSimple(const Expr *e) {
  e = withoutCasts(e);
  return isa<IntLit>(e) || isa<FloatLit>(e) || isa<VarRef>(e) || isa<Size>(e) || isa<Pitch>(e) || isa<CoopDim>(e);
}

bool isPlace(const Expr *e) {
  while (const auto *member = dyn<Member>(e)) e = member->base;
  return isa<VarRef>(e) || isa<Subscript>(e);
}
} // namespace

// ---- values --------------------------------------------------------------------------------------------

bool Flattener::isStable(const Expr *value) const {
  switch (exprKind(*value)) {
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::Size:
  case ExprKind::Pitch:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim: return true;
  case ExprKind::VarRef: return stable_.count(as<VarRef>(value)->name) != 0;
  case ExprKind::Cast: return isStable(as<Cast>(value)->operand);
  case ExprKind::Unary:
    return as<Unary>(value)->op != UnaryOp::Deref && !hasEffects(value) && isStable(as<Unary>(value)->operand);
  case ExprKind::Binary: return isStable(as<Binary>(value)->lhs) && isStable(as<Binary>(value)->rhs);
  case ExprKind::Conditional: {
    const auto *c = as<Conditional>(value);
    return isStable(c->cond) && isStable(c->then) && isStable(c->otherwise);
  }
  case ExprKind::Assign:
  case ExprKind::Call:
  case ExprKind::Subscript:
  case ExprKind::Member:
  case ExprKind::InitList:
  case ExprKind::Atomic:
  case TANGRAM_LANGUAGE_EXPRS:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS: break;
  }
  return false;
}

const Expr *Flattener::constant(const std::string &name, const Expr *value) {
  emit(b().declare(name, value->type, value));
  stable_.insert(name);
  constants_[name] = value;
  return b().var(name, value->type);
}

const Expr *Flattener::variable(const std::string &name, const Type &type, const Expr *init) {
  emit(b().declare(name, type, init, false));
  return b().var(name, type);
}

const Expr *Flattener::keep(const Expr *value, const std::string &hint) {
  return isStable(value) ? value : constant(named(hint), value);
}

const Expr *Flattener::simple(const Expr *value, const std::string &hint) {
  return isSimple(value) && isStable(value) ? value : constant(named(hint), value);
}

const Expr *Flattener::simpleCalled(const Expr *value, const std::string &called) {
  return isSimple(value) && isStable(value) ? value : constant(names_.fresh(called), value);
}

// ---- expressions ---------------------------------------------------------------------------------------

const Expr *Flattener::containerBelow(const Subscript *e, std::vector<const Expr *> &indices) const {
  const Expr *base = e;
  while (const auto *subscript = dyn<Subscript>(base)) {
    indices.insert(indices.begin(), subscript->indices.begin(), subscript->indices.end());
    base = subscript->base;
  }
  if (const auto *variable = dyn<VarRef>(base)) return lookup(variable->name, base->range).container ? base : nullptr;
  return base->type.isArray() ? base : nullptr;
}

bool Flattener::hoists(const Node *node) const {
  return any<Expr>(node, [&](const Expr &e) {
    if (isa<SpectrumCall>(&e) || isa<Map>(&e) || isa<Partition>(&e)) return true;
    if (isa<Sequence>(&e)) return e.type.isArray();
    // Whole structs come apart in statements.
    if (const auto *call = dyn<Call>(&e)) return inlines(call->callee);
    if (const auto *field = dyn<Member>(&e)) return !isPlace(field->base);
    if (e.type.isStruct() && (isa<Assign>(&e) || isa<Conditional>(&e))) return true;
    const auto *subscript = dyn<Subscript>(&e);
    std::vector<const Expr *> indices;
    const auto *base = subscript ? dyn<VarRef>(containerBelow(subscript, indices)) : nullptr;
    if (!base) return false;
    const Container &c = *lookup(base->name, base->range).container;
    return c.parts || !c.watches.empty() || (checked_ && c.first);
  });
}

/// Puts what names stand for into an expression that needs no code in front of it.
class Flattener::Rename final : public Mutator {
public:
  explicit Rename(Flattener &f) : Mutator(f.arena_), f_(f) {}

private:
  Build build(const Node *at) { return Build(arena(), at->range); }

  const Node *mutateVarRef(const VarRef *e) override {
    const Binding &binding = f_.lookup(e->name, e->range);
    if (binding.container) return f_.reference(f_.container(e));
    const auto *variable = dyn<VarRef>(binding.value);
    if (!variable) return binding.value;
    if (variable->name == e->name) return e;
    return arena().derive(e, [&](VarRef &copy) { copy.name = variable->name; });
  }
  const Node *mutateSubscript(const Subscript *e) override {
    std::vector<const Expr *> indices;
    return f_.containerBelow(e, indices) ? f_.element(e) : rebuild(e);
  }
  const Node *mutateSize(const Size *e) override { return f_.sizeOf(e); }
  const Node *mutateCoopDim(const CoopDim *e) override {
    return f_.lanes_ ? build(e).integer(e->type, static_cast<Int>(*f_.lanes_)) : e;
  }
  // What folds once a parameter is a literal.
  const Node *mutateBinary(const Binary *e) override {
    const Binary *result = rebuild(e);
    if (result == e) return e;
    const Expr *folded = build(e).binary(e->op, result->lhs, result->rhs);
    return folded->type == e->type ? folded : result;
  }
  const Node *mutateCast(const Cast *e) override {
    const Cast *result = rebuild(e);
    if (result == e && !isa<IntLit>(e->operand)) return e;
    const Expr *folded = build(e).cast(e->type, result->operand);
    const auto *cast = dyn<Cast>(folded);
    return cast && cast->operand == result->operand ? result : folded; // which keeps what is known of it
  }

  Flattener &f_;
};

const Expr *Flattener::renamed(const Expr *e) {
  Rename rename(*this);
  return rename.mutateAs(e);
}

const Expr *Flattener::expr(const Expr *e) {
  if (!e) return nullptr;
  if (!hoists(e)) return renamed(e);
  if (const auto *call = dyn<SpectrumCall>(e)) return spectrumCall(call);
  if (const auto *call = dyn<Call>(e); call && inlines(call->callee)) return functionCall(call);
  if (const auto *field = dyn<Member>(e)) return member(field);
  if (const auto *node = dyn<Map>(e); node && node->type.isVoid()) {
    map(node, "");
    return nullptr;
  }
  if (const auto *subscript = dyn<Subscript>(e)) {
    std::vector<const Expr *> indices;
    if (!e->type.isArray() && containerBelow(subscript, indices)) return element(subscript);
    if (isa<VarRef>(subscript->base) && !subscript->base->type.isArray()) { // a local array, which is no value
      const Expr *array = renamed(subscript->base);
      indices = operands(subscript->indices);
      return arena_.derive(subscript, [&](Subscript &copy) {
        copy.base = array;
        copy.indices = indices;
      });
    }
    return ordered(e);
  }
  if (e->type.isArray()) return reference(container(e));
  if (const auto *size = dyn<Size>(e)) return sizeOf(size);
  if (const auto *choice = dyn<Conditional>(e)) return conditional(choice);
  if (const auto *assign = dyn<Assign>(e)) return assign->type.isStruct() ? structAssign(assign) : assignment(assign);
  if (const auto *binary = dyn<Binary>(e)) {
    if (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr) return shortCircuit(binary);
    if (binary->op == BinaryOp::Comma) {
      effect(binary->lhs);
      return expr(binary->rhs);
    }
  }
  return ordered(e);
}

std::vector<const Expr *> Flattener::operands(const std::vector<const Expr *> &list) {
  std::vector<const Expr *> values;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // What remains of a call may read what an operand behind it writes.
    bool called = hoists(list[i]);
    bool disturbed = std::any_of(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end(),
                                 [&](const Expr *later) { return hoists(later) || (called && hasEffects(later)); });
    const Expr *value = expr(list[i]);
    values.push_back(disturbed && !value->type.isArray() ? keep(value) : value); // an array stays where it is
  }
  return values;
}

const Expr *Flattener::ordered(const Expr *e) {
  return dispatch(*e, [&]<class T>(const T &node) -> const Expr * {
    if constexpr (std::is_base_of_v<Expr, T>) {
      return arena_.derive(&node, [&](T &copy) {
        std::vector<const Expr **> slots = expressionSlots(copy);
        // A place that is written comes last: it must stay a place.
        bool writes = isa<Atomic>(&node) || (isa<Unary>(&node) && slots.size() == 1);
        if (writes) std::rotate(slots.begin(), slots.begin() + 1, slots.end());
        if constexpr (std::is_same_v<T, MatrixMultiply>)
          std::rotate(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(node.c.size()), slots.end());
        std::vector<const Expr *> values;
        for (const Expr **slot : slots) values.push_back(*slot);
        values = operands(values);
        for (std::size_t i = 0; i < values.size(); ++i) *slots[i] = values[i];
      });
    } else {
      failBug(node.range, "flatten", fmt::format("a {} is no expression", name(node.kind())));
    }
  });
}

const Expr *Flattener::assignment(const Assign *e) {
  const Expr *value = expr(e->value);
  if (hoists(e->target)) value = keep(value);
  const Expr *target = expr(e->target);
  return arena_.derive(e, [&](Assign &copy) {
    copy.target = target;
    copy.value = value;
  });
}

const Expr *Flattener::shortCircuit(const Binary *e) {
  const Expr *lhs = expr(e->lhs);
  if (!hoists(e->rhs)) return b().binary(e->op, lhs, renamed(e->rhs));
  const Expr *result = variable(named("t"), Scalar::Bool, b().cast(Scalar::Bool, lhs));
  Stmts rest = collect([&] { emit(b().assign(result, b().cast(Scalar::Bool, expr(e->rhs)))); });
  emit(b().when(e->op == BinaryOp::LogicalAnd ? result : b().logicalNot(result), std::move(rest)));
  stable_.insert(as<VarRef>(result)->name);
  return b().cast(e->type, result);
}

const Expr *Flattener::conditional(const Conditional *e) {
  const Expr *cond = expr(e->cond);
  // Of a struct, each field asks the condition.
  bool each = e->type.isStruct();
  if (!hoists(e->then) && !hoists(e->otherwise) && !(each && (hasEffects(e->then) || hasEffects(e->otherwise))))
    return b().select(each ? simple(cond) : cond, renamed(e->then), renamed(e->otherwise));
  cond = keep(cond);
  const Expr *result = variable(named("t"), e->type, nullptr);
  auto side = [&](const Expr *value) { return collect([&] { emit(b().assign(result, expr(value))); }); };
  Stmts then = side(e->then), otherwise = side(e->otherwise);
  emit(arena_.make<If>(here_, cond, b().block(std::move(then)), b().block(std::move(otherwise))));
  stable_.insert(as<VarRef>(result)->name);
  return result;
}

const Expr *Flattener::member(const Member *e) {
  const Expr *base = expr(e->base);
  if (!isPlace(base)) base = keep(base);
  return arena_.derive(e, [&](Member &copy) { copy.base = base; });
}

/// As a statement; what remains is the place.
const Expr *Flattener::structAssign(const Assign *e) {
  const Expr *value = expr(e->value);
  if (hoists(e->target)) value = keep(value);
  const Expr *target = place(e->target);
  emit(b().assign(target, value));
  return target;
}

/// The results go straight into the elements of the container.
void Flattener::mapInto(const Assign *e) {
  const auto *results = dyn<Map>(e->value);
  const auto *target = dyn<VarRef>(e->target);
  if (!results || !target) fail(kReassigned, e->range, target ? target->name : "a container");
  Container into = container(target);
  map(results, "", &into);
}

void Flattener::effect(const Expr *e) {
  if (const auto *assign = dyn<Assign>(e); assign && assign->type.isArray()) return mapInto(assign);
  if (!hoists(e)) {
    const Expr *rest = renamed(e);
    if (hasEffects(rest)) emit(arena_.make<Evaluate>(here_, rest));
    return;
  }
  if (const auto *node = dyn<Map>(e)) return void(map(node, ""));
  if (const auto *assign = dyn<Assign>(e); assign && assign->type.isStruct())
    return emit(arena_.make<Evaluate>(here_, assignment(assign)));
  if (const auto *cast = dyn<Cast>(e)) return effect(cast->operand);
  if (const auto *choice = dyn<Conditional>(e)) {
    const Expr *cond = expr(choice->cond);
    Stmts then = collect([&] { effect(choice->then); }), otherwise = collect([&] { effect(choice->otherwise); });
    emit(b().when(cond, std::move(then), std::move(otherwise)));
    return;
  }
  if (const auto *binary = dyn<Binary>(e)) {
    if (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr) {
      const Expr *cond = b().cast(Scalar::Bool, expr(binary->lhs));
      if (binary->op == BinaryOp::LogicalOr) cond = b().logicalNot(cond);
      emit(b().when(cond, collect([&] { effect(binary->rhs); })));
      return;
    }
  }
  if (e->type.isArray()) return void(container(e));
  const Expr *rest = expr(e);
  if (rest && hasEffects(rest)) emit(arena_.make<Evaluate>(here_, rest));
}

const Expr *Flattener::place(const Expr *e) { return sameLater(expr(e)); }

const Expr *Flattener::sameLater(const Expr *target) {
  if (const auto *field = dyn<Member>(target)) {
    const Expr *base = sameLater(field->base);
    return arena_.derive(field, [&](Member &copy) { copy.base = base; });
  }
  const auto *subscript = dyn<Subscript>(target);
  if (!subscript) return target;
  return arena_.derive(subscript, [&](Subscript &copy) {
    for (const Expr *&index : copy.indices) index = keep(index);
  });
}

// ---- containers ----------------------------------------------------------------------------------------

const Expr *Flattener::element(const Subscript *e) {
  std::vector<const Expr *> indices;
  const Expr *base = containerBelow(e, indices);
  Container c = container(base);
  indices = operands(indices);
  while (c.parts && indices.size() >= c.type.rank()) {
    std::vector<const Expr *> which(indices.begin(), indices.begin() + c.type.rank());
    indices.erase(indices.begin(), indices.begin() + c.type.rank());
    for (const Expr *&i : which) i = keep(b().cast(Scalar::U64, i), "i");
    c = part(c, which, c.isConst, named("part"));
  }
  if (c.parts || indices.size() != c.type.rank()) fail(kIndices, e->range, indices.size(), c.type.rank());
  if (!c.watches.empty()) {
    auto how = touches_.find(e);
    const auto *variable = dyn<VarRef>(base);
    touch(c, indices, how == touches_.end() ? Touch::Read : how->second, variable ? variable->name : "", e->range);
  }
  const auto *variable = dyn<VarRef>(base);
  return elementOf(c, std::move(indices), e->range, variable ? variable->name : "range");
}

const Expr *Flattener::elementOf(const Container &c, std::vector<const Expr *> index, SourceRange at,
                                 const std::string &called) {
  const Type &type = c.type.element();
  if (!c.first) return arena_.make<Subscript>(at, type, reference(c), std::move(index));
  const Expr *which = b().cast(Scalar::U64, index[0]);
  bool asks = checked_ && !called.empty();
  if (asks) which = simple(which, "i");
  const Expr *moved = b().mul(which, c.strides[0]);
  const Expr *value = b().exactCast(type, isLiteral(c.first, 0) ? moved : b().add(c.first, moved));
  if (!asks) return value;
  std::string what = fmt::format("reads element {{index}} of '{}', which has {{bound}}", called);
  return checked(which, c.sizes[0], b().zero(type), what, at, value);
}

const Expr *Flattener::sizeOf(const Size *size) {
  Container c = container(size->container);
  const Expr *result = nullptr;
  if (!size->dim) {
    result = c.sizes[0];
    for (std::size_t d = 1; d < c.sizes.size(); ++d) result = b().mul(result, c.sizes[d]);
  } else {
    const Expr *dim = simple(expr(size->dim), "dim");
    result = c.sizes.back();
    for (std::size_t d = c.sizes.size() - 1; d-- > 0;)
      result = b().select(b().equal(dim, b().integer(dim->type, static_cast<Int>(d))), c.sizes[d], result);
  }
  return b().cast(size->type, result);
}

Container Flattener::container(const Expr *e, const std::string &hint) {
  if (const auto *variable = dyn<VarRef>(e)) {
    const Binding &binding = lookup(variable->name, e->range);
    if (!binding.container) fail(kContainerExpression, e->range, fmt::format("local array '{}'", variable->name));
    return *binding.container;
  }
  if (const auto *node = dyn<Map>(e)) {
    std::optional<Container> result = map(node, hint);
    if (!result) fail(kNoResult, e->range, node->spectrum, node->spectrum);
    return *result;
  }
  if (const auto *node = dyn<Partition>(e)) return partition(node);
  if (const auto *node = dyn<Sequence>(e)) return range(node);
  if (const auto *cast = dyn<Cast>(e)) return container(cast->operand, hint);
  if (const auto *binary = dyn<Binary>(e); binary && binary->op == BinaryOp::Comma) {
    effect(binary->lhs);
    return container(binary->rhs, hint);
  }
  if (const auto *subscript = dyn<Subscript>(e)) {
    std::vector<const Expr *> indices;
    const Expr *base = containerBelow(subscript, indices);
    if (!base) fail(kContainerExpression, e->range, "an element of a local array");
    Container c = container(base);
    indices = operands(indices);
    for (const Expr *&i : indices) i = keep(b().cast(Scalar::U64, i), "i");
    while (!indices.empty()) {
      std::size_t count = std::min<std::size_t>(indices.size(), c.type.rank());
      std::vector<const Expr *> which(indices.begin(), indices.begin() + count);
      indices.erase(indices.begin(), indices.begin() + count);
      c = at(c, which, e->type, c.isConst, named(hint.empty() ? "part" : hint)).container;
      if (!c.type.isArray()) fail(kIndices, e->range, which.size() + indices.size(), which.size());
    }
    return c;
  }
  fail(kContainerExpression, e->range, fmt::format("a {}", name(e->kind())));
}

void Flattener::checkNoLane(std::string_view what) const {
  if (cooperative_) fail(kLaneContainer, here_, what);
}

Container Flattener::temporary(const std::string &name, const Type &element, std::vector<const Expr *> extents) {
  checkNoLane("a temporary container");
  Container c;
  c.name = name;
  c.type = Type::array(static_cast<unsigned>(extents.size()), element);
  c.sizes = extents;
  c.strides.assign(extents.size(), b().u64(1));
  for (std::size_t d = extents.size() - 1; d-- > 0;) c.strides[d] = b().mul(c.strides[d + 1], extents[d + 1]);
  emit(arena_.make<Alloc>(here_, name, element, std::move(extents), level_, ""));
  return c;
}

} // namespace tangram::flatten

#include "Linearizer.h"

#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram {

using namespace ast;

namespace {
constexpr DiagnosticKind kWhole{"index-calculation.whole-container", DiagnosticClass::Limitation,
                                "container '{}' is used as a value", "use its elements, its size, or pass it on"};
constexpr DiagnosticKind kIndices{"index-calculation.indices", DiagnosticClass::User,
                                  "'{}' has {} dimensions and {} indices", "write one index a dimension"};

/// As an index, p[i] is p[(size_t)i] whatever the integer type of i.
const Expr *withoutWidening(const Expr *index) {
  while (const auto *cast = dyn<Cast>(index)) {
    const Type &from = cast->operand->type;
    if (!(cast->type == Type(Scalar::U64)) || !from.isInteger() || from.isBool()) break;
    index = cast->operand;
  }
  return index;
}
} // namespace

Linearizer::Linearizer(Arena &arena, const Module &module) : Mutator(arena) {
  for (const Function *function : module.functions) functions_[function->name] = function;
}

// ---- parameters ----------------------------------------------------------------------------------------

const Param *Linearizer::u64Param(const Param *like, const std::string &wanted) {
  return arena().make<Param>(like->range, names_.fresh(wanted), Type(Scalar::U64), Access::In);
}

void Linearizer::containerParam(const Param *param, bool lastStride, std::vector<const Param *> &params) {
  unsigned rank = param->type.rank();
  Layout layout{param->name, Type::pointer(param->type.element(), param->access == Access::In), {}, {}};
  params.push_back(arena().make<Param>(param->range, param->name, layout.type, param->access));
  auto extra = [&](const std::string &what, unsigned d, Exprs &values) {
    params.push_back(u64Param(param, fmt::format("{}_{}{}", param->name, what, d)));
    values.push_back(build(param).var(params.back()->name, Scalar::U64));
  };
  for (unsigned d = 0; d < rank; ++d) extra("size", d, layout.sizes);
  for (unsigned d = 0; d < rank; ++d) {
    if (lastStride || d + 1 < rank)
      extra("stride", d, layout.strides);
    else
      layout.strides.push_back(build(param).u64(1));
  }
  layouts_[param->name] = std::move(layout);
}

void Linearizer::scalarParam(const Param *param, std::vector<const Param *> &params) {
  if (param->access == Access::In || param->type.isPointer()) return params.push_back(param);
  Type type = Type::pointer(param->type);
  pointers_[param->name] = type;
  params.push_back(arena().make<Param>(param->range, param->name, type, param->access));
}

void Linearizer::startBody(const std::vector<const Param *> &params, const Block *body) {
  names_ = {};
  layouts_.clear();
  pointers_.clear();
  names_.reserveAll(body);
  for (const Param *param : params) names_.reserve(param->name);
  assigned_ = assignedVariables(body);
}

const Kernel *Linearizer::kernel(const Kernel *kernel) {
  startBody(kernel->params, kernel->body);
  for (const Param *constant : kernel->constants) names_.reserve(constant->name);
  std::vector<const Param *> params;
  containers_.clear();
  for (const Param *param : kernel->params) {
    if (param->type.isArray()) {
      containerParam(param, false, params);
      containers_.push_back(param);
    } else {
      scalarParam(param, params);
    }
  }
  return arena().derive(kernel, [&](Kernel &copy) {
    copy.params = std::move(params);
    for (const Expr *&condition : copy.conditions) condition = mutateAs(condition);
    known_ = KnownExtents(*kernel);
    for (const Param *container : containers_) {
      Exprs &sizes = layouts_[container->name].sizes;
      for (unsigned d = 0; d < sizes.size(); ++d)
        if (const std::optional<Int> extent = known_.of(container->name, d))
          sizes[d] = build(container).u64(static_cast<std::uint64_t>(*extent));
    }
    copy.body = mutateAs(kernel->body);
  });
}

const Node *Linearizer::mutateLaunch(const Launch *launch) {
  constexpr std::size_t kMostNodes = 4000;
  const std::map<std::string, Layout> asGiven = layouts_;
  const Build b = build(launch);
  const Expr *packed = nullptr;
  for (const Param *container : containers_) {
    const bool used = mentions(launch->body, container->name) ||
                      any<View>(launch->body, [&](const View &v) { return v.base == container->name; });
    Exprs &strides = layouts_[container->name].strides;
    for (unsigned d = 0; used && d < strides.size(); ++d) {
      const std::optional<Int> stride = known_.packedStride(*container, d);
      if (!stride) continue;
      const Expr *number = b.u64(static_cast<std::uint64_t>(*stride));
      const Expr *is = b.equal(strides[d], number);
      packed = packed ? b.both(packed, is) : is;
      strides[d] = number;
    }
  }
  if (!packed || nodeCount(launch->body) > kMostNodes) {
    layouts_ = asGiven;
    return rebuild(launch);
  }
  const auto *other = as<Launch>(withOwnNames(arena(), launch, names_));
  const auto *special = as<Launch>(rebuild(launch));
  layouts_ = asGiven;
  return b.when(packed, {special}, {as<Launch>(rebuild(other))});
}

const Function *Linearizer::function(const Function *function) {
  startBody(function->params, function->body);
  std::vector<const Param *> params;
  for (const Param *param : function->params) {
    if (param->type.isArray())
      containerParam(param, true, params);
    else
      scalarParam(param, params);
  }
  const Block *body = mutateAs(function->body);
  if (params == function->params && body == function->body) return function;
  return arena().derive(function, [&](Function &copy) {
    copy.params = std::move(params);
    copy.body = body;
  });
}

// ---- expressions ---------------------------------------------------------------------------------------

const Linearizer::Layout *Linearizer::layout(const Expr *e) const {
  const auto *variable = dyn<VarRef>(e);
  auto found = variable ? layouts_.find(variable->name) : layouts_.end();
  return found == layouts_.end() ? nullptr : &found->second;
}

const Linearizer::Layout &Linearizer::container(const Expr *e) const {
  const Layout *found = layout(e);
  if (!found) failBug(e->range, "index-calculation", fmt::format("a {} is no container", name(e->kind())));
  return *found;
}

const Expr *Linearizer::fixed(const Expr *e, const std::string &wanted) {
  const Expr *core = withoutCasts(e);
  if (isa<IntLit>(core)) return e;
  if (const auto *variable = dyn<VarRef>(core); variable && !assigned_.count(variable->name)) return e;
  std::string name = names_.fresh(wanted);
  emitBefore(build(e).declare(name, e->type, e));
  return build(e).var(name, e->type);
}

const Expr *Linearizer::pick(const Exprs &values, const Expr *dim, const Node *at) {
  Build b = build(at);
  if (std::optional<Int> d = literal(dim); d && *d >= 0 && static_cast<std::size_t>(*d) < values.size())
    return values[static_cast<std::size_t>(*d)];
  const Expr *result = values.back();
  for (std::size_t d = values.size() - 1; d-- > 0;)
    result = b.select(b.equal(dim, b.integer(dim->type, static_cast<Int>(d))), values[d], result);
  return result;
}

const Node *Linearizer::mutateSize(const Size *e) {
  const Layout &of = container(e->container);
  const Expr *result = of.sizes[0];
  if (e->dim)
    result = pick(of.sizes, mutateAs(e->dim), e);
  else
    for (std::size_t d = 1; d < of.sizes.size(); ++d) result = build(e).mul(result, of.sizes[d]);
  return build(e).cast(e->type, result);
}

const Node *Linearizer::mutatePitch(const Pitch *e) {
  return build(e).cast(e->type, pick(container(e->container).strides, mutateAs(e->dim), e));
}

const Node *Linearizer::mutateVarRef(const VarRef *e) {
  auto pointer = pointers_.find(e->name);
  if (pointer != pointers_.end())
    return arena().make<Unary>(e->range, e->type, UnaryOp::Deref, build(e).var(e->name, pointer->second));
  const Layout *container = layout(e);
  if (container && e->type.isArray() && container->type.isPointer()) fail(kWhole, e->range, e->name);
  return e;
}

const Expr *Linearizer::linear(const Layout &layout, const Exprs &indices, const Node *at) {
  if (indices.size() != layout.strides.size())
    fail(kIndices, at->range, layout.name, layout.strides.size(), indices.size());
  Build b = build(at);
  if (indices.size() == 1 && isLiteral(layout.strides[0], 1)) return withoutWidening(indices[0]);
  const Expr *sum = b.u64(0);
  for (std::size_t d = 0; d < indices.size(); ++d)
    sum = b.add(sum, b.mul(b.cast(Scalar::U64, indices[d]), layout.strides[d]));
  return sum;
}

const Node *Linearizer::mutateSubscript(const Subscript *e) {
  Exprs indices;
  const Expr *base = e;
  while (const auto *subscript = dyn<Subscript>(base)) {
    indices.insert(indices.begin(), subscript->indices.begin(), subscript->indices.end());
    base = subscript->base;
  }
  const Layout *of = layout(base);
  if (!of) return rebuild(e);
  for (const Expr *&index : indices) index = mutateAs(index);
  return arena().make<Subscript>(e->range, e->type, storage(*of, base), Exprs{linear(*of, indices, e)});
}

const Node *Linearizer::mutateCall(const Call *e) {
  if (!functions_.count(e->callee)) return rebuild(e);
  const std::vector<const Param *> &params = functions_.at(e->callee)->params;
  Exprs args;
  bool changed = false;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    const Expr *arg = e->args[i];
    if (i < params.size() && params[i]->type.isArray()) {
      const Layout &of = container(arg);
      args.push_back(storage(of, arg));
      args.insert(args.end(), of.sizes.begin(), of.sizes.end());
      args.insert(args.end(), of.strides.begin(), of.strides.end());
      changed = true;
      continue;
    }
    const Expr *value = mutateAs(arg);
    if (i < params.size() && params[i]->access != Access::In && !params[i]->type.isPointer())
      value = arena().make<Unary>(arg->range, Type::pointer(arg->type), UnaryOp::AddressOf, value);
    changed |= value != arg;
    args.push_back(value);
  }
  if (!changed) return e;
  return arena().derive(e, [&](Call &copy) { copy.args = std::move(args); });
}

// ---- declarations --------------------------------------------------------------------------------------

const Node *Linearizer::mutateView(const View *stmt) {
  Build b = build(stmt);
  auto base = layouts_.find(stmt->base);
  auto scalar = pointers_.find(stmt->base); // that is given back: a field of it
  if (base == layouts_.end() && scalar == pointers_.end())
    failBug(stmt->range, "index-calculation", fmt::format("a view of '{}', which is no container", stmt->base));
  const Type &storageType = base == layouts_.end() ? scalar->second : base->second.type;
  Layout view{stmt->name, Type::pointer(stmt->element, stmt->isConst || storageType.toConst()), {}, {}};
  for (std::size_t d = 0; d < stmt->sizes.size(); ++d) {
    std::string dim = stmt->sizes.size() > 1 ? std::to_string(d) : "";
    view.sizes.push_back(fixed(mutateAs(stmt->sizes[d]), stmt->name + "_size" + dim));
    view.strides.push_back(fixed(mutateAs(stmt->strides[d]), stmt->name + "_stride" + dim));
  }
  const Expr *start = b.var(stmt->base, storageType);
  // A field of structs: storage of another type at the same place.
  if (!(start->type.element() == stmt->element)) start = b.cast(view.type, start);
  const Expr *first = b.add(start, mutateAs(stmt->offset));
  const Stmt *pointer = b.declare(stmt->name, view.type, first);
  layouts_[stmt->name] = std::move(view);
  return pointer;
}

const Node *Linearizer::mutateAlloc(const Alloc *stmt) {
  Build b = build(stmt);
  Layout layout{stmt->name, Type::pointer(stmt->element), {}, {}};
  std::size_t rank = stmt->extents.size();
  for (std::size_t d = 0; d < rank; ++d)
    layout.sizes.push_back(
        fixed(mutateAs(stmt->extents[d]), stmt->name + "_size" + (rank > 1 ? std::to_string(d) : "")));
  layout.strides.assign(rank, b.u64(1));
  for (std::size_t d = rank - 1; d-- > 0;)
    layout.strides[d] =
        fixed(b.mul(layout.strides[d + 1], layout.sizes[d + 1]), fmt::format("{}_stride{}", stmt->name, d));
  const Expr *all = b.mul(layout.sizes[0], layout.strides[0]);
  layouts_[stmt->name] = std::move(layout);
  if (rank == 1 && all == stmt->extents[0]) return stmt;
  return arena().derive(stmt, [&](Alloc &copy) { copy.extents = {all}; });
}

const Node *Linearizer::mutateDeclare(const Declare *stmt) {
  const Declare *result = rebuild(stmt);
  std::size_t rank = result->extents.size();
  if (rank < 2) return result;
  // A local array of several dimensions: one of one dimension, row after row.
  Build b = build(stmt);
  Layout layout{stmt->name, Type::array(1, stmt->type), {}, {}};
  for (std::size_t d = 0; d < rank; ++d)
    layout.sizes.push_back(fixed(b.cast(Scalar::U64, result->extents[d]), fmt::format("{}_size{}", stmt->name, d)));
  layout.strides.assign(rank, b.u64(1));
  for (std::size_t d = rank - 1; d-- > 0;)
    layout.strides[d] =
        fixed(b.mul(layout.strides[d + 1], layout.sizes[d + 1]), fmt::format("{}_stride{}", stmt->name, d));
  const Expr *all = b.mul(layout.sizes[0], layout.strides[0]);

  // Nested braces become one list, short rows filled up with zeros, as C++ would.
  const Expr *init = result->init;
  if (isa<InitList>(init)) {
    Exprs values;
    auto row = [&](auto &&self, const Expr *list, std::size_t d) -> void {
      const auto *braces = dyn<InitList>(list);
      if (!braces || d == rank) return values.push_back(list);
      std::size_t start = values.size();
      for (const Expr *value : braces->values) self(self, value, d + 1);
      std::optional<Int> length = literal(layout.strides[d]), count = literal(layout.sizes[d]);
      const Expr *zero = b.zero(stmt->type);
      if (d > 0 && length && count && zero)
        while (values.size() - start < static_cast<std::size_t>(*length * *count)) values.push_back(zero);
    };
    row(row, init, 0);
    init = arena().make<InitList>(init->range, init->type, std::move(values));
  }
  layouts_[stmt->name] = std::move(layout);
  return arena().derive(result, [&](Declare &copy) {
    copy.extents = {all};
    copy.init = init;
  });
}

} // namespace tangram

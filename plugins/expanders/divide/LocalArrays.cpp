#include "LocalArrays.h"
#include "Captures.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Walk.h"
#include "tangram/nest/Dependences.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;

namespace {

using Stmts = std::vector<const Stmt *>;
using Exprs = std::vector<const Expr *>;

constexpr Int kFewTurns = 1024;
constexpr std::size_t kMostValues = 64; // that are assigned one by one

bool isLoop(const Stmt &s) { return isa<For>(&s) || isa<While>(&s) || isa<DoWhile>(&s); }

/// for (i = 0; i < 256; ++i), and anything that no more is known of than that it is as short.
bool hasFewTurns(const Stmt &loop) {
  const auto *counted = dyn<For>(&loop);
  const auto *init = counted ? dyn<Declare>(counted->init) : nullptr;
  const auto *cond = counted ? dyn<Binary>(counted->cond) : nullptr;
  const auto known = [](const Expr *e) { return e && literal(e) && *literal(e) <= kFewTurns && *literal(e) >= 0; };
  return init && cond && known(init->init) && (known(cond->lhs) || known(cond->rhs));
}

/// Values that are listed for an array, of which those of inner braces are a row.
std::size_t valuesIn(const InitList &list) {
  std::size_t all = 0;
  for (const Expr *e : list.values) {
    const auto *row = dyn<InitList>(e);
    all += row ? valuesIn(*row) : 1;
  }
  return all;
}

bool isShareable(const Declare &d, const Codelet &codelet) {
  if (d.extents.empty() || d.type.isArray() || !d.type.isScalar() || d.shared || d.tunable) return false;
  if (std::any_of(d.extents.begin(), d.extents.end(), [](const Expr *e) { return hasEffects(e); })) return false;
  if (d.init) {
    const auto *list = dyn<InitList>(d.init);
    const bool isTable = d.isConst && !contains<VarRef>(d.init);
    if (!list || isTable || hasEffects(d.init) || valuesIn(*list) > kMostValues) return false;
  }
  std::size_t all = 0, elements = 0;
  const auto isIt = [&](const Expr *e) { return isa<VarRef>(e) && as<VarRef>(e)->name == d.name; };
  walk(
      codelet.body, [&](const VarRef &v) { all += isIt(&v); },
      [&](const Subscript &s) { elements += isIt(s.base) && s.indices.size() == d.extents.size(); });
  const bool longLoop =
      any<Stmt>(codelet.body, [&](const Stmt &s) { return isLoop(s) && !hasFewTurns(s) && mentions(&s, d.name); });
  return all == elements && longLoop;
}

class SharingArrays final : public Mutator {
public:
  SharingArrays(const Codelet &codelet, Arena &arena) : Mutator(arena), codelet_(codelet) {
    names_.reserveAll(&codelet);
  }
  const std::map<std::string, Type> &types() const { return types_; }

private:
  const Node *mutateFor(const For *f) override {
    return inLoop([&] { return Mutator::mutateFor(f); });
  }
  const Node *mutateWhile(const While *w) override {
    return inLoop([&] { return Mutator::mutateWhile(w); });
  }
  const Node *mutateDoWhile(const DoWhile *d) override {
    return inLoop([&] { return Mutator::mutateDoWhile(d); });
  }
  template <class F> const Node *inLoop(F &&mutated) {
    ++loops_;
    const Node *result = mutated();
    --loops_;
    return result;
  }

  const Node *mutateDeclare(const Declare *d) override {
    if (loops_ > 0 || !isShareable(*d, codelet_)) return Mutator::mutateDeclare(d);
    const Build b(arena(), d->range);
    const Type type = Type::array(static_cast<unsigned>(d->extents.size()), d->type);
    types_.insert_or_assign(d->name, type);
    Exprs extents;
    for (const Expr *extent : d->extents) extents.push_back(b.cast(kSize, extent));
    if (d->init) setTo(*as<InitList>(d->init), b.var(d->name, type), extents, d->type, b);
    return arena().derive(d, [&](Declare &c) {
      c.type = type;
      c.extents = extents;
      c.init = nullptr;
      c.isConst = false;
    });
  }

  /// Element by element, where these are few, zeros too; else all is zero first.
  void setTo(const InitList &list, const Expr *array, const Exprs &extents, const Type &type, const Build &b) {
    std::size_t elements = 1;
    for (const Expr *extent : extents) elements *= static_cast<std::size_t>(literal(extent).value_or(kMostValues + 1));
    if (elements <= kMostValues) return listed(&list, array, extents, {}, type, b);
    Exprs indices;
    for (std::size_t k = 0; k < extents.size(); ++k) indices.push_back(b.var(names_.fresh("at"), kSize));
    const Stmt *fill = b.assign(b.element(array, indices, type), b.zero(type));
    for (std::size_t k = extents.size(); k-- > 0;)
      fill = arena().make<For>(array->range, b.declare(as<VarRef>(indices[k])->name, kSize, b.u64(0), false),
                               b.less(indices[k], extents[k]),
                               arena().make<Unary>(array->range, kSize, UnaryOp::PreInc, indices[k]), b.block({fill}));
    emitAfter(fill);
    listed(&list, array, {}, {}, type, b);
  }
  /// What is listed of a row, and where there are extents, zero for what is not.
  void listed(const InitList *list, const Expr *array, const Exprs &extents, const Exprs &row, const Type &type,
              const Build &b) {
    const std::size_t given = list ? list->values.size() : 0;
    const std::size_t all = extents.empty() ? given : static_cast<std::size_t>(*literal(extents[row.size()]));
    for (std::size_t k = 0; k < all; ++k) {
      Exprs indices = row;
      indices.push_back(b.u64(k));
      const Expr *value = k < given ? list->values[k] : nullptr;
      const bool isRow = value ? isa<InitList>(value) : indices.size() < extents.size();
      if (isRow)
        listed(dyn<InitList>(value), array, extents, indices, type, b);
      else
        emitAfter(b.assign(b.element(array, indices, type), value ? b.cast(type, value) : b.zero(type)));
    }
  }

  const Node *mutateVarRef(const VarRef *v) override {
    const auto type = types_.find(v->name);
    return type == types_.end() ? v : arena().derive(v, [&](VarRef &c) { c.type = type->second; });
  }

  const Codelet &codelet_;
  Names names_;
  unsigned loops_ = 0;
  std::map<std::string, Type> types_; // names are a codelet's own
};

/// Whether the arrays keep none of a loop's iterations from being carried out at once: a loop that reads them, writes
/// elements of its own, or accumulates.
bool isOutOfTheWay(const nest::Nest &nest, unsigned loop, const std::map<std::string, Type> &arrays) {
  const nest::Loop &l = nest.loops[loop];
  const bool uses =
      std::any_of(arrays.begin(), arrays.end(), [&](const auto &array) { return mentions(l.node, array.first); });
  if (!uses || hasFewTurns(*l.node)) return false;
  const nest::Dependences dependences(nest);
  if (!l.parent && dependences.carried(loop).kind == nest::Carried::Kind::Reduction) return true;
  const std::vector<nest::Dependence> all = dependences.all(loop);
  return std::none_of(all.begin(), all.end(), [&](const nest::Dependence &d) {
    return arrays.count(nest.variables[d.first->variable].name) != 0;
  });
}

} // namespace

const Codelet *withLocalArraysShared(nest::Nests &nests, const Codelet &codelet, Arena &arena) {
  const auto isArray = [](const Declare &d) { return !d.extents.empty() && !d.type.isArray(); };
  if (!any<Declare>(codelet.body, isArray)) return &codelet;
  SharingArrays sharing(codelet, arena);
  const auto *made = sharing(&codelet);
  const nest::Nest *const nest = made == &codelet ? nullptr : nests.of(*made);
  if (!nest) return &codelet;
  for (unsigned loop = 0; loop < nest->loops.size(); ++loop)
    if (isOutOfTheWay(*nest, loop, sharing.types())) return made;
  return &codelet;
}

} // namespace tangram::divide

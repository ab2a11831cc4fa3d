#include "EvaluatorParts.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::races {

using namespace ast;

namespace {

constexpr unsigned kMostAccesses = 8; // of one place, by different ways
constexpr unsigned kMostReads = 4;    // of one container by what a codelet calls: reads matter only beside a write

} // namespace

void Evaluator::effects(const Expr *e) {
  if (!e) return;
  switch (exprKind(*e)) {
  case ExprKind::Assign: {
    const Assign *n = as<Assign>(e);
    if (n->target->type.isArray() && isa<Map>(n->value)) {
      effects(n->target);
      return site(n->value, view(n->target));
    }
    effects(n->value);
    if (const auto *v = dyn<VarRef>(n->target); v && !v->type.isArray()) {
      if (!isNumber(v->type)) return;
      Polynomial now = value(n->value);
      Polynomial &known = values_[v->name];
      switch (n->op) {
      case AssignOp::Set: known = now; break;
      case AssignOp::Add: known = known + now; break;
      case AssignOp::Sub: known = known - now; break;
      case AssignOp::Mul: known = known * now; break;
      default: known = symbols_.any(); break;
      }
      return;
    }
    return place(n->target, n->op != AssignOp::Set, true, false);
  }
  case ExprKind::Atomic:
    for (const Expr *operand : as<Atomic>(e)->operands) effects(operand);
    return place(as<Atomic>(e)->target, true, true, true);
  case ExprKind::Unary: {
    const Unary *n = as<Unary>(e);
    bool writes = changesOperand(n->op);
    if (!writes) return effects(n->operand);
    if (const auto *v = dyn<VarRef>(n->operand)) return forget({v->name});
    return place(n->operand, true, true, false);
  }
  case ExprKind::Conditional: {
    const Conditional *n = as<Conditional>(e);
    effects(n->cond);
    bool conditional = !sameInAllCalls(n->cond);
    conditionally(n->then, conditional, [&] {
      assume(n->cond, true);
      effects(n->then);
    });
    conditionally(n->otherwise, conditional, [&] {
      assume(n->cond, false);
      effects(n->otherwise);
    });
    return;
  }
  case ExprKind::Binary: {
    const Binary *n = as<Binary>(e);
    effects(n->lhs);
    if (n->op != BinaryOp::LogicalAnd && n->op != BinaryOp::LogicalOr) return effects(n->rhs);
    conditionally(n->rhs, !sameInAllCalls(n->lhs), [&] {
      assume(n->lhs, n->op == BinaryOp::LogicalAnd);
      effects(n->rhs);
    });
    return;
  }
  case ExprKind::Subscript:
  case ExprKind::Member: return place(e, true, false, false);
  case ExprKind::Map:
  case ExprKind::SpectrumCall: return site(e, {});
  case ExprKind::Size:
  case ExprKind::Pitch: return;
  case ExprKind::IntLit:
  case ExprKind::FloatLit:
  case ExprKind::VarRef:
  case ExprKind::Cast:
  case ExprKind::Call:
  case ExprKind::InitList:
  case ExprKind::Partition:
  case ExprKind::Sequence:
  case ExprKind::CoopIdx:
  case ExprKind::CoopDim:
  case TANGRAM_DEVICE_EXPRS:
  case TANGRAM_CHECKED_EXPRS:
  case TANGRAM_VECTOR_EXPRS:
    for (const Node *child : children(*e))
      if (isa<Expr>(child)) effects(static_cast<const Expr *>(child));
  }
}

void Evaluator::place(const Expr *target, bool reads, bool writes, bool atomic) {
  std::vector<const Expr *> indices;
  std::vector<std::string> fields;
  const VarRef *root = chain(target, indices, fields);
  for (const Expr *index : indices) effects(index);
  if (!root) { // a field of what a call gives
    for (const Node *child : children(*target))
      if (isa<Expr>(child)) effects(static_cast<const Expr *>(child));
    return;
  }
  auto known = views_.find(root->name);
  if (known == views_.end() || target->type.isArray()) {
    if (writes && root->type.isInteger()) forget({root->name});
    return;
  }
  const View &v = known->second;
  if (auto it = roots_.find(v.root); it != roots_.end() && writes) it->second.changed();
  Access access;
  access.container = v.root;
  access.kind = atomic ? Access::Kind::Atomic : writes ? Access::Kind::Write : Access::Kind::Read;
  access.fields = std::move(fields);
  for (const Expr *index : indices) access.index.push_back(value(index));
  if (!v.prefix.empty() || !v.cuts.empty()) {
    std::vector<Polynomial> local;
    for (std::size_t i = 0; i < access.index.size(); ++i) local.push_back(symbols_.any());
    access.index = local;
    auto it = roots_.find(v.root);
    access.index.assign(it == roots_.end() ? 0 : it->second.extents.size(), Polynomial());
    for (Polynomial &p : access.index) p = symbols_.any();
    for (std::size_t i = 0; i < v.prefix.size() && i < access.index.size(); ++i) access.index[i] = v.prefix[i];
  }
  access.facts = facts_;
  access.zeros = zeros_;
  access.conditional = conditional_;
  access.spectrum = &spectrum_;
  access.codelet = &codelet_;
  access.name = root->name;
  access.place = target->range;
  (void)reads; // of what is written, too: the write says all that matters
  add(std::move(access));
}

void Evaluator::add(Access access) {
  if (!parameters_.count(access.container)) return;
  bool inherits = access.codelet != &codelet_ && access.kind == Access::Kind::Read;
  std::tuple<std::string, Access::Kind, unsigned, unsigned> where{access.container, access.kind, 0, 0};
  if (!inherits) where = {access.container, access.kind, access.place.line, access.place.column};
  unsigned &n = places_[where];
  const unsigned most = inherits ? kMostReads : kMostAccesses;
  if (++n > most) return; // the last one that was added stands for all
  if (n == most || access.widened) {
    for (Polynomial &p : access.index) p = symbols_.any();
    access.facts.clear();
    access.zeros.clear();
    access.conditional = true;
    if (access.widened) n = most;
  }
  summary_.accesses.push_back(std::move(access));
}

void Evaluator::inherit(const Site &site, std::size_t codelet) {
  const std::vector<const Param *> &params = site.callee->codelets[codelet]->params;
  for (const Access &access : summaries_.find(site.callee->name)->second.codelets[codelet].accesses)
    for (std::size_t i = 0; i < site.arguments.size(); ++i) {
      const std::string &root = site.arguments[i].view.root;
      if (params[i]->name != access.container || root.empty()) continue;
      auto mine = roots_.find(root);
      if (access.kind != Access::Kind::Read && mine != roots_.end()) mine->second.changed();
      if (!parameters_.count(root)) continue;
      if (access.kind == Access::Kind::Read && !readsInherited_.insert(root).second) continue;
      Access own = access;
      own.container = root;
      own.index.assign(mine->second.extents.size(), Polynomial());
      own.widened = true;
      add(std::move(own));
    }
}

void Evaluator::site(const Expr *node, const std::optional<View> &result) {
  const auto *map = dyn<Map>(node);
  const std::vector<const Expr *> &args = map ? map->args : as<SpectrumCall>(node)->args;
  for (const Expr *arg : args) effects(arg);
  Site s;
  s.node = node;
  s.isMap = map != nullptr;
  s.callee = find(map ? map->spectrum : as<SpectrumCall>(node)->spectrum);
  auto known = s.callee ? summaries_.find(s.callee->name) : summaries_.end();
  if (known == summaries_.end()) return;
  for (std::size_t i = 0; i < args.size() && i < s.callee->params.size(); ++i) {
    MapArgument a;
    a.param = s.callee->params[i];
    a.isArray = args[i]->type.isArray();
    if (a.isArray) {
      a.view = view(args[i]);
      a.rank = args[i]->type.rank();
      a.dims = s.isMap ? mappedDims(args[i]->type, a.param->type).value_or(0) : 0;
      auto root = roots_.find(a.view.root);
      if (root != roots_.end() && a.view.prefix.empty() && a.view.cuts.empty()) a.element = root->second.fill;
      if (a.dims > 0 && s.counts.empty()) {
        if (a.view.cuts.size() > a.view.parts.size())
          for (std::size_t d = a.view.parts.size(); d < a.view.cuts.size(); ++d)
            s.counts.push_back(a.view.cuts[d].count);
        else
          s.counts = extents(a.view, a.rank);
        s.counts.resize(a.dims, Polynomial::unknown());
      }
    } else {
      a.value = isNumber(args[i]->type) ? value(args[i]) : symbols_.any();
    }
    s.arguments.push_back(std::move(a));
  }
  s.result = result;
  s.conditional = conditional_;
  s.facts = facts_;
  visited(s);

  // What it does is done by this codelet, as far as its callers can see.
  const SpectrumSummary &callee = known->second;
  bool recursive = callee.together.count(spectrum_.name) != 0;
  std::map<std::string, std::optional<Polynomial>> filled;
  static const CodeletSummary kNothing;
  for (std::size_t c = 0; c < callee.codelets.size(); ++c) {
    if (!s.callee->codelets[c]->from.empty()) continue; // it touches what the one does that it was made of
    if (recursive) {                                    // of which no index is known, but of what the map itself does
      inherit(s, c);
      if (c > 0) continue;
    }
    std::vector<Polynomial> which = keys(s);
    for (Touch &t : touches(s, recursive ? kNothing : callee.codelets[c], which)) {
      if (t.access && t.kind != Access::Kind::Read)
        if (auto it = roots_.find(t.root); it != roots_.end()) it->second.changed();
      Access access;
      if (t.access) access = *t.access;
      access.container = t.root;
      access.kind = t.kind;
      access.index = std::move(t.index);
      access.facts = std::move(t.facts);
      access.zeros = std::move(t.zeros);
      access.zeros.insert(access.zeros.end(), zeros_.begin(), zeros_.end());
      access.fields = std::move(t.fields);
      access.conditional = t.conditional || conditional_;
      if (!t.access) {
        access.spectrum = &spectrum_;
        access.codelet = &codelet_;
        access.name = t.root;
        access.place = node->range;
      }
      add(std::move(access));
    }
    // What all codelets fill alike.
    for (std::size_t i = 0; i < s.arguments.size() && !s.isMap; ++i) {
      const MapArgument &a = s.arguments[i];
      if (!a.isArray || !a.view.prefix.empty() || !a.view.cuts.empty()) continue;
      const Codelet *own = s.callee->codelets[c];
      auto fill = callee.codelets[c].fills.find(own->params[i]->name);
      std::optional<Polynomial> now;
      if (fill != callee.codelets[c].fills.end() && fill->second == symbols_.index()) now = fill->second;
      auto [it, fresh] = filled.emplace(a.view.root, now);
      if (!fresh && (!now || !it->second || !(*now == *it->second))) it->second.reset();
    }
  }
  if (!conditional_ && !inLoop_)
    for (const auto &[root, fill] : filled)
      if (auto it = roots_.find(root); fill && it != roots_.end()) it->second.fill = fill;
}

} // namespace tangram::races

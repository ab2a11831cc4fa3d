#include "EvaluatorParts.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::races {

using namespace ast;

View Evaluator::view(const Expr *e) {
  if (const auto *v = dyn<VarRef>(e))
    if (auto it = views_.find(v->name); it != views_.end()) return it->second;
  if (const auto *p = dyn<Partition>(e)) {
    View base = view(p->container);
    if (!base.cuts.empty()) return {};
    for (std::size_t d = 0; d < p->counts.size(); ++d)
      base.cuts.push_back({value(p->counts[d]), sequence(p->starts[d]), sequence(p->incs[d]), sequence(p->ends[d])});
    return base;
  }
  if (const auto *s = dyn<Subscript>(e)) {
    View base = view(s->base);
    for (const Expr *index : s->indices) {
      if (base.parts.size() < base.cuts.size())
        base.parts.push_back(value(index));
      else if (base.cuts.empty())
        base.prefix.push_back(value(index));
      else
        return {};
    }
    return base;
  }
  if (const auto *s = dyn<Sequence>(e); s && !s->container && s->inc && s->end) {
    std::string name = fmt::format("range {}", roots_.size()); // which is no name of a variable
    Polynomial first = value(s->start), step = value(s->inc);
    if (first.isUnknown()) first = fresh(s->type.element());
    std::optional<std::int64_t> by = step.constant();
    if (by && *by == 0) step = Polynomial(1);
    Polynomial extent = step == Polynomial(1) ? value(s->end) - first : Polynomial::unknown();
    // Where it ends before it begins there is nothing in it.
    if (!first.isZero() || !isNatural(s->type.element())) extent = symbols_.any(Polynomial(0), extent, true, true);
    roots_[name] = range(std::move(extent), first, step);
    return {name, {}, {}, {}};
  }
  return {};
}

Evaluator::Root Evaluator::range(Polynomial extent, const Polynomial &first, const Polynomial &step) {
  Root root;
  root.extents = {extent.isUnknown() ? symbols_.any(Polynomial(0), {}, true, true) : std::move(extent)};
  if (Polynomial fill = first + step * symbols_.index(); !fill.isUnknown()) root.fill = fill;
  root.isRange = true;
  return root;
}

Polynomial Evaluator::element(const Subscript *e) {
  std::vector<const Expr *> indices;
  std::vector<std::string> fields;
  const VarRef *variable = chain(e, indices, fields);
  auto known = variable ? views_.find(variable->name) : views_.end();
  if (known == views_.end() || !fields.empty() || e->type.isArray()) return fresh(e->type);
  View v = known->second;
  auto root = roots_.find(v.root);
  std::optional<Polynomial::Split> fill = root == roots_.end() ? std::nullopt : affine(symbols_, root->second.fill);
  if (!fill || !v.prefix.empty() || v.cuts.size() > 1) return fresh(e->type);
  auto next = indices.begin();
  while (next != indices.end() && v.parts.size() < v.cuts.size()) v.parts.push_back(value(*next++));
  if (indices.end() - next != 1) return fresh(e->type);
  Located at = locate(v, {}, {value(*next)}, {true});
  Polynomial result = fill->rest + fill->coefficient * at.index[0];
  if (result.isUnknown()) return fresh(e->type);
  return result;
}

void Evaluator::passRange(const Param &param, const View &view, const std::vector<Polynomial> &keys, Substitution &in) {
  RangeSymbols mine = rangeSymbols(symbols_, param);
  Polynomial first = fresh(param.type.element()), more = symbols_.any(Polynomial(0), {}, true);
  Polynomial &size = in.replaced[*symbols_.size(param.name, 0).single()];
  auto root = roots_.find(view.root);
  std::optional<Polynomial::Split> fill = root == roots_.end() ? std::nullopt : affine(symbols_, root->second.fill);
  if (fill && view.cuts.size() <= 1) {
    Located at = locate(view, keys, {Polynomial(0)}, {true});
    Polynomial begin = fill->rest + fill->coefficient * at.index[0], step = fill->coefficient;
    if (!view.cuts.empty()) {
      const Cut &cut = view.cuts[0];
      bool fixed = cut.inc.container.empty() && cut.inc.inc.isZero() && !cut.inc.start.isUnknown();
      step = fixed ? step * cut.inc.start : Polynomial::unknown();
      Polynomial part = !view.parts.empty() ? view.parts[0] : keys.empty() ? Polynomial::unknown() : keys[0];
      Polynomial length = cut.end.start + cut.end.inc * part - at.index[0];
      if (fixed && cut.inc.start == Polynomial(1) && cut.end.container.empty() && !length.isUnknown())
        size = symbols_.any(Polynomial(0), length, true);
    }
    if (!begin.isUnknown()) first = begin;
    if (!step.isUnknown()) more = step - Polynomial(1);
  }
  in.replaced[*mine.first.single()] = first;
  in.replaced[*mine.more.single()] = more;
}

SequenceValue Evaluator::sequence(const Sequence *s) {
  SequenceValue result;
  if (s->container) {
    View v = view(s->container);
    result.container = v.prefix.empty() && v.cuts.empty() && !v.root.empty() ? v.root : "?";
  }
  result.start = value(s->start);
  if (s->inc) result.inc = value(s->inc);
  if (s->end) result.end = value(s->end);
  return result;
}

std::vector<Polynomial> Evaluator::extents(const View &v, unsigned rank) {
  std::vector<Polynomial> result;
  auto root = roots_.find(v.root);
  std::size_t behind = v.prefix.size() + v.cuts.size();
  if (v.parts.size() == v.cuts.size())
    for (std::size_t d = 0; d < v.cuts.size(); ++d) result.push_back(symbols_.any(Polynomial(0), {}, true));
  else
    for (std::size_t d = v.parts.size(); d < v.cuts.size(); ++d) result.push_back(v.cuts[d].count);
  if (root != roots_.end() && v.parts.size() == v.cuts.size())
    for (std::size_t d = behind; d < root->second.extents.size(); ++d) result.push_back(root->second.extents[d]);
  while (result.size() < rank) result.push_back(symbols_.any(Polynomial(0), {}, true));
  result.resize(rank);
  return result;
}

Polynomial Evaluator::elements(const View &v, unsigned rank) {
  Polynomial product(1);
  for (const Polynomial &extent : extents(v, rank)) product = product * extent;
  return product.isUnknown() ? symbols_.any(Polynomial(0), {}, true) : product;
}

} // namespace tangram::races

#include "EvaluatorParts.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram::races {

using namespace ast;

std::vector<Polynomial> Evaluator::keys(const Site &site) {
  std::vector<Polynomial> result;
  for (const Polynomial &count : site.counts)
    result.push_back(
        symbols_.any(Polynomial(0), count.isUnknown() ? std::optional<Polynomial>() : count - Polynomial(1), true));
  return result;
}

/// `exact`: of inner indices, which say more than that they lie within the part.
Evaluator::Located Evaluator::locate(const View &v, const std::vector<Polynomial> &keys, std::vector<Polynomial> inner,
                                     const std::vector<bool> &exact) {
  Located result;
  result.index = v.prefix;
  std::size_t next = 0;
  auto root = roots_.find(v.root);
  for (std::size_t d = 0; d < v.cuts.size(); ++d) {
    const Cut &cut = v.cuts[d];
    Polynomial part = d < v.parts.size() ? v.parts[d] : next < keys.size() ? keys[next++] : symbols_.any();
    std::size_t dim = result.index.size();
    std::optional<Polynomial> size;
    if (root != roots_.end() && dim < root->second.extents.size()) size = root->second.extents[dim];
    bool affine = cut.start.container.empty() && cut.end.container.empty() && cut.inc.container.empty() &&
                  cut.inc.inc.isZero() && !cut.inc.start.isUnknown();
    Polynomial end = cut.end.start + cut.end.inc * part;
    Bounds known(symbols_, symbols_.mark(), facts_);
    auto never = [&](const Polynomial &p) { return known.natural(p); };
    if (affine && cut.start.end) {
      // Where the start is cut short, there must be nothing in the part.
      const Polynomial &limit = *cut.start.end;
      affine =
          (!cut.count.isUnknown() && never(limit - cut.start.start - cut.start.inc * (cut.count - Polynomial(1)))) ||
          (size && never(limit - *size)) || (cut.end.end && never(limit - *cut.end.end)) ||
          (!cut.end.end && cut.end.inc.isZero() && never(limit - cut.end.start));
    }
    if (!affine || end.isUnknown()) {
      result.index.push_back(symbols_.any({}, {}, true));
      const SequenceValue &from = cut.start, &to = cut.end;
      if (v.cuts.size() == 1 && !from.container.empty() && from.container == to.container && from.container != "?") {
        Between b{from.container, from.start + from.inc * part, to.start + to.inc * part, false};
        Polynomial last = from.start + from.inc * cut.count;
        b.ordered =
            !from.end || (!cut.count.isUnknown() && never(*from.end - last)) || (to.end && never(*from.end - *to.end));
        result.between = b;
      }
      continue;
    }
    Polynomial start = cut.start.start + cut.start.inc * part, inc = cut.inc.start;
    if (d < inner.size() && exact[d]) {
      Polynomial at = start + inc * inner[d];
      result.index.push_back(at);
      result.facts.push_back(end - at - Polynomial(1));
      continue;
    }
    if (inc == Polynomial(1)) {
      result.index.push_back(start + symbols_.any(Polynomial(0), end - start - Polynomial(1), true));
    } else {
      Polynomial at = start + inc * symbols_.any(Polynomial(0), {}, true);
      result.index.push_back(at);
      result.facts.push_back(end - at - Polynomial(1));
    }
    if (v.cuts.size() == 1 && inc == Polynomial(1)) result.whole = {start, end};
  }
  if (v.cuts.empty())
    for (const Polynomial &key : keys) result.index.push_back(key);
  for (std::size_t d = v.cuts.size(); d < inner.size(); ++d) result.index.push_back(inner[d]);
  return result;
}

std::vector<Touch> Evaluator::touches(const Site &site, const CodeletSummary &summary,
                                      const std::vector<Polynomial> &keys) {
  std::vector<Touch> result;
  std::size_t codelet = 0;
  auto known = summaries_.find(site.callee->name);
  for (std::size_t c = 0; c < known->second.codelets.size(); ++c)
    if (&known->second.codelets[c] == &summary) codelet = c;
  const std::vector<const Param *> &params = site.callee->codelets[codelet]->params;

  Substitution in(symbols_);
  std::map<std::string, unsigned> arguments;
  for (unsigned i = 0; i < site.arguments.size() && i < params.size(); ++i) {
    const MapArgument &a = site.arguments[i];
    const Param &p = *params[i];
    arguments[p.name] = i;
    if (!p.type.isArray()) {
      if (!isNumber(p.type)) continue;
      Polynomial scalar = a.value;
      if (a.isArray) {
        scalar = symbols_.any({}, {}, isNatural(p.type));
        std::optional<Polynomial::Split> numbers = affine(symbols_, a.element);
        if (numbers && keys.size() == 1) {
          scalar = numbers->rest + numbers->coefficient * keys[0];
        } else if (a.element && keys.size() == 1) {
          Substitution at(symbols_);
          at.replaced[*symbols_.index().single()] = keys[0];
          scalar = at(*a.element);
        }
      }
      if (scalar.isUnknown()) scalar = symbols_.any();
      in.replaced[*symbols_.scalar(p.name, isNatural(p.type)).single()] = scalar;
    } else {
      View one = a.view;
      std::vector<Polynomial> sizes;
      if (one.cuts.empty()) {
        sizes = extents(one, a.rank);
        sizes.erase(sizes.begin(), sizes.begin() + std::min<std::size_t>(a.dims, sizes.size()));
      } else {
        one.parts.resize(one.cuts.size());
        sizes = extents(one, p.type.rank());
      }
      for (unsigned d = 0; d < p.type.rank(); ++d)
        in.replaced[*symbols_.size(p.name, d).single()] =
            d < sizes.size() && !sizes[d].isUnknown() ? sizes[d] : symbols_.any(Polynomial(0), {}, true);
      if (known->second.ranges.count(i)) {
        std::vector<Polynomial> which(keys.begin(),
                                      keys.begin() + (a.dims ? std::min<std::size_t>(keys.size(), a.dims) : 0));
        passRange(p, a.view, which, in);
      }
    }
  }
  auto conclude = [&](Touch t, const std::vector<Polynomial> &more) {
    t.facts.insert(t.facts.end(), site.facts.begin(), site.facts.end());
    t.facts.insert(t.facts.end(), more.begin(), more.end());
    result.push_back(std::move(t));
  };
  std::vector<Polynomial> range;
  for (std::size_t d = 0; d < keys.size(); ++d)
    if (!site.counts[d].isUnknown()) range.push_back(site.counts[d] - Polynomial(1) - keys[d]);

  for (const Access &access : summary.accesses) {
    auto argument = arguments.find(access.container);
    if (argument == arguments.end()) continue;
    const MapArgument &a = site.arguments[argument->second];
    if (!a.isArray || a.view.root.empty()) continue;
    std::vector<Polynomial> inner;
    std::vector<bool> exact;
    bool all = true; // of the part
    for (const Polynomial &p : access.index) {
      Polynomial mine = in(p);
      // Of an index within the part only one that is the same wherever the part lies says more than the part does.
      std::vector<SymbolId> of = mine.symbols();
      exact.push_back(!mine.isUnknown() && std::all_of(of.begin(), of.end(), [&](SymbolId id) {
        return symbols_[id].kind == Symbol::Kind::Scalar || symbols_[id].kind == Symbol::Kind::Lanes;
      }));
      inner.push_back(mine.isUnknown() ? symbols_.any() : mine);
      std::optional<SymbolId> one = p.single();
      const Symbol *s = one ? &symbols_[*one] : nullptr;
      std::optional<SymbolId> size =
          s && s->kind == Symbol::Kind::Any && s->hi ? (*s->hi + Polynomial(1)).single() : std::nullopt;
      all &= s && s->lo && s->lo->isZero() && size && symbols_[*size].kind == Symbol::Kind::Size;
    }
    std::vector<Polynomial> own(keys.begin(), keys.begin() + (a.dims ? std::min<std::size_t>(keys.size(), a.dims) : 0));
    Located at = locate(a.view, own, std::move(inner), exact);
    Touch t;
    t.access = &access;
    t.kind = access.kind;
    t.argument = argument->second;
    t.root = a.view.root;
    t.index = std::move(at.index);
    t.fields = access.fields;
    t.conditional = access.conditional || access.widened;
    t.between = at.between;
    if (all && at.whole) t.whole = at.whole;
    for (const Polynomial &fact : access.facts) t.facts.push_back(in(fact));
    for (const Polynomial &zero : access.zeros) t.zeros.push_back(in(zero));
    t.facts.insert(t.facts.end(), at.facts.begin(), at.facts.end());
    conclude(std::move(t), range);
  }
  // Elements that calls are given, and where their results go.
  for (unsigned i = 0; i < site.arguments.size(); ++i) {
    const MapArgument &a = site.arguments[i];
    if (!site.isMap || !a.isArray || a.param->type.isArray() || a.view.root.empty()) continue;
    Touch t;
    t.argument = i;
    t.root = a.view.root;
    t.index = locate(a.view, keys, {}, {}).index;
    conclude(std::move(t), range);
  }
  if (site.isMap && site.result && !site.result->root.empty()) {
    Touch t;
    t.kind = Access::Kind::Write;
    t.root = site.result->root;
    t.index = locate(*site.result, keys, {}, {}).index;
    conclude(std::move(t), range);
  }
  return result;
}

} // namespace tangram::races

#include "EvaluatorParts.h"

#include "tangram/ast/Walk.h"

namespace tangram::races {

using namespace ast;

const VarRef *chain(const Expr *e, std::vector<const Expr *> &indices, std::vector<std::string> &fields) {
  for (;;) {
    if (const auto *member = dyn<Member>(e)) {
      fields.insert(fields.begin(), member->field);
      e = member->base;
    } else if (const auto *subscript = dyn<Subscript>(e)) {
      indices.insert(indices.begin(), subscript->indices.begin(), subscript->indices.end());
      e = subscript->base;
    } else {
      return dyn<VarRef>(e);
    }
  }
}

RangeSymbols rangeSymbols(Symbols &symbols, const Param &param) {
  return {symbols.scalar(param.name + "[0]", isNatural(param.type.element())),
          symbols.scalar(param.name + "[1] - " + param.name + "[0] - 1", true)};
}

namespace {

/// Whether a symbol is made of another one.
bool restsOn(const Symbols &symbols, const Polynomial &p, SymbolId id) {
  std::vector<SymbolId> all = p.symbols();
  return std::any_of(all.begin(), all.end(), [&](SymbolId each) {
    const Symbol &s = symbols[each];
    return each == id || restsOn(symbols, s.a, id) || restsOn(symbols, s.b, id) ||
           (s.lo && restsOn(symbols, *s.lo, id)) || (s.hi && restsOn(symbols, *s.hi, id));
  });
}

} // namespace

std::optional<Polynomial::Split> affine(Symbols &symbols, const std::optional<Polynomial> &fill) {
  SymbolId index = *symbols.index().single();
  std::optional<Polynomial::Split> split = fill ? fill->split(index) : std::nullopt;
  if (!split || restsOn(symbols, split->coefficient, index) || restsOn(symbols, split->rest, index)) return {};
  return split;
}

std::optional<unsigned> mappedDims(const Type &arg, const Type &param) {
  if (arg == param) return 0;
  if (!arg.isArray()) return 0;
  if (arg.element() == param || (arg.element().isScalar() && param.isScalar())) return arg.rank();
  if (param.isArray() && param.element() == arg.element() && param.rank() < arg.rank())
    return arg.rank() - param.rank();
  return {};
}

Evaluator::Evaluator(const Module &module, const Spectrum &spectrum, const Codelet &codelet, const Summaries &summaries,
                     Symbols &symbols)
    : module_(module), spectrum_(spectrum), codelet_(codelet), summaries_(summaries), symbols_(symbols) {}

CodeletSummary Evaluator::run() {
  auto own = summaries_.find(spectrum_.name);
  const std::set<unsigned> ranges = own == summaries_.end() ? std::set<unsigned>() : own->second.ranges;
  for (const Param *const &p : codelet_.params) {
    if (p->type.isArray()) {
      parameters_.insert(p->name);
      Root root;
      for (unsigned d = 0; d < p->type.rank(); ++d) root.extents.push_back(symbols_.size(p->name, d));
      if (ranges.count(static_cast<unsigned>(&p - codelet_.params.data()))) {
        RangeSymbols of = rangeSymbols(symbols_, *p);
        root = range(root.extents[0], of.first, of.more + Polynomial(1));
      }
      roots_[p->name] = root;
      views_[p->name] = {p->name, {}, {}, {}};
    } else if (isNumber(p->type)) {
      values_[p->name] = symbols_.scalar(p->name, isNatural(p->type));
    }
  }
  block(codelet_.body);
  // What is filled at the end, by a codelet that does nothing else to it.
  for (const auto &[name, root] : roots_)
    if (root.fill && !root.isRange && parameters_.count(name)) summary_.fills[name] = *root.fill;
  return std::move(summary_);
}

const Spectrum *Evaluator::find(const std::string &spectrum) const {
  for (const Spectrum *s : module_.spectrums)
    if (s->name == spectrum) return s;
  return nullptr;
}

} // namespace tangram::races

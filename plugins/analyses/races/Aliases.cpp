#include "Aliases.h"

#include "Evaluator.h"

#include <algorithm>

namespace tangram::races {

using namespace ast;

namespace {

bool equal(const std::vector<Polynomial> &a, const std::vector<Polynomial> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool equal(const SequenceValue &a, const SequenceValue &b) {
  return a.container == b.container && a.start == b.start && a.inc == b.inc && a.end.has_value() == b.end.has_value() &&
         (!a.end || *a.end == *b.end);
}

/// Whether two views of one container have the same elements, at the same places.
bool equal(const View &a, const View &b) {
  auto cut = [](const Cut &x, const Cut &y) {
    return x.count == y.count && equal(x.start, y.start) && equal(x.inc, y.inc) && equal(x.end, y.end);
  };
  return equal(a.prefix, b.prefix) && equal(a.parts, b.parts) &&
         std::equal(a.cuts.begin(), a.cuts.end(), b.cuts.begin(), b.cuts.end(), cut);
}

/// Two arguments of a call that may have elements in common, if what they are parts of does.
struct Pair {
  unsigned first = 0, second = 0;
  std::string root, other;
  const Spectrum *callee = nullptr;
  bool alike = false;
};

class Collector final : public Evaluator {
public:
  using Evaluator::Evaluator;
  std::vector<std::pair<Pair, SourceRange>> found;

private:
  void visited(const Site &site) override {
    for (unsigned i = 0; i < site.arguments.size(); ++i)
      for (unsigned j = i + 1; j < site.arguments.size(); ++j) {
        const MapArgument &a = site.arguments[i], &b = site.arguments[j];
        auto passed = [](const MapArgument &m) { return m.isArray && m.param->type.isArray() && !m.view.root.empty(); };
        if (!passed(a) || !passed(b)) continue;
        if (a.view.root != b.view.root && !(isParameter(a.view.root) && isParameter(b.view.root))) continue;
        const bool alike = a.dims == b.dims && a.rank == b.rank && equal(a.view, b.view);
        if (!alike && apart(site, i, j)) continue;
        found.push_back({{i, j, a.view.root, b.view.root, site.callee, alike}, site.node->range});
      }
  }

  /// Whether what one call is given by two arguments lies on either side of some element.
  bool apart(const Site &site, unsigned i, unsigned j) {
    if (site.callee->codelets.empty()) return true;
    CodeletSummary all;
    for (unsigned argument : {i, j}) {
      const Param &param = *site.callee->codelets[0]->params[argument];
      Access access;
      access.container = param.name;
      for (unsigned d = 0; d < param.type.rank(); ++d)
        access.index.push_back(symbols().any(Polynomial(0), symbols().size(param.name, d) - Polynomial(1), true));
      all.accesses.push_back(std::move(access));
    }
    const SymbolId mark = symbols().mark();
    std::vector<const Touch *> ends(2);
    const std::vector<Touch> touched = touches(site, all, keys(site));
    for (const Touch &t : touched)
      if (t.access) ends[t.access == &all.accesses[0] ? 0 : 1] = &t;
    if (!ends[0] || !ends[1]) return false;
    std::vector<Polynomial> facts = ends[0]->facts;
    facts.insert(facts.end(), ends[1]->facts.begin(), ends[1]->facts.end());
    const Bounds bounds(symbols(), mark, facts);
    const std::vector<Polynomial> &x = ends[0]->index, &y = ends[1]->index;
    for (std::size_t d = 0; d < std::min(x.size(), y.size()); ++d)
      for (const Polynomial &gap : {x[d] - y[d], y[d] - x[d]})
        if (std::optional<Polynomial> most = bounds.upper(gap);
            most && bounds.natural(Polynomial(-1) - *most)) // always below zero
          return true;
    return false;
  }
};

} // namespace

Aliases aliases(const Module &module, const Summaries &summaries, Symbols &symbols) {
  Aliases result;
  struct Calls {
    const Spectrum *spectrum;
    const Codelet *codelet;
    std::vector<std::pair<Pair, SourceRange>> pairs;
  };
  std::vector<Calls> all;
  for (const Spectrum *s : module.spectrums)
    for (const Codelet *c : s->codelets) {
      Collector collector(module, *s, *c, summaries, symbols);
      collector.run();
      if (!collector.found.empty()) all.push_back({s, c, std::move(collector.found)});
    }
  auto parameter = [](const Codelet &codelet, const std::string &name) {
    auto it =
        std::find_if(codelet.params.begin(), codelet.params.end(), [&](const Param *p) { return p->name == name; });
    return static_cast<unsigned>(it - codelet.params.begin());
  };
  // Down the calls, until nothing new is found.
  for (bool more = true; more;) {
    more = false;
    for (const Calls &calls : all)
      for (const auto &[pair, place] : calls.pairs) {
        Alias alias{pair.alike, place, calls.spectrum, calls.codelet};
        if (pair.root != pair.other) {
          unsigned a = parameter(*calls.codelet, pair.root), b = parameter(*calls.codelet, pair.other);
          const auto &own = result[calls.spectrum->name];
          auto known = own.find(std::minmax(a, b));
          if (known == own.end()) continue;
          alias = known->second;
          alias.alike &= pair.alike;
        }
        auto [it, fresh] = result[pair.callee->name].try_emplace({pair.first, pair.second}, alias);
        more |= fresh || (it->second.alike && !alias.alike);
        if (!fresh && it->second.alike && !alias.alike) it->second = alias;
      }
  }
  return result;
}

} // namespace tangram::races

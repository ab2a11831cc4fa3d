#include "OneContainer.h"

#include "tangram/ast/Visitor.h"
#include "tangram/ast/Walk.h"

#include <algorithm>

namespace tangram::races {

using namespace ast;

namespace {

/// How many loops stand around the innermost statement.
class Depth final : public Visitor {
public:
  std::size_t most = 0;

private:
  static bool isLoop(const Node &node) { return isa<For>(&node) || isa<While>(&node); }
  void preBase(const Node &node) override {
    if (isLoop(node)) most = std::max(most, ++now_);
  }
  void postBase(const Node &node) override {
    if (isLoop(node)) --now_;
  }
  std::size_t now_ = 0;
};

/// Whether each iteration of the loops around these accesses touches one element, which no other touches.
bool oneEach(const std::vector<const Access *> &accesses, const Codelet &codelet, std::size_t depth,
             const Symbols &symbols) {
  std::set<SymbolId> counted;
  for (const Polynomial &p : accesses[0]->index)
    for (const SymbolId id : p.symbols())
      if (symbols[id].kind == Symbol::Kind::Any) counted.insert(id);
  return counted.size() == depth && std::all_of(accesses.begin(), accesses.end(), [&](const Access *a) {
           return a->codelet == &codelet && a->index == accesses[0]->index;
         });
}

/// Spectrums that expanders made: what is wrong for them is wrong for the codelets that lead to them.
std::set<std::string> madeByExpanders(const Module &module) {
  struct Caller {
    std::string spectrum;
    bool made = false; // its codelet
  };
  std::map<std::string, std::vector<Caller>> callers;
  for (const Spectrum *s : module.spectrums)
    for (const Codelet *c : s->codelets)
      walk(c->body, [&](const Node &node) {
        const auto *map = dyn<Map>(&node);
        const auto *call = dyn<SpectrumCall>(&node);
        if (!map && !call) return;
        const std::string &callee = map ? map->spectrum : call->spectrum;
        if (callee != s->name) callers[callee].push_back({s->name, !c->from.empty()});
      });
  std::set<std::string> made;
  for (bool more = true; more;) {
    more = false;
    for (const auto &[spectrum, all] : callers)
      if (std::all_of(all.begin(), all.end(), [&](const Caller &c) { return c.made || made.contains(c.spectrum); }))
        more |= made.insert(spectrum).second;
  }
  return made;
}

} // namespace

std::map<std::string, Alias> oneContainer(const Module &module, const Summaries &summaries, const Aliases &aliases,
                                          const Symbols &symbols) {
  std::map<std::string, Alias> result;
  if (aliases.empty()) return result;
  const std::set<std::string> made = madeByExpanders(module);
  for (const Spectrum *s : module.spectrums) {
    const auto pairs = aliases.find(s->name);
    if (pairs == aliases.end() || made.contains(s->name)) continue;
    const std::vector<CodeletSummary> &known = summaries.at(s->name).codelets;
    for (const auto &[params, alias] : pairs->second)
      for (std::size_t c = 0; c < s->codelets.size(); ++c) {
        const Codelet &codelet = *s->codelets[c];
        if (!codelet.from.empty()) continue;
        Depth depth;
        depth.traverse(codelet.body);
        if (!depth.most) continue; // nothing was made of it
        std::vector<const Access *> accesses;
        for (const Access &a : known[c].accesses)
          for (const unsigned p : {params.first, params.second})
            if (a.container == codelet.params[p]->name) accesses.push_back(&a);
        const bool changes = std::any_of(accesses.begin(), accesses.end(),
                                         [](const Access *a) { return a->kind != Access::Kind::Read; });
        if (changes && !(alias.alike && oneEach(accesses, codelet, depth.most, symbols)))
          result.emplace(s->name, alias);
      }
  }
  return result;
}

} // namespace tangram::races

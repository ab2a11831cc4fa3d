#include "Summary.h"

#include "Evaluator.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <functional>

namespace tangram::races {

using namespace ast;

namespace {

/// What decides whether another round finds more: places, not indices.
std::set<std::tuple<std::string, Access::Kind, const std::string *, unsigned, unsigned>>
places(const SpectrumSummary &summary) {
  std::set<std::tuple<std::string, Access::Kind, const std::string *, unsigned, unsigned>> result;
  for (const CodeletSummary &c : summary.codelets)
    for (const Access &a : c.accesses) result.insert({a.container, a.kind, a.place.file, a.place.line, a.place.column});
  return result;
}

} // namespace

Summaries summarize(const Module &module, Symbols &symbols, const RangeParameters &ranges, const Summaries *before) {
  Summaries result;
  std::map<std::string, std::set<std::string>> reached;
  for (const Spectrum *s : module.spectrums) {
    SpectrumSummary &summary = result[s->name];
    summary.spectrum = s;
    summary.codelets.resize(s->codelets.size());
    for (const auto &[spectrum, param] : ranges)
      if (spectrum == s->name) summary.ranges.insert(param);
    for (const Codelet *c : s->codelets)
      walk(
          c->body, [&](const SpectrumCall &call) { reached[s->name].insert(call.spectrum); },
          [&](const Map &map) { reached[s->name].insert(map.spectrum); });
  }
  // Callees first; what calls each other together, until nothing new is found.
  std::vector<std::string> order;
  std::set<std::string> seen;
  std::function<void(const std::string &)> visit = [&](const std::string &name) {
    if (!seen.insert(name).second) return;
    for (const std::string &callee : reached[name]) visit(callee);
    if (result.count(name)) order.push_back(name);
  };
  for (const Spectrum *s : module.spectrums) visit(s->name);
  std::map<std::string, std::set<std::string>> closure;
  for (const std::string &name : order) {
    std::vector<std::string> todo(reached[name].begin(), reached[name].end());
    while (!todo.empty()) {
      std::string next = todo.back();
      todo.pop_back();
      if (!closure[name].insert(next).second) continue;
      todo.insert(todo.end(), reached[next].begin(), reached[next].end());
    }
  }
  for (const std::string &name : order) {
    result[name].together.insert(name);
    for (const std::string &other : closure[name])
      if (closure[other].count(name)) result[name].together.insert(other);
  }
  std::set<std::string> done;
  for (const std::string &name : order) {
    if (done.count(name)) continue;
    std::set<std::string> group;
    for (const std::string &other : result[name].together)
      if (result.count(other)) group.insert(other);
    done.insert(group.begin(), group.end());
    auto known = [&](const std::string &other) {
      return !result.count(other) || result[other].ranges == before->at(other).ranges;
    };
    if (before && std::all_of(group.begin(), group.end(), known) &&
        std::all_of(closure[name].begin(), closure[name].end(), known)) {
      for (const std::string &member : group) {
        result[member].codelets = before->at(member).codelets;
        result[member].same = true;
      }
      continue;
    }
    for (bool more = true; more;) {
      more = false;
      for (const std::string &member : group) {
        SpectrumSummary &summary = result[member];
        auto before = places(summary);
        std::vector<CodeletSummary> next;
        for (const Codelet *c : summary.spectrum->codelets)
          next.push_back(Evaluator(module, *summary.spectrum, *c, result, symbols).run());
        summary.codelets = std::move(next);
        more |= places(summary) != before;
      }
      bool recursive = group.size() > 1 || closure[name].count(name);
      more &= recursive;
    }
  }
  return result;
}

} // namespace tangram::races

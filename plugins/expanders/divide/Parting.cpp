#include "Parting.h"

#include "tangram/ast/Walk.h"

#include <algorithm>
#include <map>
#include <set>

namespace tangram::divide {

using namespace ast;
using nest::Carried;
using nest::Item;
using nest::Step;

bool isParallel(const nest::Nest &nest, unsigned loop) {
  return nest::Dependences(nest).carried(loop).kind == Carried::Kind::Nothing;
}

Step parting(const nest::Nest &nest, const Item &item) {
  const nest::Loop &loop = nest.loops[item.index];
  Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range};
  const std::size_t n = item.body.size();
  if (std::any_of(item.body.begin(), item.body.end(), [](const Item &i) { return i.kind == Item::Kind::Guard; }))
    return step;
  std::vector<std::map<unsigned, bool>> touched(n); // variables of each, and whether it sets them
  for (std::size_t i = 0; i < n; ++i) {
    const Item &child = item.body[i];
    const std::vector<unsigned> statements =
        child.kind == Item::Kind::Loop ? nest.statementsOf(child.index) : std::vector<unsigned>{child.index};
    for (const unsigned s : statements)
      for (const nest::Access &a : nest.statements[s].accesses)
        touched[i][a.variable] |= a.kind != nest::AccessKind::Read;
  }
  std::vector<bool> ends(n, true); // of parts
  auto together = [&](std::size_t first, std::size_t last) {
    std::fill_n(ends.begin() + static_cast<std::ptrdiff_t>(first), last - first, false);
  };
  for (unsigned v = 0; v < nest.variables.size(); ++v) {
    const std::vector<unsigned> &scope = nest.variables[v].scope;
    if (std::find(scope.begin(), scope.end(), item.index) == scope.end()) continue;
    std::vector<std::size_t> users;
    for (std::size_t i = 0; i < n; ++i)
      if (touched[i].count(v)) users.push_back(i);
    if (!users.empty()) together(users.front(), users.back());
  }
  const auto isSerial = [&](const Item &child) {
    return child.kind == Item::Kind::Loop && !isParallel(nest, child.index);
  };
  const auto sets = [&](std::size_t one, std::size_t other) {
    return std::any_of(touched[one].begin(), touched[one].end(),
                       [&](const auto &v) { return v.second && touched[other].count(v.first); });
  };
  const bool parallel = isParallel(nest, item.index);
  for (std::size_t i = n; i-- > 0 && parallel;) {
    if (nest::hasLoop(item.body[i])) continue;
    for (std::size_t next = i + 1; next < n; ++next) {
      if (isSerial(item.body[next]) && sets(i, next)) together(i, next);
      if (ends[next]) break;
    }
    if (i > 0 && isSerial(item.body[i - 1]) && sets(i - 1, i)) together(i - 1, i);
  }
  step.parts.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    ++step.parts.back();
    if (ends[i] && i + 1 < n) step.parts.push_back(0);
  }
  return step;
}

Step partingPlaces(const nest::Nest &nest, const Item &item) {
  const nest::Loop &loop = nest.loops[item.index];
  Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range, {}};
  std::set<std::string> before;
  for (const Item &child : item.body) {
    std::set<std::string> counted;
    for (const unsigned s : nest::statementsIn(child))
      for (const nest::Access &a : nest.statements[s].accesses)
        if (a.kind != nest::AccessKind::Read)
          for (const nest::Loop &l : nest.loops) {
            const auto *assign = dyn<Assign>(a.node);
            const Node *place = assign ? assign->target : a.node;
            if (mentions(place, l.variable)) counted.insert(l.variable);
          }
    if (!step.parts.empty() && counted == before)
      ++step.parts.back();
    else
      step.parts.push_back(1);
    before = std::move(counted);
  }
  return step;
}

Step partingScalars(const nest::Nest &nest, const Item &item) {
  const nest::Loop &loop = nest.loops[item.index];
  Step step{Step::Kind::Distribute, {loop.variable}, 0, "", loop.node->range, {}};
  std::map<unsigned, std::pair<std::size_t, std::size_t>> users; // the first and the last of a variable
  std::set<unsigned> handedOn; // by iterations of the loop, or of one around it, to later ones
  const nest::Dependences dependences(nest);
  for (std::optional<unsigned> around = item.index; around; around = nest.loops[*around].parent)
    for (const nest::Dependence &d : dependences.all(*around)) handedOn.insert(d.first->variable);
  for (std::size_t i = 0; i < item.body.size(); ++i)
    for (const unsigned s : nest::statementsIn(item.body[i]))
      for (const nest::Access &a : nest.statements[s].accesses)
        if (const nest::Variable &v = nest.variables[a.variable];
            (v.rank == 0 && !v.container) || handedOn.count(a.variable))
          users.try_emplace(a.variable, i, i).first->second.second = i;
  step.parts.push_back(0);
  for (std::size_t i = 0; i < item.body.size(); ++i) {
    ++step.parts.back();
    const bool shared = std::any_of(users.begin(), users.end(),
                                    [&](const auto &user) { return user.second.first <= i && i < user.second.second; });
    if (!shared && i + 1 < item.body.size()) step.parts.push_back(0);
  }
  return step;
}

std::vector<std::vector<std::size_t>> sharing(const nest::Nest &nest, const Item &item) {
  if (std::any_of(item.body.begin(), item.body.end(), [](const Item &i) { return i.kind == Item::Kind::Guard; }))
    return {};
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::set<unsigned>> variables; // of each group
  for (std::size_t i = 0; i < item.body.size(); ++i) {
    std::vector<std::size_t> members = {i};
    std::set<unsigned> own;
    for (const unsigned s : nest::statementsIn(item.body[i]))
      for (const nest::Access &a : nest.statements[s].accesses)
        if (const auto &scope = nest.variables[a.variable].scope;
            std::find(scope.begin(), scope.end(), item.index) != scope.end())
          own.insert(a.variable);
    for (std::size_t g = groups.size(); g-- > 0;) {
      if (std::none_of(own.begin(), own.end(), [&](unsigned v) { return variables[g].count(v) != 0; })) continue;
      members.insert(members.begin(), groups[g].begin(), groups[g].end());
      own.insert(variables[g].begin(), variables[g].end());
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
      variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(g));
    }
    std::sort(members.begin(), members.end());
    groups.push_back(std::move(members));
    variables.push_back(std::move(own));
  }
  std::sort(groups.begin(), groups.end()); // the order of the source, where there is one
  return groups;
}

} // namespace tangram::divide

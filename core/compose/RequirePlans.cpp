#include "Grammar.h"

#include <algorithm>
#include <fmt/format.h>

namespace tangram {

using namespace ast;

namespace {

constexpr DiagnosticKind kNoCodelets{"compose.no-codelets", DiagnosticClass::User, "spectrum '{}' has no codelets",
                                     "define at least one, with the same signature and __codelet in front"};
constexpr DiagnosticKind kOnlyCodelet{
    "compose.no-level", DiagnosticClass::User,
    "codelet '{0}' is the only one of '{1}', and no level of '{2}' can run it",
    "add a codelet to '{1}' that does with less, such as an autonomous one, or choose another target"};
constexpr DiagnosticKind kNoLevel{
    "compose.no-level", DiagnosticClass::User, "no level of '{1}' can run any of the {2} codelets of '{0}'",
    "add a codelet to '{0}' that does with less, such as an autonomous one, or choose another target"};
constexpr DiagnosticKind kEndless{
    "compose.endless", DiagnosticClass::User,
    "the recursion of '{0}' never ends: on '{1}', each of its codelets calls '{0}' again, directly or through others",
    "add an atomic codelet to '{0}', which computes without calling spectrums"};
constexpr DiagnosticKind kNoPlan{"compose.no-plan", DiagnosticClass::User, "'{}' cannot be composed on '{}'",
                                 "see the notes for what each codelet needs"};
constexpr DiagnosticKind kRaces{
    "compose.races", DiagnosticClass::User,
    "'{}' cannot be composed on '{}' without calls of a map that may touch the same elements",
    "see the notes for which: write by atomics, or give each call a part of its own; where no call touches what "
    "another "
    "one writes, put __independent in front of the codelet that has the map"};
constexpr DiagnosticKind kDepth{"compose.depth", DiagnosticClass::User,
                                "'{0}' has no plan on '{1}' within the search depth {2}: the shortest needs {3} rules",
                                "set 'depth: {3}' or more in the target"};

class Explanation {
public:
  explicit Explanation(const Forest &forest)
      : forest_(forest), grammar_(forest.module(), forest.hardware(), forest.facts()) {}

  Diagnostic make() {
    std::size_t root = grammar_.spectrum(forest_.spectrum());
    const Spectrum &top = spectrum(root);
    const std::string &target = forest_.hardware().name;
    if (forest_.depthNeeded()) {
      unsigned enough = depthThatIsEnough();
      Diagnostic d = enough ? makeDiagnostic(kDepth, top.range, top.name, target, forest_.depth(), enough)
                            : makeDiagnostic(kNoPlan, top.range, top.name, target);
      note(d, root);
      return d;
    }
    // The cause lies in whichever spectrum that is reached cannot be composed by what it has itself.
    std::vector<std::size_t> reached = grammar_.reachable(root);
    std::erase_if(reached, [&](std::size_t s) { return composable(s); });
    for (std::size_t s : reached)
      if (grammar_.codelets(s).empty())
        return called(makeDiagnostic(kNoCodelets, spectrum(s).range, spectrum(s).name), s);
    for (std::size_t s : reached) {
      const std::vector<CodeletShape> &codelets = grammar_.codelets(s);
      if (std::any_of(codelets.begin(), codelets.end(), [&](auto &c) { return runs(c); })) continue;
      Diagnostic d = codelets.size() == 1
                         ? makeDiagnostic(kOnlyCodelet, codelets[0].codelet->range, codelets[0].codelet->name,
                                          spectrum(s).name, target)
                         : makeDiagnostic(kNoLevel, spectrum(s).range, spectrum(s).name, target, codelets.size());
      note(d, s);
      return called(std::move(d), s);
    }
    for (std::size_t s : reached) {
      const std::vector<CodeletShape> &codelets = grammar_.codelets(s);
      bool endless = std::all_of(codelets.begin(), codelets.end(), [&](auto &c) { return !runs(c) || recurs(c, s); });
      if (!endless) continue;
      Diagnostic d = makeDiagnostic(kEndless, spectrum(s).range, spectrum(s).name, target);
      note(d, s);
      return called(std::move(d), s);
    }
    bool races = !grammar_.whyRace({GoalKind::Call, root, 0}).empty();
    Diagnostic d = makeDiagnostic(races ? kRaces : kNoPlan, top.range, top.name, target);
    note(d, root);
    return d;
  }

private:
  const Spectrum &spectrum(std::size_t s) const { return *forest_.module().spectrums[s]; }
  std::size_t levels() const { return forest_.hardware().levels.size(); }

  /// The least depth with a plan, 0 where no depth near has one. Fallbacks may need more than depthNeeded().
  unsigned depthThatIsEnough() const {
    unsigned first = std::max(*forest_.depthNeeded(), forest_.depth() + 1);
    unsigned last = first + 2 * static_cast<unsigned>(levels()) + 2;
    for (unsigned depth = first; depth <= last; ++depth)
      if (Forest(forest_.module(), forest_.hardware(), forest_.facts(), forest_.spectrum(), depth).hasPlans())
        return depth;
    return 0;
  }

  /// At some level; what a level above cannot do, it may devolve.
  bool composable(std::size_t s) const {
    for (std::size_t l = 0; l < levels(); ++l)
      if (grammar_.productions({GoalKind::Call, s, l}).height != kNoHeight) return true;
    return false;
  }
  bool runs(const CodeletShape &shape) const {
    for (const hardware::Level &level : forest_.hardware().levels) {
      auto it = forest_.facts().matches.find({shape.codelet, level.name});
      if (it != forest_.facts().matches.end() && it->second.allowed) return true;
    }
    return false;
  }
  bool recurs(const CodeletShape &shape, std::size_t s) const {
    for (std::size_t callee : shape.callees) {
      if (callee == kNoSpectrum || composable(callee)) continue;
      std::vector<std::size_t> reached = grammar_.reachable(callee);
      if (std::find(reached.begin(), reached.end(), s) != reached.end()) return true;
    }
    return false;
  }

  /// Why not, for each codelet; levels that say the same are named together.
  void note(Diagnostic &d, std::size_t s) const {
    const std::vector<CodeletShape> &codelets = grammar_.codelets(s);
    for (std::size_t c = 0; c < codelets.size(); ++c) {
      const CodeletShape &shape = codelets[c];
      std::vector<std::string> reasons;
      for (std::size_t l = 0; l < levels(); ++l) {
        std::string reason = whyNot({GoalKind::Call, s, l}, c);
        if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
          reasons.push_back(reason);
      }
      if (!reasons.empty())
        d.notes.push_back(
            {shape.codelet->range, fmt::format("codelet '{}': {}", shape.codelet->name, fmt::join(reasons, "; "))});
    }
  }
  std::string whyNot(const Nonterminal &goal, std::size_t codelet) const {
    const std::string &wanted = grammar_.codelets(goal.spectrum)[codelet].codelet->name;
    const Productions &productions = grammar_.productions(goal);
    for (const Rejection &rejection : productions.rejected)
      if (rejection.rule == Rule::Select && rejection.codelet == wanted) return rejection.reason;
    for (const Production &production : productions.allowed)
      if (production.rule == Rule::Select && production.codelet == codelet && production.height == kNoHeight)
        return grammar_.whyEndless(goal, production);
    // It could be composed here, were it not for the depth or the sizes.
    std::optional<GoalId> nearest;
    for (GoalId id = 0; id < forest_.size(); ++id) {
      const Point &point = forest_.point(id);
      bool same = !point.isMap && !point.plain && point.spectrum == spectrum(goal.spectrum).name &&
                  point.level == forest_.hardware().levels[goal.level].name;
      if (same && (!nearest || point.depth > forest_.point(*nearest).depth)) nearest = id;
    }
    if (nearest)
      for (const Rejection &rejection : forest_.rejections(*nearest))
        if (rejection.rule == Rule::Select && rejection.codelet == wanted)
          return fmt::format("at level '{}' it {}", forest_.point(*nearest).level, rejection.reason);
    return "";
  }

  /// Says through which spectrum the one at fault is reached.
  Diagnostic called(Diagnostic d, std::size_t s) const {
    std::size_t root = grammar_.spectrum(forest_.spectrum());
    if (s == root) return d;
    for (std::size_t caller : grammar_.reachable(root))
      for (const CodeletShape &shape : grammar_.codelets(caller))
        for (std::size_t i = 0; i < shape.callees.size(); ++i)
          if (shape.callees[i] == s && caller != s) {
            d.notes.push_back(
                {shape.sites[i]->range, fmt::format("'{}' is called here, by codelet '{}' of '{}'", spectrum(s).name,
                                                    shape.codelet->name, spectrum(caller).name)});
            return d;
          }
    return d;
  }

  const Forest &forest_;
  Grammar grammar_;
};

} // namespace

void requirePlans(const Forest &forest) {
  if (forest.hasPlans()) return;
  throw DiagnosticError(Explanation(forest).make());
}

} // namespace tangram

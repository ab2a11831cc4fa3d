#include "Grammar.h"
#include "tangram/ast/Walk.h"
#include "tangram/compose/Requirement.h"
#include "tangram/compose/Sizes.h"
#include "tangram/compose/TunableChoice.h"

#include <fmt/format.h>

namespace tangram {

using namespace ast;

namespace {

constexpr DiagnosticKind kSpectrum{"plan.spectrum-gone", DiagnosticClass::User,
                                   "the plan composes spectrum '{}', which the source does not have",
                                   "use a plan for {1}"};
constexpr DiagnosticKind kOtherTarget{
    "plan.other-target", DiagnosticClass::User, "the plan was made for target '{}', and this is '{}'",
    "it is used because it fits; make a plan for this target to be sure", Severity::Warning};
constexpr DiagnosticKind kLevel{"plan.level-gone", DiagnosticClass::User,
                                "the plan uses level '{}', which target '{}' does not have", "its levels are {2}"};
constexpr DiagnosticKind kTop{"plan.top", DiagnosticClass::User,
                              "the plan starts at level '{}', but '{}' is the outermost of target '{}'",
                              "make a new plan for this target"};
constexpr DiagnosticKind kBelow{"plan.below", DiagnosticClass::User,
                                "the plan goes from level '{}' to '{}', but in target '{}' {}",
                                "make a new plan for this target"};
constexpr DiagnosticKind kCodelet{"plan.codelet-gone", DiagnosticClass::User,
                                  "the plan selects codelet '{0}' of '{1}', which the source does not have",
                                  "'{1}' has {2}"};
constexpr DiagnosticKind kCannotRun{"plan.level-match", DiagnosticClass::User,
                                    "the plan runs codelet '{}' of '{}' at level '{}', where it cannot run: {}",
                                    "make a new plan"};
constexpr DiagnosticKind kNoLoop{
    "plan.no-loop", DiagnosticClass::User,
    "the plan runs a map of '{}' as a loop at level '{}', which has no computational capability",
    "make a new plan for this target"};
constexpr DiagnosticKind kSites{
    "plan.sites", DiagnosticClass::User,
    "the plan was made for {} maps and spectrum calls in codelet '{}' of '{}', but there are {}",
    "the codelet has changed since: make a new plan"};
constexpr DiagnosticKind kSite{"plan.site", DiagnosticClass::User, "the plan has {} where {} has {}",
                               "the source has changed since: make a new plan"};
constexpr DiagnosticKind kTunable{"plan.tunable", DiagnosticClass::User,
                                  "the plan and codelet '{}' of '{}' disagree: {}",
                                  "correct the value in the plan, or make a new plan"};
constexpr DiagnosticKind kFactor{
    "plan.factor", DiagnosticClass::User, "a 'split' of the plan has {}",
    "write 'with factor=N', where N is how many chunks there are, or 'with factor=N, grain=M', where each has "
    "a multiple of M calls, of 1 to 1048576"};
constexpr std::int64_t kMostGrain = 1 << 20; // sums of chunks do not wrap around
constexpr DiagnosticKind kUnits{"plan.units", DiagnosticClass::User, "the plan asks for what '{0}' cannot be: {1}",
                                "{2}"};
constexpr DiagnosticKind kUnproven{"plan.unproven", DiagnosticClass::User,
                                   "the plan runs codelet '{}' of '{}' at level '{}' without a check, but that it fits "
                                   "can no longer be proved: it needs {}",
                                   "make a new plan, or give the select 'if ...' and a fallback"};
constexpr DiagnosticKind kHash{
    "plan.source-changed", DiagnosticClass::User, "the source of '{}' has changed since the plan was made",
    "the plan still fits and is used; make a new one to be sure that it is the best", Severity::Warning};

class Checker {
public:
  Checker(const Plan &plan, const Module &module, const hardware::Hardware &hardware, const Facts &facts)
      : plan_(plan), module_(module), hardware_(hardware), facts_(facts), machine_(hardware) {}

  void run(DiagnosticEngine &diags) {
    rules();
    if (plan_.target != hardware_.name) diags.report(kOtherTarget, plan_.root->range, plan_.target, hardware_.name);
    for (const auto &[spectrum, hash] : plan_.sources) {
      const Spectrum *found = findSpectrum(module_, spectrum);
      if (found && sourceHash(module_, spectrum) != hash) diags.report(kHash, found->range, spectrum);
    }
  }

  void rules() {
    if (!plan_.root) failBug({}, "plan", "a plan has no rules");
    const PlanNode &root = *plan_.root;
    if (root.spectrum != plan_.spectrum || isMapRule(root))
      bad(kSite, root, {}, words(root), "the program", fmt::format("a call of '{}'", plan_.spectrum));
    const hardware::Level &first = level(root);
    if (first.name != hardware_.top().name) bad(kTop, root, {}, first.name, hardware_.top().name, hardware_.name);
    call(root, {});
  }

private:
  using Bounds = std::vector<SizeBound>;

  /// At the plan's line, where it was read from a file; the source is the other half of the disagreement.
  template <class... Args>
  [[noreturn]] static void bad(const DiagnosticKind &kind, const PlanNode &node, SourceRange source,
                               const Args &...args) {
    Diagnostic diagnostic = makeDiagnostic(kind, node.range.valid() ? node.range : source, args...);
    if (node.range.valid() && source.valid()) diagnostic.notes.push_back({source, "the source has this"});
    throw DiagnosticError(std::move(diagnostic));
  }

  const Spectrum &spectrum(const PlanNode &node) const {
    if (const Spectrum *found = findSpectrum(module_, node.spectrum)) return *found;
    std::vector<std::string> names;
    for (const Spectrum *s : module_.spectrums) names.push_back(s->name);
    bad(kSpectrum, node, {}, node.spectrum, names.empty() ? "another source" : suggest(node.spectrum, names));
  }
  const hardware::Level &level(const PlanNode &node) const {
    if (const hardware::Level *found = hardware_.find(node.level)) return *found;
    bad(kLevel, node, {}, node.level, hardware_.name, fmt::format("{}", fmt::join(hardware_.levelNames(), ", ")));
  }
  void below(const PlanNode &node) const {
    const hardware::Level &from = level(node);
    if (!from.subordinate.empty() && from.subordinate == node.to) return;
    bad(kBelow, node, {}, node.level, node.to, hardware_.name,
        from.subordinate.empty() ? std::string("there is none below it")
                                 : fmt::format("'{}' is below it", from.subordinate));
  }
  /// Units that the rule asks for are of levels that start there, and as many as there may be.
  void units(const PlanNode &node) const {
    const hardware::Units asked = unitsOf(node);
    std::string names, counts;
    // Where work is devolved there is one iteration, and nothing to unroll.
    const bool nothing = node.rule == Rule::Devolve && areIterations(this->level(node).sync);
    for (const hardware::Level *level :
         nothing ? std::vector<const hardware::Level *>() : hardware::startedFrom(hardware_, this->level(node))) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", level->name);
      if (!asked.count(level->name)) continue;
      std::string allowed = fmt::format("'{}' may have a multiple of {} units", level->name, level->workers.multipleOf);
      if (level->workers.max) allowed += fmt::format(", at most {}", level->workers.max);
      counts += (counts.empty() ? "" : "; ") + allowed;
    }
    for (const auto &[name, count] : asked)
      if (names.find('\'' + name + '\'') == std::string::npos)
        bad(kUnits, node, {}, hardware_.name,
            fmt::format("units of '{}' do not start where work goes from '{}'", name, node.level),
            names.empty() ? std::string("leave it out: none start there") : fmt::format("those of {} do", names));
    if (std::string why = hardware::refusal(*machine_, asked); !why.empty())
      bad(kUnits, node, {}, hardware_.name, why, counts);
  }
  const PlanNode &only(const PlanNode &node) const {
    if (node.children.size() != 1) failBug({}, "plan", fmt::format("a '{}' has not one child", name(node.rule)));
    return *node.children[0];
  }

  static std::string words(const PlanNode &node) {
    return fmt::format("a {} of '{}'", isMapRule(node) ? "map" : "call", node.spectrum);
  }
  static std::string words(const Expr *site) {
    return isa<Map>(site) ? fmt::format("a map of '{}'", as<Map>(site)->spectrum)
                          : fmt::format("a call of '{}'", as<SpectrumCall>(site)->spectrum);
  }

  void call(const PlanNode &node, Bounds bounds) {
    const Spectrum &s = spectrum(node);
    limitByConditions(s, bounds);
    level(node);
    if (node.rule == Rule::Devolve) {
      below(node);
      const PlanNode &child = only(node);
      if (child.spectrum != node.spectrum || isMapRule(child))
        bad(kSite, child, s.range, words(child), "the rule above",
            fmt::format("devolved a call of '{}'", node.spectrum));
      units(node);
      const hardware::Configured::Scope scope(machine_, unitsOf(node));
      return call(child, bounds);
    }
    select(node, s, bounds);
  }

  void select(const PlanNode &node, const Spectrum &s, const Bounds &bounds) {
    const hardware::Level &at = level(node);
    const Codelet *codelet = nullptr;
    std::vector<std::string> names;
    for (const Codelet *c : s.codelets) {
      names.push_back(c->name);
      if (c->name == node.codelet) codelet = c;
    }
    if (!codelet)
      bad(kCodelet, node, s.range, node.codelet, s.name,
          names.empty() ? std::string("no codelets") : fmt::format("{}", fmt::join(names, ", ")));
    auto match = facts_.matches.find({codelet, at.name});
    if (match == facts_.matches.end())
      failBug(codelet->range, "plan", "there are no level-matching facts of this codelet");
    std::vector<const Expr *> order = sites(*codelet);
    if (node.guarded && node.children.empty()) failBug({}, "plan", "a guarded 'select' has no fallback");
    std::size_t composed = node.children.size() - (node.guarded ? 1 : 0);
    if (order.size() != composed) bad(kSites, node, codelet->range, composed, codelet->name, s.name, order.size());
    if (!match->second.allowed)
      bad(kCannotRun, node, codelet->range, codelet->name, s.name, at.name, match->second.reason);
    if (node.capability != Capability::None && node.capability != match->second.capability)
      bad(kCannotRun, node, codelet->range, codelet->name, s.name, at.name,
          fmt::format("the plan wants {} code, the codelet is {} code", ast::name(node.capability),
                      match->second.capability == Capability::None ? "compound" : ast::name(match->second.capability)));
    if (!lanes_.empty() && (contains<Map>(codelet->body) || (codelet->coop && node.level != lanes_) || node.guarded))
      bad(kCannotRun, node, codelet->range, codelet->name, s.name, at.name,
          fmt::format("lanes of level '{}' call it", lanes_));
    tunables(node, s, *codelet);
    if (!node.guarded) requirement(node, s, *codelet, at, bounds);

    Sizes sizes(&module_, *codelet, bounds, exactly(node.parameters));
    std::string outer = lanes_;
    if (codelet->coop) lanes_ = node.level;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const PlanNode &child = *node.children[i];
      bool isMap = isa<Map>(order[i]);
      const std::string &wanted = isMap ? as<Map>(order[i])->spectrum : as<SpectrumCall>(order[i])->spectrum;
      if (isMap != isMapRule(child) || child.spectrum != wanted)
        bad(kSite, child, order[i]->range, words(child), fmt::format("codelet '{}' of '{}'", codelet->name, s.name),
            words(order[i]));
      Bounds site = sizes.site(order[i]).arguments;
      if (isMap)
        map(child, site);
      else
        call(child, site);
    }
    lanes_ = outer;
    if (node.guarded) {
      const PlanNode &fallback = *node.children.back();
      if (fallback.spectrum != s.name || isMapRule(fallback))
        bad(kSite, fallback, codelet->range, words(fallback), "the rule above", fmt::format("a call of '{}'", s.name));
      call(fallback, bounds);
    }
  }

  void map(const PlanNode &node, const Bounds &bounds) {
    const hardware::Level &at = level(node);
    if (node.rule == Rule::Serialize) {
      if (!at.computes()) bad(kNoLoop, node, spectrum(node).range, node.spectrum, at.name);
    } else {
      below(node);
    }
    const PlanNode &child = only(node);
    if (child.spectrum != node.spectrum || isMapRule(child) != (node.rule == Rule::Split))
      bad(kSite, child, spectrum(node).range, words(child), "the rule above",
          fmt::format("a {} of '{}'", node.rule == Rule::Split ? "map" : "call", node.spectrum));
    if (node.rule != Rule::Serialize) units(node);
    const hardware::Configured::Scope scope(machine_, unitsOf(node));
    if (node.rule != Rule::Split) return call(child, bounds);
    auto factor = node.parameters.find("factor");
    if (factor == node.parameters.end()) bad(kFactor, node, spectrum(node).range, "no factor");
    if (factor->second < 1) bad(kFactor, node, spectrum(node).range, fmt::format("factor {}", factor->second));
    const auto grain = node.parameters.find("grain");
    if (grain != node.parameters.end() && (grain->second < 1 || grain->second > kMostGrain))
      bad(kFactor, node, spectrum(node).range, fmt::format("grain {}", grain->second));
    map(child, bounds);
  }

  void tunables(const PlanNode &node, const Spectrum &s, const Codelet &codelet) const {
    std::map<std::string, const Declare *> known;
    walk(codelet.body, [&](const Declare &d) {
      if (d.tunable) known[d.name] = &d;
    });
    for (const auto &[name, value] : node.parameters) {
      auto it = known.find(name);
      if (it == known.end())
        bad(kTunable, node, codelet.range, codelet.name, s.name,
            fmt::format("there is no __tunable '{}' any more", name));
      if (!allows(*it->second->tunable, value))
        bad(kTunable, node, it->second->range, codelet.name, s.name,
            fmt::format("{} is no value that __tunable '{}' may have", value, name));
    }
    for (const auto &[name, declare] : known)
      if (!node.parameters.count(name))
        bad(kTunable, node, declare->range, codelet.name, s.name,
            fmt::format("the plan has no value for __tunable '{}'", name));
  }

  void requirement(const PlanNode &node, const Spectrum &s, const Codelet &codelet, const hardware::Level &at,
                   const Bounds &bounds) const {
    Arena arena;
    for (const Expr *requirement : requirements(codelet, arena))
      if (!provable(*requirement, codelet, bounds, machine_->lanes(*machine_->find(at.name))))
        bad(kUnproven, node, codelet.range, codelet.name, s.name, at.name,
            fmt::format("{}{}", describe(*requirement),
                        contains<CoopDim>(requirement)
                            ? fmt::format(" (coopDim() = {})", machine_->lanes(*machine_->find(at.name)))
                            : ""));
  }

  const Plan &plan_;
  const Module &module_;
  const hardware::Hardware &hardware_;
  const Facts &facts_;
  hardware::Configured machine_;
  std::string lanes_; // the level of the cooperative codelet that the call stands in, if any
};

} // namespace

void checkPlan(const Plan &plan, const Module &module, const hardware::Hardware &hardware, const Facts &facts,
               DiagnosticEngine &diags) {
  std::vector<Plan> plans = plansOf(plan);
  Checker(plans.back(), module, hardware, facts).run(diags);
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    checkSizeCondition(plan.cases[i].when, *findSpectrum(module, plan.spectrum), plan.cases[i].range);
    Checker(plans[i], module, hardware, facts).rules();
  }
}

} // namespace tangram

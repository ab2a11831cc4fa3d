// tangram explain
#include "Explain.h"

#include "tangram/compose/Count.h"
#include "tangram/compose/Rules.h"
#include "tangram/hardware/Resources.h"

#include <iostream>

namespace tangram::driver {
namespace {

constexpr DiagnosticKind kBadQuestion{"explain.bad-question", DiagnosticClass::User,
                                      "--why-not '{0}' is not CODELET@LEVEL", "write --why-not kog@thread"};
constexpr DiagnosticKind kUnknownCodelet{"explain.unknown-codelet", DiagnosticClass::User,
                                         "no spectrum that '{0}' composes has a codelet '{1}'", "use {2}"};
constexpr DiagnosticKind kUnknownLevel{"explain.unknown-level", DiagnosticClass::User,
                                       "target '{0}' has no level '{1}'", "use {2}"};

struct ExplainFlags : ProgramFlags {
  std::string whyNot, html, against;
  bool rules = false;
};

/// "p=64 warp=8"
std::string values(const Alternative &alternative) {
  std::string out;
  for (const auto &[name, value] : alternative.parameters)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out.empty() ? "what the target says" : out;
}

void follow(const Forest &forest, GoalId id, const PlanNode &node, unsigned depth, const HeuristicContext &context,
            std::vector<ChosenPoint> &chosen) {
  const Point &point = forest.point(id);
  ChosenPoint here;
  here.id = id;
  here.node = &node;
  here.indent = depth;
  std::optional<std::size_t> found = find(point, node);
  for (std::size_t i = 0; found && i < point.alternatives.size(); ++i)
    if (const Alternative &other = point.alternatives[i];
        sameRule(other, point.alternatives[*found]) && other.parameters != node.parameters)
      here.values.push_back(values(other));
  for (std::size_t i : rulesAt(point)) {
    if (found && sameRule(point.alternatives[i], point.alternatives[*found])) continue;
    std::string reason;
    for (const Pruning &p : context.prunings)
      if (p.point == id && p.alternative == i) reason = p.reason;
    here.others.emplace_back(describe(point.alternatives[i]), reason);
  }
  chosen.push_back(here);
  if (!found) return; // a plan of a file may hold what the forest of this depth has not
  const Alternative &a = point.alternatives[*found];
  for (std::size_t i = 0; i < std::min(a.children.size(), node.children.size()); ++i)
    follow(forest, a.children[i], *node.children[i], depth + 1, context, chosen);
}

Json toJson(const Explanation &e, const std::string &file) {
  Json json{{"spectrum", e.plan.spectrum},
            {"target", e.target},
            {"points", e.forest->size()},
            {"alternatives", e.alternatives},
            {"plans", e.forest->count().str()},
            {"depth", e.forest->depth()},
            {"heuristic", e.heuristic},
            {"plan", tangram::print(e.plan)},
            {"key", key(e.plan)},
            {"notation", e.notation},
            {"work", workJson(e, file)},
            {"chosen", Json::array()}};
  if (e.prediction) json["predicted"] = predictionJson(*e.prediction, *e.plan.root);
  for (const ChosenPoint &c : e.chosen) {
    const Point &p = e.forest->point(c.id);
    Json point{{"goal", goal(p)},    {"choice", describe(*c.node)}, {"plans", e.forest->count(c.id).str()},
               {"values", c.values}, {"others", Json::array()},     {"rejected", Json::array()}};
    for (const auto &[what, why] : c.others) point["others"].push_back(Json{{"what", what}, {"why", why}});
    for (const Rejection &r : e.forest->rejections(c.id))
      point["rejected"].push_back(Json{{"what", describe(r)}, {"why", r.reason}});
    json["chosen"].push_back(std::move(point));
  }
  return json;
}

void print(const Explanation &e, const std::string &file) {
  std::cout << fmt::format("spectrum {} on {}\n", e.plan.spectrum, e.target);
  std::cout << fmt::format("  {} within {} rules of depth, in a forest of {} with {}\n",
                           plural(e.forest->count().str(), "plan"), e.forest->depth(),
                           plural(std::to_string(e.forest->size()), "point"),
                           plural(std::to_string(e.alternatives), "alternative"));
  std::cout << fmt::format("chosen by {}:\n{}\nnotation: {}\n\n", e.heuristic, tangram::print(e.plan), e.notation);
  for (const std::string &line : predictionLines(e)) std::cout << line << "\n";
  std::cout << "who works, where the plan is widest:\n";
  if (!e.alone.empty()) std::cout << fmt::format("  {}\n", e.alone);
  for (const std::string &loop : e.serial) std::cout << fmt::format("  {}\n", loop);
  for (const LevelNote &level : e.levels)
    if (!level.above.empty()) std::cout << fmt::format("  {}\n", describeLevel(level));
  std::cout << fmt::format("sizes: {}\n", e.sizes);
  std::cout << "steps:\n";
  for (const RuleWork &rule : e.work.rules)
    if (rule.computes()) std::cout << fmt::format("  {}\n", describeStep(e, rule, file));
  if (!e.tunables.empty()) std::cout << "tunables:\n";
  for (const TunableNote &t : e.tunables)
    std::cout << fmt::format("  {}={} in {} at {}: {}\n", t.name, t.value, t.of, t.level, t.from);
  std::cout << "\nwhy:\n";
  for (const ChosenPoint &c : e.chosen) {
    const Point &p = e.forest->point(c.id);
    std::string space(2 + 2 * c.indent, ' ');
    std::cout << fmt::format("{}{}: {}\n", space, goal(p), describe(*c.node));
    if (!c.values.empty()) std::cout << fmt::format("{}  rather than with {}\n", space, fmt::join(c.values, ", with "));
    for (const auto &[what, why] : c.others)
      std::cout << fmt::format("{}  rather than {}{}{}\n", space, what, why.empty() ? "" : ": ", why);
    for (const Rejection &r : e.forest->rejections(c.id))
      std::cout << fmt::format("{}  not allowed: {}: {}\n", space, describe(r), r.reason);
  }
}

void printRules(Session &s, const std::string &spectrum) {
  std::cout << fmt::format("rules of {}:\n{}", spectrum, tangram::print(rules(s.module(), spectrum), true));
  for (const hardware::Level &level : s.target().hardware.levels)
    std::cout << fmt::format(
        "at {}:\n{}", level.name,
        tangram::print(rules(s.module(), s.target().hardware, s.facts(), spectrum, level.name, MapRules::All)));
}

/// Answers from the points of the forest at that level; where there are none, from what is known of the codelet there.
void whyNot(const Explanation &e, const std::string &question, const std::vector<NotExpanded> &notExpanded,
            const Facts &facts) {
  std::size_t at = question.rfind('@');
  if (at == std::string::npos || at == 0 || at + 1 == question.size()) fail(kBadQuestion, {}, question);
  std::string codelet = question.substr(0, at), level = question.substr(at + 1), spectrum;
  if (std::size_t dot = codelet.find('.'); dot != std::string::npos) {
    spectrum = codelet.substr(0, dot);
    codelet = codelet.substr(dot + 1);
  }
  const Forest &forest = *e.forest;
  std::vector<std::string> levels = forest.hardware().levelNames();
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    fail(kUnknownLevel, {}, e.target, level, suggest(level, levels));
  std::vector<std::string> codelets, refused;
  std::set<std::string> reached{e.plan.spectrum};
  for (std::size_t i = 0; i < forest.size(); ++i) reached.insert(forest.point(i).spectrum);
  bool known = false;
  for (const ast::Spectrum *sp : forest.module().spectrums)
    if (reached.count(sp->name) && (spectrum.empty() || sp->name == spectrum))
      for (const ast::Codelet *c : sp->codelets) {
        codelets.push_back(c->name);
        if (c->name != codelet) continue;
        known = true;
        if (auto match = facts.matches.find({c, level}); match != facts.matches.end() && !match->second.allowed)
          refused.push_back(match->second.reason);
      }
  if (!known) {
    // One that an expander would have made, but for a reason.
    bool said = false;
    for (const NotExpanded &n : notExpanded) {
      if (n.codelet != codelet || !reached.count(n.spectrum) || (!spectrum.empty() && n.spectrum != spectrum)) continue;
      std::string place =
          n.range.valid() ? fmt::format(" ({}:{}:{})", *n.range.file, n.range.line, n.range.column) : "";
      std::cout << fmt::format("{} of {} on {}:\n  not made by expander {}{}: {}\n", codelet, n.spectrum, e.target,
                               n.expander, place, n.reason);
      said = true;
    }
    if (said) return;
    for (const NotExpanded &n : notExpanded) codelets.push_back(n.codelet);
  }
  if (!known) fail(kUnknownCodelet, {}, e.plan.spectrum, codelet, suggest(codelet, codelets));

  std::set<GoalId> used;
  for (const ChosenPoint &c : e.chosen)
    if (c.node->rule == Rule::Select && c.node->codelet == codelet && c.node->level == level) used.insert(c.id);
  // One line for each different answer, with how many points give it.
  std::vector<std::pair<std::string, std::size_t>> answers;
  auto answer = [&](const std::string &text) {
    for (auto &[known, n] : answers)
      if (known == text) {
        ++n;
        return;
      }
    answers.emplace_back(text, 1);
  };
  std::size_t points = 0;
  for (std::size_t i = 0; i < forest.size(); ++i) {
    const Point &p = forest.point(i);
    if (p.isMap || p.level != level || (!spectrum.empty() && p.spectrum != spectrum)) continue;
    for (const Rejection &r : forest.rejections(i))
      if (r.codelet == codelet) {
        ++points;
        answer(fmt::format("not allowed: {}", r.reason));
      }
    for (std::size_t a = 0; a < p.alternatives.size(); ++a) {
      const Alternative &alternative = p.alternatives[a];
      if (!alternative.codelet || alternative.codelet->name != codelet) continue;
      ++points;
      std::string reason;
      for (const Pruning &pruned : e.context.prunings)
        if (pruned.point == i && pruned.alternative == a) reason = pruned.reason;
      if (used.count(i))
        answer("it is: the chosen plan uses it");
      else if (!reason.empty())
        answer(fmt::format("allowed, but {} dropped it: {}", e.heuristic, reason));
      else
        answer("allowed, at a point that the chosen plan does not come to");
    }
  }
  if (points == 0)
    for (const std::string &reason : refused) answer(fmt::format("not allowed: {}", reason));
  if (answers.empty())
    answer(fmt::format("no plan composes it at {}: nothing devolves or distributes to that level", level));
  std::cout << fmt::format("{} at {} in {} on {}:\n", codelet, level, e.plan.spectrum, e.target);
  for (const auto &[text, n] : answers)
    std::cout << fmt::format("  {}{}\n", text, n > 1 && points > 0 ? fmt::format(" ({} points)", n) : "");
}

/// Throws what a compiler would say of the plan: of what a codelet does there may be no code.
void requireCode(Session &session, const Plan &plan) {
  ast::Arena arena;
  try {
    session.lower({plan}, arena);
  } catch (const DiagnosticError &e) {
    if (!hardware::saysThatItDoesNotFit(e.diagnostic)) throw; // another machine may have more room
  }
}

constexpr DiagnosticKind kAgainst{"explain.against", DiagnosticClass::User, "--against compares {0}",
                                  "give two files of one plan for the same spectrum: --plan A --against B"};

int against(Driver &driver, const ExplainFlags &flags, const std::vector<Plan> &given) {
  ProgramFlags other = flags;
  other.plans = {flags.against};
  const std::vector<Plan> plans = driver.plans(other);
  if (given.size() != 1)
    fail(kAgainst, {},
         given.empty() ? "--plan with another plan, and there is no --plan" : "one plan, and --plan has several");
  if (plans.size() != 1 || !plans[0].cases.empty()) fail(kAgainst, {}, "with one plan, and its file has several");
  if (plans[0].spectrum != given[0].spectrum)
    fail(kAgainst, {},
         fmt::format("plans of one spectrum, and these are of '{}' and '{}'", given[0].spectrum, plans[0].spectrum));
  explainAgainst(driver.session(), given[0], plans[0], driver.common.json);
  return 0;
}

int explain(Driver &driver, const ExplainFlags &flags) {
  Session &s = driver.open(flags);
  s.target();
  Json all = Json::array();
  std::vector<Explanation> explanations;
  std::vector<std::string> spectrums = driver.spectrums(flags);
  std::vector<Plan> given;
  std::vector<std::string> when; // of each
  if (!flags.plans.empty())
    for (const Plan &plan : driver.plans(flags)) {
      std::vector<Plan> each = plansOf(plan);
      for (std::size_t c = 0; c < each.size(); ++c) {
        given.push_back(std::move(each[c]));
        when.push_back(plan.cases.empty()      ? ""
                       : c < plan.cases.size() ? fmt::format(", when {}", tangram::print(plan.cases[c].when))
                                               : ", otherwise");
      }
    }
  if (!flags.against.empty()) return against(driver, flags, given);
  if (!given.empty()) {
    spectrums.clear();
    for (const Plan &plan : given) spectrums.push_back(plan.spectrum);
  }
  if (flags.rules) {
    for (const std::string &spectrum : spectrums) printRules(s, spectrum);
    return 0;
  }
  for (std::size_t i = 0; i < spectrums.size(); ++i) {
    Explanation e;
    e.forest = &s.forest(spectrums[i]);
    e.target = s.target().name;
    e.heuristic = driver.common.heuristic.empty() ? s.target().pipeline.heuristic.name : driver.common.heuristic;
    if (given.empty()) {
      e.context.why = true;
      e.plan = s.pick(spectrums[i], e.context);
    } else {
      e.plan = given[i];
      e.given = true;
      e.heuristic = fmt::format("the plan file{}, or where it says nothing {}", when[i], e.heuristic);
    }
    e.notation = notation(e.plan, s.module(), s.target().hardware);
    for (std::size_t p = 0; p < e.forest->size(); ++p) e.alternatives += e.forest->point(p).alternatives.size();
    if (e.plan.root) follow(*e.forest, e.forest->root(), *e.plan.root, 0, e.context, e.chosen);
    explainWork(e, s, flags.files[0]);
    e.prediction = s.predict(e.plan);
    if (!flags.whyNot.empty())
      whyNot(e, flags.whyNot, s.notExpanded(), s.facts());
    else if (driver.common.json)
      all.push_back(toJson(e, flags.files[0]));
    else if (flags.html.empty()) {
      if (i) std::cout << "\n";
      print(e, flags.files[0]);
    }
    explanations.push_back(std::move(e));
  }
  if (driver.common.json && flags.whyNot.empty()) std::cout << all.dump(2) << "\n";
  if (!flags.html.empty()) writeFile(flags.html, explanationPage(s, flags.files[0], explanations));
  std::cout.flush();
  for (const Explanation &e : explanations) requireCode(s, e.plan);
  return 0;
}

} // namespace

std::string goal(const Point &p) {
  return fmt::format("compose({}{}, {})", p.isMap ? "map " : "", p.spectrum, p.level);
}

namespace {
std::string describeRule(Rule rule, const std::string &codelet, const std::string &to, bool guarded) {
  if (rule == Rule::Select) return fmt::format("codelet {}{}", codelet, guarded ? ", guarded" : "");
  return to.empty() ? std::string(name(rule)) : fmt::format("{} to {}", name(rule), to);
}
} // namespace

std::string describe(const Alternative &a) {
  return describeRule(a.rule, a.codelet ? a.codelet->name : "", a.to, a.guarded);
}
std::string describe(const PlanNode &n) {
  std::string text = describeRule(n.rule, n.codelet, n.to, n.guarded);
  for (const auto &[name, value] : n.parameters) text += fmt::format(" {}={}", name, value);
  return text;
}
std::string describe(const Rejection &r) { return describeRule(r.rule, r.codelet, "", false); }

void addExplain(CLI::App &app, Driver &driver) {
  CLI::App *sub = app.add_subcommand("explain", "Say which plans there are, which is chosen, and why");
  auto flags = std::make_shared<ExplainFlags>();
  addProgramFlags(*sub, *flags);
  addExpected(*sub, *flags);
  addUndecided(*sub, driver);
  sub->add_flag("--rules", flags->rules, "Print the composition rules of the program, and those for each level");
  sub->add_option("--why-not", flags->whyNot, "Why a codelet is not used at a level; also SPECTRUM.CODELET@LEVEL")
      ->type_name("CODELET@LEVEL");
  sub->add_option("--plan,-p", flags->plans, "Explain the plan of this file")
      ->type_name("FILE")
      ->take_all()
      ->allow_extra_args(false);
  sub->add_option("--against", flags->against,
                  "Where the plan of --plan and that of this file differ, and what that costs")
      ->type_name("FILE");
  sub->add_option("--html", flags->html, "Write it as a page that stands by itself")->type_name("OUT");
  sub->add_flag("--json", driver.common.json, "As JSON");
  addCommonFlags(*sub, driver);
  sub->footer("Examples:\n"
              "  tangram explain sum.tg.cpp --target cpu-openmp\n"
              "  tangram explain sum.tg.cpp --target gpu --why-not kog@grid\n"
              "  tangram explain sum.tg.cpp --target gpu --html sum.html\n"
              "  tangram explain sum.tg.cpp --target cpu-openmp --plan tuned.plan --against picked.plan");
  sub->callback([&driver, flags] { driver.command = [&driver, flags] { return explain(driver, *flags); }; });
}

} // namespace tangram::driver

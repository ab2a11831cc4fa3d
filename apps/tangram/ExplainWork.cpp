// tangram explain: who works, how much, and what values come from
#include "Explain.h"

#include "tangram/ast/Walk.h"
#include "tangram/compose/TunableChoice.h"

#include <filesystem>

namespace tangram::driver {
namespace {

using namespace ast;

const Spectrum *spectrumOf(const Module &module, const std::string &name) {
  for (const Spectrum *spectrum : module.spectrums)
    if (spectrum->name == name) return spectrum;
  return nullptr;
}

bool isOf(const Module &module, const Codelet *codelet, const std::string &spectrum) {
  const Spectrum *found = spectrumOf(module, spectrum);
  return found && std::find(found->codelets.begin(), found->codelets.end(), codelet) != found->codelets.end();
}

std::string placeOf(const RuleWork &rule, const std::string &file) {
  return rule.codelet ? place(rule.codelet->range, file) : "";
}

std::string listed(const std::vector<std::string> &words) {
  if (words.empty()) return "";
  std::string text = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

std::string extentsText(const Extents &extents) {
  std::string text;
  for (const std::optional<std::uint64_t> &extent : extents)
    text += (text.empty() ? "" : "x") + (extent ? std::to_string(*extent) : std::string("?"));
  return text;
}

// ---- one worker does everything, or a loop ----------------------------------------------------------------

/// What an expander says of why it has not divided a loop: " (divide: ...)"; empty where it says nothing.
std::string notDivided(const SourceRange &loop, const std::vector<NotExpanded> &notExpanded) {
  for (const NotExpanded &n : notExpanded)
    if (loop.valid() && n.range.valid() && *n.range.file == *loop.file && n.range.line == loop.line &&
        n.range.column == loop.column)
      return fmt::format(" ({}: {})", n.expander, n.reason);
  return "";
}

/// Of codelets that call others: loops in which they do not, which are no part of what is divided.
std::vector<std::string> serialNotes(const Explanation &e, const std::vector<NotExpanded> &notExpanded,
                                     const std::string &file) {
  std::vector<std::string> result;
  std::set<std::pair<const Codelet *, std::string>> seen;
  for (const RuleWork &rule : e.work.rules) {
    if (rule.computes() || !rule.codelet || !seen.insert({rule.codelet, rule.node->level}).second) continue;
    walk(rule.codelet->body, [&](const Node &node) {
      if (!isa<For>(&node) && !isa<While>(&node) && !isa<DoWhile>(&node)) return WalkResult::Advance;
      bool calls = false;
      walk(&node, [&](const Node &inner) {
        calls |= isa<Map>(&inner) || isa<SpectrumCall>(&inner);
        return calls ? WalkResult::Skip : WalkResult::Advance;
      });
      if (calls) return WalkResult::Advance;
      result.push_back(fmt::format("one worker of each {} runs the loop at {} of codelet '{}' alone{}",
                                   rule.node->level, place(node.range, file), rule.codelet->name,
                                   notDivided(node.range, notExpanded)));
      return WalkResult::Skip;
    });
  }
  return result;
}

/// "the loops at lines 12 and 20" of the codelets that compute.
std::string serialLoops(const Explanation &e, const std::vector<NotExpanded> &notExpanded, const std::string &file) {
  std::vector<std::string> places;
  std::set<const Codelet *> seen;
  for (const RuleWork &rule : e.work.rules) {
    if (!rule.computes() || !rule.codelet || !seen.insert(rule.codelet).second) continue;
    for (const SourceRange &loop : outermostLoops(*rule.codelet)) {
      std::string at = place(loop, file);
      if (!at.empty()) at += notDivided(loop, notExpanded);
      if (!at.empty() && std::find(places.begin(), places.end(), at) == places.end()) places.push_back(at);
    }
  }
  if (places.empty()) return "";
  return fmt::format("the loop{} at {}", places.size() == 1 ? "" : "s", listed(places));
}

/// Why a codelet that divides work does not do so in the plan.
std::string whyNotDividing(const Explanation &e, const Codelet *codelet, const std::string &file) {
  for (std::size_t i = 0; i < e.work.rules.size(); ++i) {
    if (e.work.rules[i].codelet != codelet) continue;
    if (codelet->coop) return "is used, with one lane";
    for (std::size_t j = i + 1; j < e.work.rules.size() && e.work.rules[j].depth > e.work.rules[i].depth; ++j) {
      const RuleWork &map = e.work.rules[j];
      if (map.depth != e.work.rules[i].depth + 1 || !map.site || !isa<Map>(map.site)) continue;
      std::string at = place(map.site->range, file);
      if (map.node->rule == Rule::Serialize)
        return fmt::format("is used, but its map at {} is serialized at level '{}'", at, map.node->level);
      return fmt::format("is used, but its map at {} gives only one worker work", at);
    }
    return "is used, but not where work is divided";
  }
  if (e.given) return "is not in the plan file's plan";
  const Forest &forest = *e.forest;
  for (const Pruning &pruning : e.context.prunings) {
    const Point &point = forest.point(pruning.point);
    if (point.alternatives[pruning.alternative].codelet == codelet)
      return fmt::format("was dropped at level '{}': {}", point.level, pruning.reason);
  }
  for (std::size_t i = forest.size(); i-- > 0;) // what is composed first stands last
    for (const Rejection &rejection : forest.rejections(i))
      if (rejection.codelet == codelet->name && isOf(forest.module(), codelet, forest.point(i).spectrum))
        return fmt::format("is not allowed at level '{}': {}", forest.point(i).level, rejection.reason);
  return "is not in the plan";
}

std::string aloneText(const Explanation &e, const std::vector<NotExpanded> &notExpanded, const std::string &file) {
  if (!e.work.alone) return "";
  std::string text = fmt::format("one {} does everything: ", *e.work.alone), loops = serialLoops(e, notExpanded, file);
  std::vector<const Codelet *> all = dividing(e.forest->module(), e.plan.spectrum);
  if (all.empty())
    return text + (loops.empty()
                       ? fmt::format("no codelet of '{}' has a map or works together (__coop)", e.plan.spectrum)
                       : "no codelet divides " + loops);
  std::string reasons;
  for (const Codelet *codelet : all)
    reasons += fmt::format("{}codelet '{}' ({}) {}", reasons.empty() ? "" : "; ", codelet->name,
                           place(codelet->range, file), whyNotDividing(e, codelet, file));
  return text + (loops.empty() ? "" : "nothing chosen divides " + loops + "; ") + reasons;
}

// ---- levels -------------------------------------------------------------------------------------------------

std::vector<LevelNote> levelNotes(const Explanation &e, const std::string &file) {
  std::vector<LevelNote> result;
  if (e.work.rules.empty()) return result;
  const RuleWork &widest = e.work.rules[e.work.widest];
  const hardware::Hardware hardware = hardware::with(e.forest->hardware(), widest.units);
  std::string above;
  for (const hardware::Level *level = &hardware.top(); level; above = level->name, level = hardware.below(*level)) {
    LevelNote note{level->name, above, level->workers.count, level->workers.count, areIterations(hardware, level->name),
                   ""};
    if (above.empty()) {
      result.push_back(note);
      continue;
    }
    auto share = std::find_if(widest.shares.begin(), widest.shares.end(),
                              [&](const UnitShare &s) { return s.level == level->name; });
    if (share == widest.shares.end()) {
      note.busy = 0;
      note.why = fmt::format("codelet '{}' computes at level '{}', and gives them nothing", widest.node->codelet,
                             widest.node->level);
    } else {
      note.busy = share->busy;
      // The rule that gave the level its work stands above the widest one.
      for (std::size_t i = e.work.widest + 1, depth = widest.depth + 1; i-- > 0;) {
        const RuleWork &rule = e.work.rules[i];
        if (rule.depth >= depth) continue;
        depth = rule.depth;
        if (rule.node->to != level->name) continue;
        if (rule.node->rule == Rule::Devolve)
          note.why = "the call is given to one of them (devolve)";
        else if (rule.node->rule == Rule::Split || rule.node->rule == Rule::Distribute) {
          // The map of a split stands where it was split first.
          const std::string at = rule.site ? place(rule.site->range, file) : "";
          const std::string map = at.empty() ? "the map" : "the map at " + at;
          note.why = rule.calls ? fmt::format("{} makes {}", map, plural(std::to_string(*rule.calls), "call"))
                                : map + " makes as many calls as its containers have parts or rows, which is not known";
        }
        break;
      }
      if (note.busy && *note.busy >= note.workers) note.why.clear();
    }
    result.push_back(note);
  }
  return result;
}

// ---- tunables ---------------------------------------------------------------------------------------------

std::vector<TunableNote> tunableNotes(const Explanation &e, const std::string &file) {
  std::vector<TunableNote> result;
  const hardware::Hardware &target = e.forest->hardware();
  auto automatic = [&](const std::string &name) {
    const hardware::Level *level = target.find(name);
    return std::string(level && level->workers.automatic ? " (auto: of the machine at hand, where it can be asked)"
                                                         : "");
  };
  auto add = [&](TunableNote note) {
    for (const TunableNote &known : result)
      if (known.name == note.name && known.of == note.of && known.level == note.level && known.value == note.value)
        return;
    result.push_back(std::move(note));
  };
  // Where the plan differs from what it would have by itself, somebody said so.
  auto origin = [&](std::int64_t value, std::int64_t own, const std::string &why) {
    if (value == own) return e.given ? fmt::format("the plan file; the same as {}", why) : why;
    return fmt::format("{}; otherwise it would be {}, {}",
                       e.given ? std::string("the plan file") : "chosen by " + e.heuristic, own, why);
  };
  for (const RuleWork &rule : e.work.rules) {
    const PlanNode &node = *rule.node;
    const hardware::Hardware hardware = hardware::with(target, rule.units);
    const hardware::Level *level = hardware.find(node.level);
    if (!level) continue;
    for (const auto &[name, count] : unitsOf(node))
      if (const hardware::Level *started = target.find(name))
        add({name, std::string(tangram::name(node.rule)), node.level, count,
             origin(count, static_cast<std::int64_t>(started->workers.count),
                    fmt::format("as many as {} says of level '{}'", e.target, name))});
    if (auto factor = node.parameters.find("factor"); node.rule == Rule::Split && factor != node.parameters.end()) {
      const hardware::Level *to = hardware.find(node.to);
      const std::uint64_t workers = to ? to->workers.count : 1;
      add({"factor", "split", node.level, factor->second,
           origin(
               factor->second, static_cast<std::int64_t>(workers),
               fmt::format("the {} of level '{}' of {}", plural(std::to_string(workers), "worker"), node.to, e.target) +
                   automatic(node.to))});
      if (const auto grain = node.parameters.find("grain"); grain != node.parameters.end())
        add({"grain", "split", node.level, grain->second, origin(grain->second, 1, "chunks of any number of calls")});
    }
    if (node.rule != Rule::Select || !rule.codelet) continue;
    walk(rule.codelet->body, [&](const Declare &d) {
      auto value = d.tunable ? node.parameters.find(d.name) : node.parameters.end();
      if (value == node.parameters.end()) return;
      TunableChoice choice = chooseTunable(*d.tunable, hardware, *level);
      std::string why = describe(choice);
      if (!choice.below.empty()) why += fmt::format(" of {}{}", e.target, automatic(choice.below));
      if (const std::optional<std::int64_t> followed = followedValue(*d.tunable, rule.scalars)) {
        choice.value = *followed;
        why = fmt::format("what parameter '{}' is", d.tunable->follows);
      }
      add({d.name, fmt::format("codelet {} ({})", node.codelet, place(d.range, file)), node.level, value->second,
           origin(value->second, choice.value, why)});
    });
  }
  return result;
}

std::string sizesText(const Explanation &e, Session &session) {
  const Spectrum *spectrum = spectrumOf(e.forest->module(), e.plan.spectrum);
  if (!spectrum || e.work.rules.empty()) return "";
  const RuleWork &root = e.work.rules[0];
  std::string known, unknown;
  for (std::size_t i = 0; i < spectrum->params.size() && i < root.arguments.size(); ++i) {
    const Param &param = *spectrum->params[i];
    if (param.type.rank() == 0) continue;
    const Extents &extents = root.arguments[i];
    const bool all = std::all_of(extents.begin(), extents.end(), [](const auto &n) { return n.has_value(); });
    if (std::any_of(extents.begin(), extents.end(), [](const auto &n) { return n.has_value(); }))
      known += fmt::format("{}{} {}{}", known.empty() ? "" : ", ", param.name, extentsText(extents),
                           session.expected().count(param.name) ? "" : " (by __requires)");
    if (!all) {
      std::string form = "N";
      for (unsigned d = 1; d < param.type.rank(); ++d) form += "xM";
      unknown += fmt::format("{}--expect {}={}", unknown.empty() ? "" : " ", param.name, form);
    }
  }
  if (known.empty() && unknown.empty()) return "no argument has a size";
  if (known.empty()) return "nothing was told of sizes; " + unknown + " says what is expected";
  return known + (unknown.empty() ? "" : "; not told: " + unknown);
}

Json number(const std::optional<std::uint64_t> &n) { return n ? Json(*n) : Json(nullptr); }

} // namespace

std::string place(const SourceRange &range, const std::string &file) {
  if (!range.valid()) return "";
  if (*range.file == file) return fmt::format("line {}", range.line);
  return fmt::format("{}:{}", std::filesystem::path(*range.file).filename().string(), range.line);
}

std::string plural(const std::string &n, const char *what) {
  return fmt::format("{} {}{}", n, what, n == "1" ? "" : "s");
}

void explainWork(Explanation &e, Session &session, const std::string &file) {
  e.work = workload(e.plan, e.forest->module(), e.forest->hardware(), session.expected());
  e.levels = levelNotes(e, file);
  e.alone = aloneText(e, session.notExpanded(), file);
  e.serial = serialNotes(e, session.notExpanded(), file);
  e.tunables = tunableNotes(e, file);
  e.sizes = sizesText(e, session);
}

std::string describeShares(const std::vector<UnitShare> &shares) {
  std::string text;
  for (const UnitShare &share : shares)
    text +=
        fmt::format("{}{} {} of {}", text.empty() ? "" : ", ", share.level,
                    share.busy ? std::to_string(*share.busy) : "up to " + std::to_string(share.workers), share.workers);
  return text;
}

std::string describeArguments(const Explanation &e, const RuleWork &rule) {
  const Spectrum *spectrum = spectrumOf(e.forest->module(), rule.node->spectrum);
  const std::vector<const Param *> *params = rule.codelet ? &rule.codelet->params
                                             : spectrum   ? &spectrum->params
                                                          : nullptr;
  std::string text;
  for (std::size_t i = 0; params && i < params->size() && i < rule.arguments.size(); ++i) {
    const Extents &extents = rule.arguments[i];
    if (std::none_of(extents.begin(), extents.end(), [](const auto &n) { return n.has_value(); })) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", (*params)[i]->name, extentsText(extents));
  }
  return text;
}

std::string describeEach(const RuleWork &rule) {
  std::optional<std::uint64_t> each = rule.elementsEach(), all = rule.elements(), lanes = rule.lanes();
  if (!each) return "";
  if (lanes && *all < *lanes) return fmt::format("{} of {} lanes have an element", *all, *lanes);
  return fmt::format("{} for each {}", plural(std::to_string(*each), "element"), lanes ? "lane" : rule.node->level);
}

std::string describeStep(const Explanation &e, const RuleWork &rule, const std::string &file) {
  std::string text = fmt::format("codelet {}{} at {} ({})", rule.node->codelet,
                                 rule.node->spectrum == e.plan.spectrum ? "" : " of " + rule.node->spectrum,
                                 rule.node->level, placeOf(rule, file));
  if (rule.fallback) text += ", where the codelet above does not fit";
  if (std::string shares = describeShares(rule.shares); !shares.empty()) text += ": " + shares;
  if (rule.loop.valid()) text += fmt::format("; once a turn of the loop at {}", place(rule.loop, file));
  if (std::string arguments = describeArguments(e, rule); !arguments.empty())
    text += fmt::format("; a call: {}", arguments);
  if (rule.turns && *rule.turns > 1) text += fmt::format("; {} calls one after the other", *rule.turns);
  if (std::string each = describeEach(rule); !each.empty()) text += "; " + each;
  return text;
}

std::string describeBusy(const LevelNote &note) {
  if (note.above.empty()) return "1";
  return fmt::format("{}{} of {} {} in each {}", note.busy ? "" : "up to ", note.busy.value_or(note.workers),
                     note.workers, note.iterations ? "unrolled" : "busy", note.above);
}

std::string describeLevel(const LevelNote &note) {
  std::string text = fmt::format("{}: {}", note.level, describeBusy(note));
  return note.why.empty() ? text : text + ": " + note.why;
}

Json workJson(const Explanation &e, const std::string &file) {
  const Module &module = e.forest->module();
  Json json{{"alone", e.alone.empty() ? Json(nullptr) : Json(e.alone)},
            {"serial", e.serial},
            {"sizes", e.sizes},
            {"levels", Json::array()},
            {"tunables", Json::array()},
            {"rules", Json::array()}};
  for (const LevelNote &note : e.levels)
    json["levels"].push_back(
        Json{{"level", note.level}, {"workers", note.workers}, {"busy", number(note.busy)}, {"why", note.why}});
  for (const TunableNote &note : e.tunables)
    json["tunables"].push_back(
        Json{{"name", note.name}, {"of", note.of}, {"level", note.level}, {"value", note.value}, {"from", note.from}});
  for (std::size_t i = 0; i < e.work.rules.size(); ++i) {
    const RuleWork &rule = e.work.rules[i];
    Json line{{"rule", describe(*rule.node)}, {"spectrum", rule.node->spectrum}, {"level", rule.node->level},
              {"depth", rule.depth},          {"computes", rule.computes()},     {"widest", i == e.work.widest},
              {"fallback", rule.fallback}};
    if (rule.codelet && rule.codelet->range.valid())
      line["place"] = Json{{"file", *rule.codelet->range.file}, {"line", rule.codelet->range.line}};
    if (rule.loop.valid()) line["loop"] = place(rule.loop, file);
    line["calls"] = number(rule.calls);
    line["turns"] = number(rule.turns);
    line["lanes"] = number(rule.lanes());
    line["elements-each"] = number(rule.elementsEach());
    line["arguments"] = Json::array();
    const Spectrum *spectrum = spectrumOf(module, rule.node->spectrum);
    for (std::size_t a = 0; spectrum && a < spectrum->params.size() && a < rule.arguments.size(); ++a) {
      Json sizes = Json::array();
      for (const std::optional<std::uint64_t> &extent : rule.arguments[a]) sizes.push_back(number(extent));
      line["arguments"].push_back(Json{{"name", spectrum->params[a]->name}, {"sizes", sizes}});
    }
    line["shares"] = Json::array();
    for (const UnitShare &share : rule.shares)
      line["shares"].push_back(Json{{"level", share.level}, {"workers", share.workers}, {"busy", number(share.busy)}});
    json["rules"].push_back(std::move(line));
  }
  return json;
}

} // namespace tangram::driver

// tangram explain --html
#include "ExplainCode.h"
#include "ExplainPicture.h"
#include "Markup.h"

#include "tangram/compose/Count.h"
#include "tangram/compose/Rules.h"

#include <filesystem>

namespace tangram::driver {
namespace {

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --back: #fff; --panel: #f6f8fa; --line: #d1d9e0;
  --busy: #1a7f37; --maybe: #bf8700; --warn: #fff1e5; --warnline: #bc4c00; --link: #0550ae; --mark: #fff8c5; --bar: #cfe6ff; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9198a1; --back: #0d1117; --panel: #161b22;
  --line: #3d444d; --busy: #3fb950; --maybe: #d29922; --warn: #2d1f12; --warnline: #db6d28; --link: #79b8ff;
  --mark: #3b3412; --bar: #1b3a5c; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: var(--text);
  background: var(--back); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
pre, code { font: 13px/1.45 ui-monospace, monospace; }
pre { background: var(--panel); padding: .7rem 1rem; overflow-x: auto; border-radius: 6px; margin: .4rem 0; }
h1 { font-size: 1.6rem; } h2 { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2.5rem; }
h3 { margin-bottom: .3rem; } summary { cursor: pointer; }
.tree details { margin: .2rem 0 .2rem .4rem; padding-left: .9rem; border-left: 2px solid var(--line); }
.tree details.why { border: 0; } .soft, .why { color: var(--soft); }
table { border-collapse: collapse; margin: .4rem 0; }
td, th { text-align: left; padding: .2rem .9rem .2rem 0; vertical-align: top; border-bottom: 1px solid var(--line); }
.alone { background: var(--warn); border-left: 4px solid var(--warnline); padding: .6rem 1rem; border-radius: 4px; }
.codelet { margin: .8rem 0; } .codelet:target summary, pre span:target { background: var(--mark); }
.time { display: inline-block; min-width: 5.5em; margin-right: .5rem; color: var(--soft); text-align: right;
  font-variant-numeric: tabular-nums; background: linear-gradient(to left, var(--bar) var(--share), transparent 0); }
.used { color: var(--busy); font-weight: 600; }
pre span { display: block; min-height: 1.45em; } pre span i { display: inline-block; width: 4em; color: var(--soft);
  font-style: normal; user-select: none; } pre span.from { border-left: 3px solid var(--busy); padding-left: 5px; }
pre span.other { border-left: 3px solid transparent; padding-left: 5px; }
svg.machine { width: 100%; max-width: 52rem; height: auto; font: 13px system-ui, sans-serif; }
svg text { fill: var(--text); } svg .name { font-weight: 700; }
svg .level { fill: none; stroke: var(--line); stroke-width: 1.5; } svg .level.idle { stroke-dasharray: 4 3; }
svg .unit { fill: var(--panel); stroke: var(--soft); stroke-width: .7; } svg .unit.busy { fill: var(--busy); }
svg .unit.maybe { fill: var(--maybe); }
</style>
)";

std::string quantity(const Count &n, const char *what) {
  constexpr std::size_t kLegible = 12; // digits
  std::string text = n.str();
  if (text.size() <= kLegible) return plural(text, what);
  return plural(fmt::format("{}.{} · 10<sup>{}</sup>", text.substr(0, 1), text.substr(1, 1), text.size() - 1), what);
}

/// The time of each node of a plan.
void times(const Prediction &prediction, const PlanNode &node, std::map<const PlanNode *, const Prediction *> &out) {
  out[&node] = &prediction;
  for (std::size_t i = 0; i < prediction.children.size() && i < node.children.size(); ++i)
    times(prediction.children[i], *node.children[i], out);
}

/// A line of a "<pre>" behind its number.
std::string numbered(unsigned number, const std::string &text, const std::string &attributes) {
  return fmt::format("<span{}><i>{}</i>{}\n</span>", attributes, number, escaped(text));
}

class Page {
public:
  Page(Session &session, const std::string &file, const std::vector<Explanation> &explanations)
      : s_(session), file_(file), explanations_(explanations) {}

  std::string text() {
    std::string title = escaped(fmt::format("{} on {}", file_, s_.target().name));
    std::string out = fmt::format("{}<title>{}</title></head><body>\n<h1>{}</h1>\n", kHead, title, title);
    if (!s_.target().summary.empty()) out += fmt::format("<p class=\"soft\">{}</p>\n", escaped(s_.target().summary));
    out += "<p>";
    for (std::size_t i = 0; i < explanations_.size(); ++i)
      out += fmt::format("<a href=\"#plan{}\">plan of {}</a> · ", i, escaped(explanations_[i].plan.spectrum));
    out += "<a href=\"#codelets\">codelets</a> · <a href=\"#code\">generated code</a> · <a href=\"#rules\">rules</a> · "
           "<a href=\"#source\">source</a></p>\n";
    for (const Explanation &e : explanations_) code_.push_back(generatedCode(s_, e, file_));
    for (std::size_t i = 0; i < explanations_.size(); ++i) out += plan(i);
    out += codelets() + generated() + ruleLists() + source();
    return out + "</body></html>\n";
  }

private:
  // ---- anchors ------------------------------------------------------------------------------------------

  std::string anchor(const ast::Codelet *codelet) {
    auto [it, fresh] = anchors_.try_emplace(codelet, anchors_.size());
    return fmt::format("codelet{}", it->second);
  }
  static std::string lineAnchor(std::size_t plan, std::size_t file, std::size_t line) {
    return fmt::format("code{}-{}-{}", plan, file, line + 1);
  }

  /// Lines of a plan's code, without others between them, that come from one codelet.
  struct Run {
    std::size_t file = 0, begin = 0, end = 0;
  };
  std::vector<Run> runs(std::size_t plan, const ast::Codelet *codelet) const {
    std::vector<Run> result;
    const std::vector<CodeFile> &files = code_[plan].files;
    for (std::size_t f = 0; f < files.size(); ++f)
      for (std::size_t i = 0; i < files[f].lines.size(); ++i) {
        if (files[f].lines[i].from != codelet) continue;
        if (result.empty() || result.back().file != f || result.back().end != i)
          result.push_back({f, i, i + 1});
        else
          ++result.back().end;
      }
    return result;
  }
  std::string link(std::size_t plan, const Run &run) const {
    std::string lines =
        run.end - run.begin == 1 ? std::to_string(run.begin + 1) : fmt::format("{}–{}", run.begin + 1, run.end);
    return fmt::format("<a href=\"#{}\">{}:{}</a>", lineAnchor(plan, run.file, run.begin),
                       escaped(code_[plan].files[run.file].name), lines);
  }
  /// All places, or the longest and how many others the codelet's own entry lists.
  std::string codeLinks(std::size_t plan, const ast::Codelet *codelet, bool all) {
    constexpr std::size_t kMost = 40;
    std::vector<Run> found = runs(plan, codelet);
    if (found.empty()) return "";
    if (!all) {
      const Run &longest = *std::max_element(
          found.begin(), found.end(), [](const Run &a, const Run &b) { return a.end - a.begin < b.end - b.begin; });
      std::string text = "code " + link(plan, longest);
      if (found.size() > 1) text += fmt::format(" and <a href=\"#{}\">{} more</a>", anchor(codelet), found.size() - 1);
      return text;
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kMost); ++i) text += (i ? ", " : "") + link(plan, found[i]);
    if (found.size() > kMost) text += fmt::format(" and {} more", found.size() - kMost);
    return text;
  }

  // ---- plans --------------------------------------------------------------------------------------------

  std::string plan(std::size_t index) {
    const Explanation &e = explanations_[index];
    std::string out =
        fmt::format("<h2 id=\"plan{}\">Plan of spectrum <code>{}</code></h2>\n", index, escaped(e.plan.spectrum));
    if (!e.alone.empty()) out += fmt::format("<p class=\"alone\"><b>{}</b></p>\n", escaped(e.alone));
    for (const std::string &loop : e.serial) out += fmt::format("<p class=\"alone\">{}</p>\n", escaped(loop));
    out += fmt::format("<p>Chosen by {}, of {} within {} rules of depth.</p>\n<h3>Who works, where the plan is "
                       "widest</h3>\n{}",
                       escaped(e.heuristic), quantity(e.forest->count(), "plan"), e.forest->depth(),
                       machinePicture(e.levels, escaped("levels of " + e.target)));
    out += "<ul>";
    for (const LevelNote &level : e.levels)
      if (!level.above.empty()) out += fmt::format("<li>{}</li>\n", escaped(describeLevel(level)));
    out += "</ul>\n";
    out += fmt::format("<p>Sizes: {}.</p>\n", escaped(e.sizes));
    out += "<h3>The plan</h3>\n<p class=\"soft\">Names of codelets lead to their source, lines to the generated code.";
    times_.clear();
    if (e.prediction) {
      times(*e.prediction, *e.plan.root, times_);
      out += fmt::format(" {} predicts {} in all; in front of each part stands what it takes of that.",
                         escaped(e.heuristic), seconds(e.prediction->seconds));
    }
    out += "</p>\n<div class=\"tree\">\n";
    for (std::size_t at = 0; at < e.work.rules.size();) tree(index, at, out);
    out += "</div>\n" + steps(e) + tunables(e);
    out += fmt::format("<details><summary>The plan as text, and in the dissertation's notation</summary>\n<pre>{}</pre>"
                       "<pre>{}</pre></details>\n",
                       escaped(tangram::print(e.plan)), escaped(e.notation));
    return out;
  }

  /// Rules come in preorder with their depth: nested details.
  void tree(std::size_t plan, std::size_t &at, std::string &out) {
    const Explanation &e = explanations_[plan];
    const RuleWork &rule = e.work.rules[at];
    const ChosenPoint *chosen = nullptr; // a plan of a file may hold what the forest has not
    for (const ChosenPoint &c : e.chosen)
      if (c.node == rule.node && c.indent == rule.depth) chosen = &c;
    std::string what = escaped(describe(*rule.node));
    if (rule.codelet) what = fmt::format("<a href=\"#{}\">{}</a>", anchor(rule.codelet), what);
    out += fmt::format("<details open><summary>{}<b>{}</b> <span class=\"soft\">of <code>{}</code> at {}</span>",
                       time(e, *rule.node), what, escaped(rule.node->spectrum), escaped(rule.node->level));
    if (rule.fallback) out += " <span class=\"soft\">where the codelet above does not fit</span>";
    std::vector<std::string> facts;
    const bool stands = !rule.codelet || (rule.site && ast::isa<ast::SpectrumCall>(rule.site));
    if (stands && rule.site && rule.site->range.valid()) facts.push_back(escaped(place(rule.site->range, file_)));
    if (rule.loop.valid()) facts.push_back("once a turn of the loop at " + escaped(place(rule.loop, file_)));
    if (rule.calls && (chosen ? e.forest->point(chosen->id).isMap : false))
      facts.push_back(plural(std::to_string(*rule.calls), "call"));
    if (rule.computes()) facts.push_back(escaped(describeShares(rule.shares)));
    if (std::string arguments = describeArguments(e, rule); !arguments.empty()) facts.push_back(escaped(arguments));
    facts.push_back(escaped(describeEach(rule)));
    if (rule.codelet)
      if (std::string links = codeLinks(plan, rule.codelet, false); !links.empty()) facts.push_back(links);
    std::erase(facts, "");
    if (!facts.empty()) out += fmt::format(" · {}", fmt::join(facts, " · "));
    out += "</summary>\n";
    if (chosen) {
      const std::vector<Rejection> rejections = e.forest->rejections(chosen->id);
      if (!chosen->values.empty() || !chosen->others.empty() || !rejections.empty()) {
        out += "<details class=\"why\"><summary>why</summary><ul>";
        if (!chosen->values.empty())
          out += fmt::format("<li>rather than with {}</li>\n",
                             escaped(fmt::format("{}", fmt::join(chosen->values, ", with "))));
        for (const auto &[other, why] : chosen->others)
          out += fmt::format("<li>rather than {}{}{}</li>\n", escaped(other), why.empty() ? "" : ": ", escaped(why));
        for (const Rejection &r : rejections)
          out += fmt::format("<li>not allowed: {}: {}</li>\n", escaped(describe(r)), escaped(r.reason));
        out += "</ul></details>\n";
      }
    }
    const unsigned depth = rule.depth;
    ++at;
    while (at < e.work.rules.size() && e.work.rules[at].depth > depth) tree(plan, at, out);
    out += "</details>\n";
  }

  /// What a node is predicted to take, its share as a bar, and what of it limits a codelet.
  std::string time(const Explanation &e, const PlanNode &node) const {
    auto known = times_.find(&node);
    if (known == times_.end()) return "";
    const Prediction &p = *known->second;
    const double calls = p.seconds > 0 ? p.all / p.seconds : 0;
    std::string parts;
    for (const Prediction::Part &part : p.parts)
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", part.name, seconds(part.seconds * calls));
    return fmt::format("<span class=\"time\" style=\"--share: {:.0f}%\" title=\"{}\">{}</span>",
                       100 * p.all / std::max(e.prediction->seconds, p.all), escaped(parts), seconds(p.all));
  }

  std::string steps(const Explanation &e) {
    std::string out =
        "<h3>Steps</h3>\n<table><tr><th>codelet<th>units<th>of a call<th>one after the other<th>each</tr>\n";
    for (const RuleWork &rule : e.work.rules) {
      if (!rule.computes() || !rule.codelet) continue;
      std::string each = describeEach(rule),
                  turns = rule.turns ? plural(std::to_string(*rule.turns), "call") : "not known";
      if (rule.loop.valid()) turns += fmt::format(", a turn of the loop at {}", place(rule.loop, file_));
      std::string arguments = describeArguments(e, rule);
      out += fmt::format("<tr><td><a href=\"#{}\"><code>{}</code></a>{}<td>{}<td>{}<td>{}<td>{}</tr>\n",
                         anchor(rule.codelet), escaped(rule.node->spectrum + "." + rule.node->codelet),
                         rule.fallback ? " (fallback)" : "", escaped(describeShares(rule.shares)),
                         escaped(arguments.empty() ? "not known" : arguments), escaped(turns),
                         each.empty() ? "not known" : escaped(each));
    }
    return out + "</table>\n";
  }

  static std::string tunables(const Explanation &e) {
    if (e.tunables.empty()) return "";
    std::string out = "<h3>Tunables</h3>\n<table>\n";
    for (const TunableNote &t : e.tunables)
      out += fmt::format("<tr><td><code>{}={}</code><td>{} at {}<td>{}</tr>\n", escaped(t.name), t.value, escaped(t.of),
                         escaped(t.level), escaped(t.from));
    return out + "</table>\n";
  }

  // ---- codelets -----------------------------------------------------------------------------------------

  std::string codeletKind(const ast::Codelet *c) {
    auto it = s_.facts().codelets.find(c);
    if (it == s_.facts().codelets.end()) return c->coop ? "cooperative" : "";
    const Parallelism &p = it->second;
    std::string text = p.cooperative ? "atomic, cooperative" : p.compound ? "compound" : "atomic, autonomous";
    if (p.recursive) text += ", recursive";
    if (p.hasTunable) text += ", tunable";
    return text;
  }

  bool used(const ast::Codelet *codelet) const {
    for (const Explanation &e : explanations_)
      for (const RuleWork &rule : e.work.rules)
        if (rule.codelet == codelet) return true;
    return false;
  }

  const std::vector<std::string> &linesOf(const std::string &path) {
    auto [it, fresh] = files_.try_emplace(path);
    std::error_code ec;
    if (fresh && std::filesystem::is_regular_file(path, ec)) {
      const std::string text = readFile(path);
      for (std::size_t at = 0; at < text.size();) {
        std::size_t end = std::min(text.find('\n', at), text.size());
        it->second.push_back(text.substr(at, end - at));
        at = end + 1;
      }
    }
    return it->second;
  }

  std::string codelets() {
    std::string out = "<h2 id=\"codelets\">Codelets of all spectrums</h2>\n";
    for (const ast::Spectrum *spectrum : s_.module().spectrums) {
      out += fmt::format("<h3>spectrum <code>{}</code></h3>\n<table><tr><th>codelet<th>place<th>kind",
                         escaped(spectrum->name));
      for (const hardware::Level &l : s_.target().hardware.levels) out += "<th>" + escaped(l.name);
      out += "</tr>\n";
      for (const ast::Codelet *c : spectrum->codelets) {
        out += fmt::format("<tr><td><a href=\"#{}\"><code>{}</code></a><td>{}<td>{}", anchor(c), escaped(c->name),
                           escaped(place(c->range, file_)), escaped(codeletKind(c)));
        for (const hardware::Level &l : s_.target().hardware.levels) {
          auto it = s_.facts().matches.find({c, l.name});
          bool allowed = it != s_.facts().matches.end() && it->second.allowed;
          std::string why = it == s_.facts().matches.end() ? "" : it->second.reason;
          out += allowed ? "<td>yes" : fmt::format("<td class=\"soft\" title=\"{}\">no", escaped(why));
        }
        out += "</tr>\n";
      }
      out += "</table>\n";
      for (const ast::Codelet *c : spectrum->codelets) out += codelet(*spectrum, c);
    }
    return out;
  }

  std::string codelet(const ast::Spectrum &spectrum, const ast::Codelet *c) {
    std::string out = fmt::format(
        "<details class=\"codelet\" id=\"{}\" open><summary><code>{}.{}</code> <span class=\"soft\">{}</span>{}"
        "</summary>\n",
        anchor(c), escaped(spectrum.name), escaped(c->name), escaped(place(c->range, file_)),
        used(c) ? " <span class=\"used\">in the plan</span>" : "");
    for (std::size_t i = 0; i < explanations_.size(); ++i)
      if (std::string links = codeLinks(i, c, true); !links.empty())
        out +=
            fmt::format("<p class=\"soft\">generated for {}: {}</p>\n", escaped(explanations_[i].plan.spectrum), links);
    if (!c->range.valid()) return out + "</details>\n";
    const std::vector<std::string> &lines = linesOf(*c->range.file);
    out += "<pre>";
    for (unsigned line = c->range.line; line <= c->range.endLine && line >= 1 && line <= lines.size(); ++line)
      out += numbered(line, lines[line - 1], "");
    return out + "</pre></details>\n";
  }

  // ---- what is long ---------------------------------------------------------------------------------------

  std::string generated() {
    std::string out = "<h2 id=\"code\">Generated code</h2>\n";
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const GeneratedCode &code = code_[i];
      out += fmt::format("<h3>for <code>{}</code></h3>\n", escaped(explanations_[i].plan.spectrum));
      if (!code.none.empty()) out += fmt::format("<p>There is none: {}.</p>\n", escaped(code.none));
      for (std::size_t f = 0; f < code.files.size(); ++f) {
        const CodeFile &file = code.files[f];
        bool any = std::any_of(file.lines.begin(), file.lines.end(), [](const CodeLine &line) { return line.from; });
        out += fmt::format("<details{}><summary><code>{}</code> <span class=\"soft\">{}</span></summary>\n<pre>",
                           any ? " open" : "", escaped(file.name), plural(std::to_string(file.lines.size()), "line"));
        for (std::size_t line = 0; line < file.lines.size(); ++line) {
          const ast::Codelet *from = file.lines[line].from;
          std::string attributes =
              fmt::format(" id=\"{}\" class=\"{}\"{}", lineAnchor(i, f, line), from ? "from" : "other",
                          from ? fmt::format(" title=\"codelet {}\"", escaped(from->name)) : "");
          out += numbered(static_cast<unsigned>(line + 1), file.lines[line].text, attributes);
        }
        out += "</pre></details>\n";
      }
    }
    return out;
  }

  std::string ruleLists() {
    std::string out = "<h2 id=\"rules\">Composition rules</h2>\n";
    for (const Explanation &e : explanations_) {
      out += fmt::format("<details><summary>rules of <code>{}</code></summary>\n<pre>{}</pre>\n",
                         escaped(e.plan.spectrum), escaped(tangram::print(rules(s_.module(), e.plan.spectrum), true)));
      for (const hardware::Level &level : s_.target().hardware.levels)
        out += fmt::format("<p>at {}:</p><pre>{}</pre>\n", escaped(level.name),
                           escaped(tangram::print(rules(s_.module(), s_.target().hardware, s_.facts(), e.plan.spectrum,
                                                        level.name, MapRules::All))));
      out += "</details>\n";
    }
    return out;
  }

  std::string source() {
    std::string out = fmt::format("<h2 id=\"source\">Source</h2>\n<details><summary><code>{}</code></summary>\n<pre>",
                                  escaped(file_));
    unsigned number = 0;
    for (const std::string &line : linesOf(file_)) out += numbered(++number, line, "");
    return out + "</pre></details>\n";
  }

  Session &s_;
  const std::string &file_;
  const std::vector<Explanation> &explanations_;
  std::vector<GeneratedCode> code_;
  std::map<const PlanNode *, const Prediction *> times_; // of the plan at hand
  std::map<const ast::Codelet *, std::size_t> anchors_;
  std::map<std::string, std::vector<std::string>> files_;
};

} // namespace

std::string explanationPage(Session &session, const std::string &file, const std::vector<Explanation> &explanations) {
  return Page(session, file, explanations).text();
}

} // namespace tangram::driver

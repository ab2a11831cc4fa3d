// tangram explain --html
#include "Explain.h"

#include "tangram/compose/Rules.h"

namespace tangram::driver {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    default: result += c;
    }
  return result;
}

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #222; }
pre, code { font: 13px/1.45 ui-monospace, monospace; }
pre { background: #f5f5f2; padding: .7rem 1rem; overflow-x: auto; border-radius: 4px; }
details { margin: .15rem 0 .15rem 1.2rem; } details > p, details > ul { margin: .2rem 0 .2rem 1.2rem; }
summary { cursor: pointer; } .leaf { margin-left: 1.2rem; } .why { color: #666; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; }
h2 { border-top: 1px solid #ccc; padding-top: 1rem; }
</style>
)";

/// Points come in preorder with their depth: nested details.
void tree(const Explanation &e, std::size_t &at, std::string &out) {
  const ChosenPoint &c = e.chosen[at];
  const Point &p = e.forest->point(c.id);
  out += fmt::format("<details open><summary><code>{}</code>: <b>{}</b></summary>\n", escaped(goal(p)),
                     escaped(describe(*c.node)));
  if (!c.others.empty() || !p.rejections.empty()) {
    out += "<ul class=\"why\">";
    for (const auto &[what, why] : c.others)
      out += fmt::format("<li>rather than {}{}{}</li>\n", escaped(what), why.empty() ? "" : ": ", escaped(why));
    for (const Rejection &r : p.rejections)
      out += fmt::format("<li>not allowed: {}: {}</li>\n", escaped(describe(r)), escaped(r.reason));
    out += "</ul>\n";
  }
  unsigned indent = c.indent;
  ++at;
  while (at < e.chosen.size() && e.chosen[at].indent > indent) tree(e, at, out);
  out += "</details>\n";
}

std::string codeletKind(const Facts &facts, const ast::Codelet *c) {
  auto it = facts.codelets.find(c);
  if (it == facts.codelets.end()) return c->coop ? "cooperative" : "";
  const Parallelism &p = it->second;
  std::string text = p.cooperative ? "atomic, cooperative" : p.compound ? "compound" : "atomic, autonomous";
  if (p.recursive) text += ", recursive";
  if (p.hasTunable) text += ", tunable";
  return text;
}

std::string codelets(Session &s, const std::string &spectrum) {
  std::string out = "<table><tr><th>codelet<th>line<th>kind";
  for (const hardware::Level &l : s.target().hardware.levels) out += "<th>" + escaped(l.name);
  out += "</tr>\n";
  for (const ast::Spectrum *sp : s.module().spectrums) {
    if (sp->name != spectrum) continue;
    for (const ast::Codelet *c : sp->codelets) {
      out += fmt::format("<tr><td><code>{}</code><td>{}<td>{}", escaped(c->name), c->range.line,
                         escaped(codeletKind(s.facts(), c)));
      for (const hardware::Level &l : s.target().hardware.levels) {
        auto it = s.facts().matches.find({c, l.name});
        bool allowed = it != s.facts().matches.end() && it->second.allowed;
        std::string why = it == s.facts().matches.end() ? "" : it->second.reason;
        out += allowed ? "<td>yes" : fmt::format("<td class=\"why\">no: {}", escaped(why));
      }
      out += "</tr>\n";
    }
  }
  return out + "</table>\n";
}

} // namespace

std::string explanationPage(Session &s, const std::string &file, const std::vector<Explanation> &explanations) {
  std::string title = escaped(fmt::format("{} on {}", file, s.target().name));
  std::string out = fmt::format("{}<title>{}</title></head><body>\n<h1>{}</h1>\n", kHead, title, title);
  for (const Explanation &e : explanations) {
    out +=
        fmt::format("<h2>spectrum <code>{}</code></h2>\n<p>{} plans within {} rules of depth, held in a forest of {} "
                    "points with {} alternatives.</p>\n<h3>Codelets and where they can run</h3>\n{}",
                    escaped(e.plan.spectrum), e.forest->count().str(), e.forest->depth(), e.forest->size(),
                    e.alternatives, codelets(s, e.plan.spectrum));
    out += fmt::format("<h3>Plan, chosen by {}</h3>\n<pre>{}</pre>\n<p><code>{}</code></p>\n<h3>Why</h3>\n",
                       escaped(e.heuristic), escaped(tangram::print(e.plan)), escaped(e.notation));
    for (std::size_t at = 0; at < e.chosen.size();) tree(e, at, out);
    out += fmt::format("<h3>Composition rules</h3>\n<pre>{}</pre>\n",
                       escaped(tangram::print(rules(s.module(), e.plan.spectrum), true)));
    for (const hardware::Level &level : s.target().hardware.levels)
      out += fmt::format("<p>at {}:</p><pre>{}</pre>\n", escaped(level.name),
                         escaped(tangram::print(rules(s.module(), s.target().hardware, s.facts(), e.plan.spectrum,
                                                      level.name, MapRules::All))));
  }
  out += fmt::format("<h2>Source</h2>\n<pre>{}</pre>\n</body></html>\n", escaped(readFile(file)));
  return out;
}

} // namespace tangram::driver

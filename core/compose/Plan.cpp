#include "tangram/compose/Plan.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace tangram {

std::string_view name(Rule rule) {
  static constexpr std::array<std::string_view, 8> names{"select",     "devolve",   "compute", "regroup",
                                                         "distribute", "serialize", "split",   "cascade"};
  return names[static_cast<std::size_t>(rule)];
}

bool PlanNode::operator==(const PlanNode &other) const {
  auto same = [](const PlanPtr &a, const PlanPtr &b) { return a == b || (a && b && *a == *b); };
  return rule == other.rule && spectrum == other.spectrum && level == other.level && codelet == other.codelet &&
         capability == other.capability && to == other.to && guarded == other.guarded && condition == other.condition &&
         parameters == other.parameters &&
         std::equal(children.begin(), children.end(), other.children.begin(), other.children.end(), same);
}

namespace {
bool same(const PlanPtr &a, const PlanPtr &b) { return a == b || (a && b && *a == *b); }
} // namespace

bool PlanCase::operator==(const PlanCase &other) const { return when == other.when && same(root, other.root); }

bool Plan::operator==(const Plan &other) const {
  return spectrum == other.spectrum && target == other.target && sources == other.sources && cases == other.cases &&
         same(root, other.root);
}

std::vector<Plan> plansOf(const Plan &plan) {
  std::vector<Plan> result;
  Plan one = plan;
  one.cases.clear();
  for (const PlanCase &c : plan.cases) {
    one.root = c.root;
    result.push_back(one);
  }
  one.root = plan.root;
  result.push_back(std::move(one));
  return result;
}

Plan planFor(const Plan &plan, const SizeOf &size) {
  std::size_t at = 0;
  while (at < plan.cases.size() && !holds(plan.cases[at].when, size)) ++at;
  return plansOf(plan)[at];
}

namespace {

std::string word(const std::string &name) {
  bool plain = !name.empty() && name[0] != '#' && name[0] != ',';
  for (unsigned char c : name)
    plain &= std::isalnum(c) || std::string_view("_-.:<>,").find(c) != std::string_view::npos;
  if (plain && name.back() != ',') return name;
  std::string out = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string head(const PlanNode &node, const std::string &inherited, bool root) {
  std::string out(name(node.rule));
  if (node.rule == Rule::Select) out += ' ' + word(node.codelet);
  if (node.spectrum != inherited) out += " of " + word(node.spectrum);
  if (node.rule == Rule::Select) out += " at " + word(node.level);
  if (node.rule == Rule::Devolve && root) out += " from " + word(node.level);
  if (!node.to.empty()) out += " to " + word(node.to);
  if (node.capability == ast::Capability::Vector || node.capability == ast::Capability::Matrix)
    out += fmt::format(" as {}", ast::name(node.capability));
  std::string_view separator = " with ";
  for (const auto &[parameter, value] : node.parameters) {
    out += fmt::format("{}{}={}", separator, parameter, value);
    separator = ", ";
  }
  if (node.guarded) out += " if " + (node.condition.empty() ? std::string("required") : node.condition);
  return out;
}

/// `top`: the indentation of a rule that belongs to no other.
void printNode(const PlanNode &node, const std::string &inherited, unsigned indent, unsigned top, bool isElse,
               std::string &out) {
  out +=
      std::string(std::size_t{2} * indent, ' ') + (isElse ? "else " : "") + head(node, inherited, indent == top) + '\n';
  for (std::size_t i = 0; i < node.children.size(); ++i)
    printNode(*node.children[i], node.spectrum, indent + 1, top, node.guarded && i + 1 == node.children.size(), out);
}

void keyOf(const PlanNode &node, const std::string &inherited, std::string &out) {
  if (node.rule == Rule::Select)
    out += node.codelet;
  else
    out += name(node.rule);
  if (node.spectrum != inherited) out += ':' + node.spectrum;
  out += node.rule == Rule::Select ? '@' + node.level : node.to.empty() ? "" : '>' + node.to;
  if (!node.parameters.empty()) {
    std::vector<std::string> values;
    for (const auto &[parameter, value] : node.parameters) values.push_back(fmt::format("{}={}", parameter, value));
    out += fmt::format("({})", fmt::join(values, ","));
  }
  if (node.guarded) out += '?';
  if (node.children.empty()) return;
  out += '[';
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (i) out += ' ';
    keyOf(*node.children[i], node.spectrum, out);
  }
  out += ']';
}

} // namespace

hardware::Units unitsOf(const PlanNode &node) {
  if (node.rule == Rule::Select) return {};
  hardware::Units units = node.parameters;
  units.erase("factor");
  units.erase("grain");
  return units;
}

bool isMapRule(const PlanNode &node) {
  return node.rule == Rule::Distribute || node.rule == Rule::Serialize || node.rule == Rule::Split;
}

Chunks::Chunks(const std::map<std::string, std::int64_t> &parameters) {
  const auto value = [&](const char *name) {
    const auto it = parameters.find(name);
    return it == parameters.end() || it->second < 1 ? 1 : static_cast<std::uint64_t>(it->second);
  };
  factor = value("factor");
  grain = value("grain");
}

std::uint64_t Chunks::calls(std::uint64_t all) const {
  const std::uint64_t even = all / factor + (all % factor != 0), over = even % grain;
  return over == 0 ? even : even + (grain - over);
}

std::uint64_t Chunks::busy(std::uint64_t all) const {
  if (all == 0) return 0;
  const std::uint64_t each = calls(all);
  return all / each + (all % each != 0);
}

std::string print(const Plan &plan) {
  std::string out = fmt::format("plan {} for {}\n", word(plan.spectrum), word(plan.target));
  for (const auto &[spectrum, hash] : plan.sources) out += fmt::format("source {} {:016x}\n", word(spectrum), hash);
  if (!plan.device.empty()) out += fmt::format("device {}\n", word(plan.device));
  if (!plan.compiler.empty()) out += fmt::format("compiler {}\n", word(plan.compiler));
  for (const PlanCase &c : plan.cases) {
    out += fmt::format("when {}\n", print(c.when));
    printNode(*c.root, plan.spectrum, 1, 1, false, out);
  }
  const unsigned top = plan.cases.empty() ? 0 : 1;
  if (top) out += "otherwise\n";
  if (plan.root) printNode(*plan.root, plan.spectrum, top, top, false, out);
  return out;
}

std::string key(const Plan &plan) {
  std::string out = plan.spectrum + " on " + plan.target + ": ";
  for (const PlanCase &c : plan.cases) {
    out += fmt::format("if {}: ", print(c.when));
    keyOf(*c.root, plan.spectrum, out);
    out += "; ";
  }
  if (!plan.cases.empty()) out += "else: ";
  if (plan.root) keyOf(*plan.root, plan.spectrum, out);
  return out;
}

} // namespace tangram

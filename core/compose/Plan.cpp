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

bool Plan::operator==(const Plan &other) const {
  return spectrum == other.spectrum && target == other.target && sources == other.sources &&
         (root == other.root || (root && other.root && *root == *other.root));
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

void printNode(const PlanNode &node, const std::string &inherited, unsigned indent, bool isElse, std::string &out) {
  out +=
      std::string(std::size_t{2} * indent, ' ') + (isElse ? "else " : "") + head(node, inherited, indent == 0) + '\n';
  for (std::size_t i = 0; i < node.children.size(); ++i)
    printNode(*node.children[i], node.spectrum, indent + 1, node.guarded && i + 1 == node.children.size(), out);
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
  return units;
}

std::string print(const Plan &plan) {
  std::string out = fmt::format("plan {} for {}\n", word(plan.spectrum), word(plan.target));
  for (const auto &[spectrum, hash] : plan.sources) out += fmt::format("source {} {:016x}\n", word(spectrum), hash);
  if (plan.root) printNode(*plan.root, plan.spectrum, 0, false, out);
  return out;
}

std::string key(const Plan &plan) {
  std::string out = plan.spectrum + " on " + plan.target + ": ";
  if (plan.root) keyOf(*plan.root, plan.spectrum, out);
  return out;
}

} // namespace tangram

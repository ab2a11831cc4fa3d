#include "tangram/compose/Rules.h"

#include "Notation.h"
#include "tangram/compose/Sizes.h"

namespace tangram {

using namespace ast;

namespace {

constexpr DiagnosticKind kUnknownName{"rules.unknown", DiagnosticClass::User, "there is no {0} '{1}'", "use {2}"};

const Spectrum &require(const Module &module, const std::string &name) {
  if (const Spectrum *found = findSpectrum(module, name)) return *found;
  std::vector<std::string> names;
  for (const Spectrum *s : module.spectrums) names.push_back(s->name);
  fail(kUnknownName, {}, "spectrum", name, names.empty() ? "a source that declares one" : suggest(name, names));
}

/// How a level and the one below it are written.
struct Symbols {
  std::string level, below;
};

/// What stands behind the arrow for a codelet; `policies` has a rule for each of its maps.
std::string body(const Codelet &codelet, const Symbols &at, Capability atomic, const std::vector<Rule> &policies) {
  std::vector<const Expr *> all = compositions(codelet);
  std::vector<std::string> out;
  std::size_t map = 0;
  bool atomicOnly = true;
  for (const Expr *e : all) {
    if (isa<Partition>(e)) {
      out.push_back(words::regroup(words::scheme(all, e, codelet.name), at.level));
      continue;
    }
    atomicOnly = false;
    if (const SpectrumCall *call = dyn<SpectrumCall>(e)) {
      out.push_back(fmt::format("compose({}, {})", call->spectrum, at.level));
      continue;
    }
    const std::string &name = as<Map>(e)->spectrum;
    switch (policies[map++]) {
    case Rule::Serialize: out.push_back(fmt::format("serial({1}), compose({0}, {1})", name, at.level)); break;
    case Rule::Split:
      out.push_back(fmt::format("split(..., {1}), distribute({2}), compose(map({0}), {2})", name, at.level, at.below));
      break;
    default: out.push_back(fmt::format("distribute({1}), compose({0}, {1})", name, at.below));
    }
  }
  if (atomicOnly || codelet.coop) out.push_back(words::compute(codelet.name, atomic, at.level));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::size_t countMaps(const Codelet &codelet) {
  std::size_t maps = 0;
  for (const Expr *e : sites(codelet)) maps += isa<Map>(e);
  return maps;
}

CompositionRule devolve(const std::string &spectrum, const Symbols &at, std::string name) {
  return {std::move(name), fmt::format("compose({}, {})", spectrum, at.level),
          fmt::format("S_{0}, devolve({1}), compose({2}, {1})", at.level, at.below, spectrum), "derived from Devolve"};
}

std::string origin(const Codelet &codelet) { return fmt::format("derived from codelet {0} (c_{0})", codelet.name); }

} // namespace

std::vector<CompositionRule> rules(const Module &module, const std::string &spectrum) {
  const Spectrum &s = require(module, spectrum);
  Symbols any{"L", "l_L"};
  std::vector<CompositionRule> result{devolve(s.name, any, "Rule1")};
  for (const Codelet *codelet : s.codelets)
    result.push_back({fmt::format("Rule{}", result.size() + 1), fmt::format("compose({}, L)", s.name),
                      body(*codelet, any, codelet->coop ? Capability::Vector : Capability::Scalar,
                           std::vector<Rule>(countMaps(*codelet), Rule::Distribute)),
                      origin(*codelet)});
  return result;
}

std::vector<CompositionRule> rules(const Module &module, const hardware::Hardware &hardware, const Facts &facts,
                                   const std::string &spectrum, const std::string &level, MapRules maps) {
  const Spectrum &s = require(module, spectrum);
  const hardware::Level *at = hardware.find(level);
  if (!at) fail(kUnknownName, {}, "level", level, suggest(level, hardware.levelNames()));
  const hardware::Level *below = hardware.below(*at);
  auto symbol = [](const hardware::Level *l) { return !l ? "" : l->symbol.empty() ? l->name : l->symbol; };
  Symbols symbols{symbol(at), symbol(below)};

  std::vector<CompositionRule> result;
  if (below) result.push_back(devolve(s.name, symbols, symbols.level + "1"));
  std::vector<Rule> policies;
  if (below) policies.push_back(Rule::Distribute);
  if (maps == MapRules::All && at->computes()) policies.push_back(Rule::Serialize);
  if (maps == MapRules::All && below) policies.push_back(Rule::Split);

  for (std::size_t c = 0; c < s.codelets.size(); ++c) {
    const Codelet &codelet = *s.codelets[c];
    auto match = facts.matches.find({&codelet, at->name});
    if (match == facts.matches.end() || !match->second.allowed) continue;
    std::size_t count = countMaps(codelet);
    if (count > 0 && policies.empty()) continue;
    // Every combination of policies for its maps.
    std::vector<std::size_t> digits(count, 0);
    for (bool more = true; more;) {
      std::vector<Rule> chosen;
      std::string name = fmt::format("{}{}", symbols.level, c + 2);
      for (std::size_t digit : digits) {
        chosen.push_back(policies[digit]);
        if (maps == MapRules::All)
          name += chosen.back() == Rule::Distribute ? 'd' : chosen.back() == Rule::Serialize ? 's' : 'p';
      }
      result.push_back({name, fmt::format("compose({}, {})", s.name, symbols.level),
                        body(codelet, symbols, match->second.capability, chosen), origin(codelet)});
      more = false;
      for (std::size_t i = count; i-- > 0 && !more;) {
        more = ++digits[i] < policies.size();
        if (!more) digits[i] = 0;
      }
    }
  }
  return result;
}

namespace {

/// A derivation, step by step: what is derived already, and what is left to compose.
class Derivation {
public:
  Derivation(const Spectrum &spectrum, const Codelet &codelet)
      : spectrum_(spectrum), codelet_(codelet), all_(compositions(codelet)) {}

  std::vector<std::string> run() {
    lines_.push_back(fmt::format("compose({}, L)", spectrum_.name));
    step(fmt::format("compose(c_{}, L)", codelet_.name), "Select");
    if (all_.empty()) {
      step(words::compute(codelet_.name, codelet_.coop ? Capability::Vector : Capability::Scalar, "L"), "Compute");
      return std::move(lines_);
    }
    // Outermost expressions in order; what is nested in one comes out of it by Cascade.
    std::set<const Expr *> nested;
    for (const Expr *e : all_)
      for (const Expr *inner : operands(e)) nested.insert(inner);
    for (const Expr *e : all_)
      if (!nested.count(e)) left_.push_back({e, true});
    show(fmt::format("expand c_{}", codelet_.name));
    while (!left_.empty()) next();
    return std::move(lines_);
  }

private:
  struct Item {
    const Expr *expr = nullptr;
    bool whole = false; // its operands are not composed yet
  };

  static const std::vector<const Expr *> &arguments(const Expr *e) {
    static const std::vector<const Expr *> none;
    if (isa<Map>(e)) return as<Map>(e)->args;
    return isa<SpectrumCall>(e) ? as<SpectrumCall>(e)->args : none;
  }
  std::vector<const Expr *> operands(const Expr *e) const {
    std::vector<const Expr *> result;
    for (const Expr *arg : arguments(e)) {
      const Expr *operand = withoutCasts(arg);
      for (const Expr *known : all_)
        if (known == operand) result.push_back(operand);
    }
    return result;
  }

  std::string expression(const Expr *e, bool whole) const {
    if (isa<Partition>(e)) return fmt::format("partition(..., {})", words::scheme(all_, e, codelet_.name));
    std::vector<std::string> args;
    for (const Expr *inner : whole ? operands(e) : std::vector<const Expr *>{}) args.push_back(expression(inner, true));
    if (args.size() < arguments(e).size()) args.push_back("...");
    const std::string &callee = isa<Map>(e) ? as<Map>(e)->spectrum : as<SpectrumCall>(e)->spectrum;
    if (isa<Map>(e)) return fmt::format("map({}, {})", callee, fmt::join(args, ", "));
    return whole && !operands(e).empty() ? fmt::format("{}({})", callee, fmt::join(args, ", ")) : callee;
  }

  void next() {
    Item item = left_.front();
    left_.erase(left_.begin());
    std::vector<const Expr *> inner = item.whole ? operands(item.expr) : std::vector<const Expr *>{};
    if (!inner.empty()) {
      left_.insert(left_.begin(), {item.expr, false});
      for (std::size_t i = inner.size(); i-- > 0;) left_.insert(left_.begin(), {inner[i], true});
      return show("Cascade");
    }
    if (isa<Partition>(item.expr)) {
      done_.push_back(words::regroup(words::scheme(all_, item.expr, codelet_.name), "L"));
      return show("Regroup");
    }
    if (const Map *map = dyn<Map>(item.expr)) {
      done_.push_back(fmt::format("distribute(l_L), compose({}, l_L)", map->spectrum));
      return show("Distribute");
    }
    done_.push_back(fmt::format("compose({}, L)", as<SpectrumCall>(item.expr)->spectrum)); // as it stood before
  }

  void show(const std::string &rule) {
    std::vector<std::string> parts = done_;
    for (const Item &item : left_) parts.push_back(fmt::format("compose({}, L)", expression(item.expr, item.whole)));
    step(fmt::format("{}", fmt::join(parts, ", ")), rule);
  }
  void step(const std::string &text, const std::string &rule) {
    lines_.push_back(fmt::format("-> {} // {}", text, rule));
  }

  const Spectrum &spectrum_;
  const Codelet &codelet_;
  std::vector<const Expr *> all_;
  std::vector<Item> left_;
  std::vector<std::string> done_, lines_;
};

} // namespace

std::vector<std::string> derivation(const Module &module, const std::string &spectrum, const std::string &codelet) {
  const Spectrum &s = require(module, spectrum);
  std::vector<std::string> names;
  for (const Codelet *c : s.codelets) {
    if (c->name == codelet) return Derivation(s, *c).run();
    names.push_back(c->name);
  }
  fail(kUnknownName, {}, "codelet", codelet, names.empty() ? "a spectrum that has codelets" : suggest(codelet, names));
}

std::string print(const std::vector<CompositionRule> &rules, bool comments) {
  std::string out;
  for (const CompositionRule &rule : rules)
    out += fmt::format("{}: {} -> {}{}\n", rule.name, rule.head, rule.body, comments ? " // " + rule.comment : "");
  return out;
}

} // namespace tangram

#include "Notation.h"

#include "tangram/compose/Sizes.h"

namespace tangram {

using namespace ast;

namespace {

class Writer {
public:
  Writer(const Plan &plan, const Module &module, const hardware::Hardware &hardware)
      : plan_(plan), module_(module), hardware_(hardware) {}

  std::string write(const PlanNode &node) const {
    std::vector<std::string> out;
    compose(node, out);
    return fmt::format("{}", fmt::join(out, ", "));
  }

private:
  std::string symbol(const std::string &name) const {
    const hardware::Level *level = hardware_.find(name);
    return level && !level->symbol.empty() ? level->symbol : name;
  }
  void child(const PlanNode &node, std::size_t i, std::vector<std::string> &out) const {
    if (i < node.children.size()) compose(*node.children[i], out);
  }

  void compose(const PlanNode &node, std::vector<std::string> &out) const {
    switch (node.rule) {
    case Rule::Devolve: out.push_back(fmt::format("S_{}, devolve({})", symbol(node.level), symbol(node.to))); break;
    case Rule::Distribute: out.push_back(fmt::format("distribute({})", symbol(node.to))); break;
    case Rule::Serialize: out.push_back(fmt::format("serial({})", symbol(node.level))); break;
    case Rule::Split: {
      auto factor = node.parameters.find("factor");
      const Chunks chunks(node.parameters);
      out.push_back(fmt::format(
          "split({}, {}{}), distribute({})", factor == node.parameters.end() ? "..." : fmt::to_string(factor->second),
          symbol(node.level), chunks.grain > 1 ? fmt::format(", grain={}", chunks.grain) : "", symbol(node.to)));
      break;
    }
    default: return select(node, out);
    }
    child(node, 0, out);
  }

  void select(const PlanNode &node, std::vector<std::string> &out) const {
    const Spectrum *spectrum = findSpectrum(module_, node.spectrum);
    const Codelet *codelet = nullptr;
    for (std::size_t i = 0; spectrum && i < spectrum->codelets.size(); ++i)
      if (spectrum->codelets[i]->name == node.codelet) codelet = spectrum->codelets[i];
    std::string name = words::codelet(node.spectrum, node.codelet, plan_.spectrum);
    std::vector<const Expr *> all = codelet ? compositions(*codelet) : std::vector<const Expr *>{};
    std::vector<std::string> own;
    std::size_t next = 0;
    for (const Expr *e : all)
      if (isa<Partition>(e))
        own.push_back(words::regroup(words::scheme(all, e, name), symbol(node.level)));
      else
        child(node, next++, own);
    if (next == 0 || (codelet && codelet->coop)) {
      bool vector = codelet && codelet->coop;
      Capability capability = node.capability != Capability::None ? node.capability
                              : vector                            ? Capability::Vector
                                                                  : Capability::Scalar;
      own.push_back(words::compute(name, capability, symbol(node.level)));
    }
    if (node.guarded && !node.children.empty()) {
      std::string body = own.size() == 1 ? own[0] : fmt::format("({})", fmt::join(own, ", "));
      own = {fmt::format("{} if {} else ({})", body, node.condition, write(*node.children.back()))};
    }
    out.insert(out.end(), own.begin(), own.end());
  }

  const Plan &plan_;
  const Module &module_;
  const hardware::Hardware &hardware_;
};

} // namespace

std::string notation(const Plan &plan, const Module &module, const hardware::Hardware &hardware) {
  if (!plan.root) return "";
  std::string text, ends;
  for (const PlanCase &c : plan.cases) {
    text += fmt::format("if {} ({}) else (", print(c.when), Writer(plan, module, hardware).write(*c.root));
    ends += ")";
  }
  return text + Writer(plan, module, hardware).write(*plan.root) + ends;
}

} // namespace tangram

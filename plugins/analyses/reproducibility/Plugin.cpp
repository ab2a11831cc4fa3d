#include "Determinism.h"
#include "Order.h"

#include "tangram/plugin/Plugin.h"

namespace tangram {
namespace {

using namespace ast;

class Reproducibility final : public Analysis {
public:
  Reproducibility(std::string order, std::string determinism)
      : order_(std::move(order)), determinism_(std::move(determinism)) {}

  void run(const Module &module, const hardware::Hardware &hardware, Facts &facts, DiagnosticEngine &) override {
    if (order_ == "any" && determinism_ == "none") return;
    std::set<std::string> arithmetic = reproducibility::spectrumsWithArithmetic(module);
    for (const Spectrum *spectrum : module.spectrums)
      for (const Codelet *codelet : spectrum->codelets) {
        std::string reason = against(module, *codelet, arithmetic);
        if (reason.empty()) continue;
        for (const hardware::Level &level : hardware.levels) {
          LevelMatch &match = facts.matches[{codelet, level.name}];
          if (match.allowed) match.reason = reason;
          match.allowed = false;
        }
      }
  }

private:
  std::string against(const Module &module, const Codelet &codelet, const std::set<std::string> &arithmetic) const {
    bool everywhere = determinism_ == "everywhere";
    std::string why =
        order_ == "preserve" || everywhere ? reproducibility::otherOrder(module, codelet, arithmetic) : "";
    if (!why.empty())
      return fmt::format("{}, and the target says '{}'", why,
                         order_ == "preserve" ? "order: preserve" : "determinism: everywhere");
    if (determinism_ != "none") why = reproducibility::dependsOnTiming(module, codelet);
    if (why.empty() && everywhere) why = reproducibility::dependsOnDevice(module, codelet);
    return why.empty() ? "" : fmt::format("{}, and the target says 'determinism: {}'", why, determinism_);
  }

  std::string order_, determinism_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("reproducibility", "1.0", "leaves out codelets that change the order or depend on timing") {
  tangram::AnalysisDescriptor descriptor;
  descriptor.name = "reproducibility";
  descriptor.summary = "leaves out codelets that do not keep what the target promises of order and determinism";
  descriptor.requires_ = {"level-matching"};
  descriptor.establishes = {"reproducibility"};
  descriptor.options = {
      {"order",
       "preserve: floating-point numbers are added one after the other.",
       std::string("any"),
       {},
       {},
       {"any", "preserve"}},
      {"determinism",
       "run: each run has the same bits; device: on each device of the kind; everywhere: on each target.",
       std::string("none"),
       {},
       {},
       {"none", "run", "device", "everywhere"}}};
  descriptor.create = [](const tangram::OptionValues &options) {
    return std::make_unique<tangram::Reproducibility>(options.text("order"), options.text("determinism"));
  };
  registry.analyses.add(descriptor);
}

#include "tangram/pass/Checked.h"

#include "tangram/plugin/Registry.h"

#include <algorithm>

namespace tangram {
namespace {

constexpr DiagnosticKind kNoChecks{"session.no-checks", DiagnosticClass::User,
                                   "--checked: no pass of target '{0}' makes checks",
                                   "put one with the option 'checked' into its pipeline: {1}"};

bool isChecked(const Descriptor &d) {
  return std::any_of(d.options.begin(), d.options.end(), [](const OptionSpec &o) { return o.name == kCheckedOption; });
}

} // namespace

void makeChecked(hardware::Target &target, const Registry &registry) {
  std::vector<hardware::Step> &passes = target.pipeline.passes;
  std::erase_if(passes, [&](const hardware::Step &s) {
    const PassDescriptor &d = registry.passes.get(s.name, s.range);
    return d.kind == PassKind::Optimizer && d.establishes.empty();
  });
  bool any = false;
  for (hardware::Step &s : passes)
    if (const PassDescriptor &d = registry.passes.get(s.name, s.range); isChecked(d)) {
      s.options.set(kCheckedOption, true, s.range);
      any |= std::find(d.establishes.begin(), d.establishes.end(), "checked") != d.establishes.end();
    }
  if (any) return;
  std::string makers;
  for (const auto &[name, d] : registry.passes.all())
    if (std::find(d.establishes.begin(), d.establishes.end(), "checked") != d.establishes.end())
      makers += (makers.empty() ? "'" : " or '") + name + "', before 'linear' is established";
  fail(kNoChecks, {}, target.name, makers.empty() ? "no plugin that is loaded has one" : makers);
}

} // namespace tangram

// Target, backend and heuristic of a session.
#include "Impl.h"

#include "tangram/hardware/Promises.h"
#include "tangram/pass/Checked.h"

namespace tangram {

namespace {

constexpr DiagnosticKind kNoTarget{"session.no-target", DiagnosticClass::User, "no target was given",
                                   "name one with --target; `tangram targets` lists them"};
constexpr DiagnosticKind kNoBackend{"session.no-backend", DiagnosticClass::Limitation,
                                    "target '{0}' has no backend: there are plans for it, but no code",
                                    "use `tangram explain` or `--emit plan`, or name another target"};
constexpr DiagnosticKind kOtherPipeline{"session.other-pipeline", DiagnosticClass::User,
                                        "backend '{0}' cannot build what the pipeline of '{1}' makes: {2}",
                                        "use a target of that backend, which `tangram targets` lists"};
constexpr DiagnosticKind kSameBits{"session.same-bits", DiagnosticClass::User,
                                   "'{0}: {1}' and the option '{3}' of backend '{2}' exclude each other",
                                   "leave out '{3}', or the promise"};

} // namespace

void Session::Impl::setTarget(hardware::Target t, bool whole) {
  target = std::move(t);
  const std::string own = target->pipeline.backend.name;
  if (!options.backend.empty()) replaceBackend(registry.backends.get(options.backend));
  if (options.checked && (whole || !target->pipeline.passes.empty())) makeChecked(*target, registry);
  if (whole) try {
      hardware::checkPipeline(*target, registry);
    } catch (const DiagnosticError &e) {
      if (target->pipeline.backend.name == own) throw;
      fail(kOtherPipeline, {}, options.backend, target->name, e.diagnostic.message);
    }
  bool automatic = false;
  for (const hardware::Level &level : target->hardware.levels) automatic |= level.workers.automatic;
  std::string determinism = target->promise("determinism");
  if (whole && !target->pipeline.backend.name.empty()) backendOptions(); // they may exclude what is promised
  // What the machine at hand has must not decide where each device is to come to the same.
  if (determinism == "device" || determinism == "everywhere") automatic = false;
  if (automatic && registry.backends.find(target->pipeline.backend.name)) makeBackend()->detect(target->hardware);
}

void Session::Impl::replaceBackend(const BackendDescriptor &by) {
  hardware::Step &step = target->pipeline.backend;
  if (step.name == by.name) return;
  OptionValues kept;
  for (const auto &[name, entry] : step.options.entries())
    if (hasOption(by, name)) kept.set(name, entry.value, entry.range);
  step.name = by.name;
  step.options = std::move(kept);
}

const BackendDescriptor &Session::Impl::backendDescriptor() {
  const hardware::Step &s = target->pipeline.backend;
  if (s.name.empty()) fail(kNoBackend, {}, target->name);
  return registry.backends.get(s.name, s.range);
}

std::pair<std::string, std::unique_ptr<Heuristic>> Session::Impl::heuristic(const hardware::Target &of) {
  return heuristic(of, options.heuristic);
}

std::pair<std::string, std::unique_ptr<Heuristic>> Session::Impl::heuristic(const hardware::Target &of,
                                                                            const std::string &asked) {
  hardware::Step s = of.pipeline.heuristic;
  const std::string name = asked.substr(0, asked.find(':'));
  if (!name.empty() && name != s.name) s = {name, {}, {}};
  const HeuristicDescriptor &d = registry.heuristics.get(s.name, s.range);
  const std::string who = fmt::format("heuristic '{}'", d.name);
  if (name.size() < asked.size()) readOptions(d.options, asked.substr(name.size() + 1), who, s.options);
  std::unique_ptr<Heuristic> made = d.create(checkOptions(d.options, s.options, who, s.range));
  made->meet([this, &of](const std::string &other) -> std::unique_ptr<Heuristic> {
    return registry.heuristics.find(other) ? heuristic(of, other).second : nullptr;
  });
  return {d.name, std::move(made)};
}

OptionValues Session::Impl::backendOptions() {
  const hardware::Step &s = target->pipeline.backend;
  const BackendDescriptor &d = backendDescriptor();
  OptionValues given = s.options;
  // Whether a product and a sum are fused depends on the code around them, as does which functions are of vectors.
  if (const hardware::Promise *promise = hardware::sameBits(*target))
    for (const char *option : {"fma", "vector-math"}) {
      if (!hasOption(d, option)) continue;
      if (given.has(option) && given.flag(option))
        fail(kSameBits, s.range, promise->name, promise->value, s.name, option);
      given.set(option, false);
    }
  return checkOptions(d.options, given, fmt::format("backend '{}'", s.name), s.range);
}

std::unique_ptr<Backend> Session::Impl::makeBackend() { return backendDescriptor().create(backendOptions()); }

void Session::Impl::requireTarget() const {
  if (!target) fail(kNoTarget, {});
}

} // namespace tangram

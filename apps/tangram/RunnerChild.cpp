#include "RunnerChild.h"

#include "tangram/verify/TimedCalls.h"

#include <chrono>

namespace tangram::driver {

using namespace runtime;

namespace {

using CallClock = std::chrono::steady_clock;

std::string shown(const Value &value) {
  constexpr std::uint64_t most = 8;
  if (value.rank() == 0) return value.text(0);
  std::string text;
  for (std::uint64_t i = 0; i < std::min(most, value.count()); ++i) text += (i ? ", " : "") + value.text(i);
  return fmt::format("[{}{}]", text, value.count() > most ? fmt::format(", ... {} in all", value.count()) : "");
}

void sendRefusal(const Send &send, const CallResult &result) {
  send({result.status == TANGRAM_OUT_OF_RANGE ? "out-of-range" : "refused", result.message});
}

} // namespace

/// Calls the chosen plan and the reference with the arguments of a trial; false, with the reason sent, where they do
/// not agree. `got` has the plan's results, `seconds` is what the reference took as well.
bool RunnerChild::agrees(const tangram_kernel &chosen, const Reference &reference, Trial &trial,
                         std::vector<Value> &got, double &seconds, const Send &send) const {
  got = copies(trial.arguments);
  send({"stage", "chosen"});
  perturbMemory();
  const CallResult result = call(chosen, got);
  perturbMemory(false);
  if (!result.ok() && !trial.small) return sendRefusal(send, result), false;
  send({"stage", "reference"});
  const CallClock::time_point start = CallClock::now();
  const CallResult right = expect(trial, reference);
  seconds += std::chrono::duration<double>(CallClock::now() - start).count();
  send({"stage", ""});
  if (trial.small && !right.ok()) return true;
  if (!right.ok()) return sendRefusal(send, right), false;
  if (std::optional<PlanFailure> bad = judge(chosen, result, got, trial.expected, trial.plain)) {
    send({"differs",
          bad->reason + (trial.whole ? ", of whole numbers" : "") + (trial.small ? ", of smaller arguments" : "")});
    return false;
  }
  send({"agreed", trial.small ? "small" : trial.whole ? "whole" : "given"});
  if (const Undecided &u = trial.undecided)
    send({"doubt", u.text(), trial.whole ? "whole" : "", trial.small ? "small" : ""});
  return true;
}

void RunnerChild::compare(const Comparison &c, const Send &send) const {
  const KernelLibrary kernels(library_);
  const Reference right(c.library, c.kind);
  const tangram_kernel &chosen = kernels.get(name_);
  std::vector<Value> got;
  bool isGiven = false;
  double seconds = 0;
  for (std::size_t i = 0; i < c.count; ++i) {
    Trial trial = c.make(i);
    isGiven = !trial.small;
    send({"call", fmt::format("call {} of {}", i + 1, c.count)});
    if (!agrees(chosen, right, trial, got, seconds, send)) return;
    const double mean = seconds / static_cast<double>(i + 1);
    const double foreseen = c.allMustFit ? mean * static_cast<double>(c.count) : seconds + mean;
    if (c.most && i + 1 < c.count && foreseen > *c.most) return send({"slow"});
  }
  send({"took", fmt::format("{}", seconds)});
  if (isGiven) sendResults(chosen, got, send);
  send({"checked"});
}

void RunnerChild::sendResults(const tangram_kernel &chosen, const std::vector<Value> &got, const Send &send) const {
  for (std::uint32_t i = 0; i < chosen.num_params; ++i) {
    const tangram_param &p = chosen.params[i];
    if (p.rank) send({"bytes", std::to_string(arguments_[i].count() * arguments_[i].type().bytes)});
    if (p.access != TANGRAM_IN) send({"result", p.name, shown(got[i])});
  }
}

void RunnerChild::callOnce(const Send &send) const {
  const KernelLibrary kernels(library_);
  const tangram_kernel &chosen = kernels.get(name_);
  std::vector<Value> got = copies(arguments_);
  send({"stage", "chosen"});
  if (const CallResult result = call(chosen, got); !result.ok()) return sendRefusal(send, result);
  sendResults(chosen, got, send);
  send({"checked"});
}

void RunnerChild::measure(const Send &send) const {
  const KernelLibrary kernels(library_);
  std::vector<Value> values = copies(arguments_);
  MeasureOptions options;
  options.repeats = repeats_;
  send({"stage", "chosen"});
  TimedCalls calls(kernels.get(name_), values, arguments_);
  if (!calls.device().empty()) send({"device", calls.device()});
  if (!calls.status().ok()) return sendRefusal(send, calls.status());
  auto restore = [&] { calls.restore(); };
  Measurement m = measureBy([&] { return calls.call(); }, options,
                            calls.changesArguments() ? std::function<void()>(restore) : std::function<void()>());
  if (!calls.status().ok()) return sendRefusal(send, calls.status());
  send({"time", fmt::format("{}", m.median), fmt::format("{}", m.low), fmt::format("{}", m.high),
        fmt::format("{}", m.confidence), std::to_string(m.repeats)});
}

} // namespace tangram::driver

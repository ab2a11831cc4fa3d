#include "Runner.h"

#include "tangram/verify/IndexArguments.h"
#include "tangram/verify/OutOfRange.h"
#include "tangram/verify/SmallTrials.h"

#include <iostream>

namespace tangram::driver {

using namespace runtime;

namespace {

constexpr DiagnosticKind kRefused{"run.refused", DiagnosticClass::User, "'{0}' cannot be called: {1}",
                                  "give arguments that it takes, on a machine that has its device"};
constexpr DiagnosticKind kDied{"run.died", DiagnosticClass::User, "the {0} {1}",
                               "{3}a codelet may leave its container: `tangram verify` tells which; the plan is {2}"};
constexpr DiagnosticKind kEndless{"run.endless", DiagnosticClass::User,
                                  "the {0} did not come to an end within {1:g} seconds",
                                  "give smaller arguments, or more time with --timeout; the plan is {2}"};
constexpr DiagnosticKind kDiffers{"run.differs", DiagnosticClass::User,
                                  "the chosen plan does not agree with the reference: {0}",
                                  "`tangram verify` tells which codelet is at fault; the plan is {1}"};

using Seconds = std::chrono::duration<double>;

} // namespace

Runner::Runner(Driver &driver, const RunFlags &flags, const Call &asked, const Plan &plan, std::filesystem::path folder)
    : driver_(driver), session_(driver.session()), flags_(flags), asked_(asked), plan_(plan),
      folder_(std::move(folder)) {}

void Runner::run() {
  say("compiling");
  ast::Arena arena;
  const ast::Module *lowered = session_.lower({plan_}, arena);
  const std::string stem = stemOf(flags_.files[0]);
  library_ = session_.build(session_.emit(*lowered, stem), folder_, stem);
  name_ = lowered->kernels[0]->name;
  say("compiling the reference");
  full_ = buildReference(session_, asked_.spectrum.name, folder_ / "reference");
  unread_ = neverRead(session_, asked_.spectrum.name);
  check();
  say("measuring");
  const ChildEnd end = inChild([this](const Send &send) { child().measure(send); }, {});
  throwFailure(end, outcome.measured);
  driver_.endProgress();
}

void Runner::receive(const Message &m) {
  if (m[0] == "stage") {
    if (who_ == Who::Reference) spent_ += Seconds(Clock::now() - since_).count();
    since_ = Clock::now();
    who_ = m[1] == "chosen" ? Who::Chosen : m[1] == "reference" ? Who::Reference : Who::Nobody;
    if (who_ == Who::Nobody) return;
    stage_ = (who_ == Who::Chosen ? "chosen plan" : "reference") + std::string(small_ ? ", of smaller arguments," : "");
    showProgress();
  }
  if (m[0] == "call") call_ = m[1];
  if (m[0] == "error") outcome.error = m[1];
  if (m[0] == "refused") outcome.refused = m[1];
  if (m[0] == "out-of-range") outcome.outOfRange = m[1];
  if (m[0] == "differs") outcome.differs = m[1];
  if (m[0] == "agreed") (m[1] == "small" ? outcome.small : m[1] == "whole" ? outcome.whole : outcome.given) = true;
  if (m[0] == "doubt") {
    Trial trial;
    trial.undecided = Undecided::fromText(m[1]);
    trial.whole = !m[2].empty();
    trial.small = !m[3].empty();
    outcome.undecided.include(trial);
  }
  if (m[0] == "slow") outcome.slow = true;
  if (m[0] == "took") outcome.reference = std::stod(m[1]);
  if (m[0] == "bytes") outcome.bytes += std::stoull(m[1]);
  if (m[0] == "result") outcome.results.emplace_back(m[1], m[2]);
  if (m[0] == "checked") outcome.checked = true;
  if (m[0] == "device") outcome.device = m[1];
  if (m[0] == "time") {
    outcome.time = {std::stod(m[1]), std::stod(m[2]), std::stod(m[3]), std::stod(m[4]), std::stoull(m[5])};
    outcome.measured = true;
  }
}

void Runner::say(const std::string &doing) {
  doing_ = doing;
  call_.clear();
  driver_.progress(doing_, flags_.progress);
}

/// What is being called and, on a terminal, for how long.
void Runner::showProgress() {
  std::string line = doing_;
  if (who_ != Who::Nobody && !call_.empty()) line += fmt::format(": the {}{} {}", stage_, small_ ? "" : ",", call_);
  if (const double s = Seconds(Clock::now() - since_).count(); s >= 1) line += fmt::format(", {:.0f} s", s);
  driver_.progress(line, flags_.progress && !call_.empty());
}

/// Ends it where the reference takes longer than `ofReference` seconds, or all of it longer than `ofAll`.
ChildEnd Runner::inChild(const std::function<void(const Send &)> &work, std::optional<double> ofReference,
                         std::optional<double> ofAll) {
  ChildEnd result;
  ChildJob job;
  job.work = [&](const Send &send) {
    try {
      work(send);
    } catch (const DiagnosticError &e) {
      send({"error", e.diagnostic.message});
    } catch (const std::bad_alloc &) {
      send({"error", "there is not enough memory for copies of the arguments"});
    }
  };
  job.receive = [this](const Message &m) { receive(m); };
  job.ended = [&](const ChildEnd &end) { result = end; };
  job.silence = flags_.timeout;
  if (ofAll) job.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*ofAll));
  who_ = Who::Nobody;
  spent_ = 0;
  since_ = Clock::now();
  Clock::time_point shown = since_;
  Children child(1, [&] { // asked twice a second
    const Clock::time_point now = Clock::now();
    if (isatty(STDERR_FILENO) && now - std::max(shown, since_) >= std::chrono::seconds(1)) {
      shown = now;
      showProgress();
    }
    return ofReference && who_ == Who::Reference && spent_ + Seconds(now - since_).count() > *ofReference;
  });
  child.add(std::move(job));
  child.run();
  return result;
}

void Runner::throwFailure(const ChildEnd &end, bool done) const {
  if (end.done() && done) return;
  driver_.endProgress();
  const ast::Spectrum &spectrum = asked_.spectrum;
  if (!outcome.error.empty()) fail(kRefused, {}, spectrum.name, outcome.error);
  const std::string advice = indexAdvice(session_.module().spectrums, spectrum, asked_.given);
  if (!outcome.outOfRange.empty()) failOutOfRange(outcome.outOfRange, advice);
  if (!outcome.refused.empty()) fail(kRefused, spectrum.range, spectrum.name, outcome.refused);
  if (!outcome.differs.empty()) fail(kDiffers, spectrum.range, outcome.differs, key(plan_));
  if (end.how == ChildEnd::How::Silent) fail(kEndless, spectrum.range, stage_, flags_.timeout, key(plan_));
  if (!end.done()) std::cerr << end.said;
  fail(kDied, spectrum.range, stage_, end.done() ? "ended the process" : end.text(), key(plan_),
       advice.empty() ? "" : advice + "; or ");
}

/// False where the reference takes too long, or cannot be called with smaller arguments. What fails otherwise is
/// thrown.
bool Runner::agreed(const Comparison &c) {
  constexpr double kOthers = 4; // times as long for all that is done beside it, of arguments that nobody asked for
  const Outcome before = outcome;
  outcome.checked = outcome.slow = false;
  const ChildEnd end = inChild([&](const Send &send) { child().compare(c, send); }, c.most,
                               small_ && c.most ? std::optional(kOthers * *c.most) : std::nullopt);
  const bool isLeft = outcome.slow || end.how == ChildEnd::How::Late ||
                      (!end.done() && small_ && who_ == Who::Reference); // nobody asked for these
  if (isLeft && c.allMustFit) outcome = before;
  if (!isLeft) throwFailure(end, outcome.checked);
  return !isLeft;
}

/// By the reference where that takes no time; where it does, smaller arguments, and those that are given by a light
/// one, as many as there is patience for.
void Runner::check() {
  say("checking");
  const bool mayBeFull = flags_.reference != "light";
  if (flags_.reference == "full") {
    agreedByFull({});
    return;
  }
  if (mayBeFull && !mayTakeLong(original()) && agreedByFull(kReferenceSeconds)) return;
  const std::vector<Trial> small = agreedOfSmall();
  const double perElement = small.empty() ? 0 : outcome.reference / static_cast<double>(elementsOf(small));
  const double foreseen =
      perElement *
      static_cast<double>(elementsOf(original()) * Trials(asked_.spectrum, original(), unread_, flags_.seed).count());
  if (mayBeFull && mayTakeLong(original()) && foreseen <= kReferenceSeconds && agreedByFull(kReferenceSeconds)) return;
  say("compiling a light reference");
  const std::filesystem::path light = buildLight();
  say("checking");
  const ReferenceKind kind = light.empty() ? ReferenceKind::Full : ReferenceKind::Light;
  const Trials few(asked_.spectrum, original(), unread_, flags_.seed, kFewWhole);
  const bool all = agreed({light.empty() ? full_.library : light, kind, few.count(),
                           [&](std::size_t i) { return few.make(i); }, flags_.patience, false});
  if (all && light.empty()) return;
  comparedBy = all ? comparedLightly(small) : comparedPartly(small, light.empty());
  if (all) return;
  say("calling");
  outcome.checked = false;
  const ChildEnd end = inChild([this](const Send &send) { child().callOnce(send); }, {});
  throwFailure(end, outcome.checked);
}

bool Runner::agreedByFull(std::optional<double> seconds) {
  const Trials all(asked_.spectrum, original(), unread_, flags_.seed);
  return agreed(
      {full_.library, ReferenceKind::Full, all.count(), [&](std::size_t i) { return all.make(i); }, seconds, true});
}

/// Smaller arguments of the same kind, for which results agree; none where there are no such.
std::vector<Trial> Runner::agreedOfSmall() {
  std::vector<Trial> small =
      smallTrials(session_, asked_.spectrum, Reference(full_.library).kernel(), asked_.given, flags_.seed);
  const auto make = [&](std::size_t i) {
    Trial trial;
    trial.arguments = copies(small[i].arguments);
    trial.whole = small[i].whole;
    trial.small = true;
    return trial;
  };
  small_ = true;
  if (!small.empty() && !agreed({full_.library, ReferenceKind::Full, small.size(), make, kReferenceSeconds, true}))
    small.clear();
  small_ = false;
  return small;
}

/// Empty where there can be none.
std::filesystem::path Runner::buildLight() {
  try {
    return buildReference(session_, asked_.spectrum.name, folder_ / "light", ReferenceKind::Light).library;
  } catch (const DiagnosticError &) {
    return {};
  }
}

std::string Runner::comparedPartly(const std::vector<Trial> &small, bool full) const {
  const std::string_view part = !outcome.whole && !outcome.given ? "nothing was" : "whole numbers alone were";
  const std::string why =
      fmt::format("the plainest plan would take longer for it than {:g} s (--patience)", flags_.patience);
  return small.empty()
             ? fmt::format("of this size {} compared{}: {}", part, full ? "" : " lightly", why)
             : fmt::format("compared with the reference for arguments of up to {} elements; of this size {}{}: {}",
                           mostElements(small), part, full ? " compared" : " compared lightly", why);
}

} // namespace tangram::driver

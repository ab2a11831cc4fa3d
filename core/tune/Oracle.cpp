#include "Oracle.h"

#include "../verify/BuildPlans.h"
#include "tangram/compose/Sizes.h"
#include "tangram/verify/SmallTrials.h"

#include <algorithm>
#include <fstream>

namespace tangram::tune {

using namespace runtime;

namespace {

constexpr DiagnosticKind kReference{"tune.reference", DiagnosticClass::User,
                                    "the reference of '{0}' gives nothing to compare with: {1}",
                                    "mend its codelets, or give arguments that it takes"};
constexpr DiagnosticKind kLateReference{
    "tune.late-reference", DiagnosticClass::User,
    "the reference of '{0}', which one worker computes, was not ready within the budget of {1:.0f} s",
    "give more time with --budget, or smaller arguments"};

using Seconds = std::chrono::duration<double>;

// Of the time that is left the reference may take so much; else a light one takes its place.
constexpr double kReferenceShare = 0.2;

} // namespace

void Oracle::build(Children &children) {
  if (options_.workshop && !options_.workshop->reference.empty()) {
    reference_ = options_.workshop->reference;
    plan_ = options_.workshop->plainest;
    exact_ = options_.workshop->exact;
    return;
  }
  const bool bits =
      session_.target().promise("order") == "preserve" || session_.target().promise("determinism") == "everywhere";
  std::optional<Plan> plainest = bits ? session_.forest(spectrum_).plainest() : std::nullopt;
  if (plainest) plainest->target = session_.target().name;
  ChildJob job;
  job.work = [this, plainest](const Send &send) {
    try {
      temporaryFilesIn(options_.folder);
      ReferenceLibrary reference = buildReference(session_, spectrum_, options_.folder / "plainest");
      Message m{"baseline", reference.library.string(), reference.plan, "", ""};
      if (plainest) {
        std::vector<std::string> names;
        m[3] = buildHere(session_, {*plainest}, options_.folder / "exact", "plainest", names).string();
        m[4] = names[0];
      }
      send(m);
    } catch (const DiagnosticError &e) {
      send({"failed", e.diagnostic.message});
    } catch (const ErrorsReported &) {
      send({"failed", errorsOf(session_)});
    }
  };
  job.receive = [this](const Message &m) {
    if (m[0] == "failed") fail(kReference, {}, spectrum_, m[1]);
    reference_ = m[1];
    plan_ = m[2];
    exact_ = {m[3], m[4]};
    if (options_.workshop) {
      options_.workshop->reference = reference_;
      options_.workshop->plainest = plan_;
      options_.workshop->exact = exact_;
    }
  };
  job.ended = [this](const ChildEnd &end) {
    if (reference_.empty() && !isInterrupted() && end.how != ChildEnd::How::Late)
      fail(kReference, {}, spectrum_, "the compiler " + end.text());
  };
  job.silence = kEndlessCompiler;
  job.deadline = end_;
  children.add(std::move(job));
}

void Oracle::expectResults() {
  if (expected_) return;
  if (isInterrupted()) fail(kInterrupted, {}, spectrum_);
  if (reference_.empty()) fail(kLateReference, {}, spectrum_, options_.budget);
  progress_("computing what is right");
  const double left = Seconds(end_ - Clock::now()).count(), most = std::max(kReferenceShare * left, kReferenceSeconds);
  const std::vector<bool> unread = neverRead(session_, spectrum_);
  auto make = [&](std::size_t whole) {
    const Trials trials(*findSpectrum(session_.module(), spectrum_), arguments_, unread, options_.seed, whole);
    trials_.clear();
    for (std::size_t i = 0; i < trials.count(); ++i) trials_.push_back(trials.make(i));
  };
  // Twice the elements take at least twice the time, of which smaller arguments tell.
  const bool isMuch = mayTakeLong(arguments_);
  std::vector<Trial> fewer;
  double predicted = 0;
  if (isMuch) {
    fewer = small();
    if (!fewer.empty() && !compute(fewer, reference_, ReferenceKind::Full, most, true)) fewer.clear();
    if (const std::uint64_t known = elementsOf(fewer))
      predicted = took_ * static_cast<double>(elementsOf(arguments_) * (kMostWhole + 1)) / static_cast<double>(known);
  }
  bool done = false;
  if (predicted <= most) {
    make(kMostWhole);
    done = compute(trials_, reference_, ReferenceKind::Full, isMuch ? std::optional(most) : std::nullopt);
  }
  if (!done && isMuch) {
    make(kFewWhole);
    done = expectLightly(std::move(fewer));
    if (!done) {
      make(kMostWhole);
      done = compute(trials_, reference_, ReferenceKind::Full, {});
    }
  }
  if (!done) fail(kLateReference, {}, spectrum_, options_.budget);
  for (const Trial &trial : trials_) undecided_.include(trial);
  expected_ = true;
}

bool Oracle::compute(std::vector<Trial> &trials, const std::filesystem::path &library, ReferenceKind kind,
                     std::optional<double> most, bool mayRefuse) {
  bool done = false, slow = false;
  std::vector<bool> taken(trials.size(), true);
  std::string refused;
  auto file = [&](std::size_t i) { return options_.folder / fmt::format("expected_{}", i); };
  std::filesystem::create_directories(options_.folder); // where nothing was compiled, of several sizes
  Children child(1, options_.interrupted);
  ChildJob job;
  job.work = [&](const Send &send) {
    const Reference reference(library, kind);
    const auto start = Clock::now();
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (CallResult result = expect(trials[i], reference); !result.ok()) {
        if (!mayRefuse) return send({"refused", result.message});
        send({"left-out", std::to_string(i)});
        continue;
      }
      std::ofstream out(file(i), std::ios::binary);
      for (const runtime::Expected &e : trials[i].expected)
        if (!e.save(out)) return send({"refused", fmt::format("'{}' cannot be written", file(i).string())});
      send({"trial", std::to_string(i), trials[i].undecided.text()});
      const double seconds = Seconds(Clock::now() - start).count() / static_cast<double>(i + 1);
      send({"took", fmt::format("{}", seconds * static_cast<double>(i + 1))});
      if (most && seconds * static_cast<double>(trials.size()) > *most) return send({"slow"});
    }
    send({"done"});
  };
  job.receive = [&](const Message &m) {
    done |= m[0] == "done";
    slow |= m[0] == "slow";
    if (m[0] == "refused") refused = m[1];
    if (m[0] == "took") took_ = std::stod(m[1]);
    if (m[0] == "left-out") taken[std::stoull(m[1])] = false;
    if (m[0] == "trial") trials[std::stoull(m[1])].undecided = Undecided::fromText(m[2]);
  };
  ChildEnd how;
  job.ended = [&](const ChildEnd &end) { how = end; };
  job.silence = kEndlessCompiler;
  job.deadline =
      most ? std::min(end_, Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(*most))) : end_;
  child.add(std::move(job));
  child.run();
  auto remove = [&] {
    std::error_code ignored;
    for (std::size_t i = 0; i < trials.size(); ++i) std::filesystem::remove(file(i), ignored);
  };
  if (!done) remove();
  if (!refused.empty()) fail(kReference, {}, spectrum_, refused);
  if (isInterrupted()) fail(kInterrupted, {}, spectrum_);
  if (slow || how.how == ChildEnd::How::Late) return false;
  if (!done && mayRefuse) return false;
  if (!done) fail(kReference, {}, spectrum_, "it " + how.text());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!taken[i]) continue;
    std::ifstream in(file(i), std::ios::binary);
    trials[i].expected.clear();
    for (const Value &argument : trials[i].arguments) {
      std::optional<runtime::Expected> one = runtime::Expected::load(in, argument);
      if (!one) fail(kReference, {}, spectrum_, fmt::format("'{}' cannot be read", file(i).string()));
      trials[i].expected.push_back(std::move(*one));
    }
  }
  remove();
  std::size_t i = 0;
  std::erase_if(trials, [&](const Trial &) { return !taken[i++]; });
  return true;
}

bool Oracle::expectLightly(std::vector<Trial> small) {
  std::filesystem::path light = options_.workshop ? options_.workshop->light : std::filesystem::path();
  if (light.empty()) {
    progress_("compiling a light reference");
    ChildJob job;
    job.work = [this](const Send &send) {
      try {
        temporaryFilesIn(options_.folder);
        send({buildReference(session_, spectrum_, options_.folder / "light", ReferenceKind::Light).library.string()});
      } catch (const DiagnosticError &) {
        return; // then there is none
      } catch (const ErrorsReported &) {
        return;
      }
    };
    job.receive = [&](const Message &m) { light = m[0]; };
    job.silence = kEndlessCompiler;
    job.deadline = end_;
    Children child(1, options_.interrupted);
    child.add(std::move(job));
    child.run();
    if (isInterrupted()) fail(kInterrupted, {}, spectrum_);
    if (light.empty()) return false;
    if (options_.workshop) options_.workshop->light = light;
  }
  progress_("computing what is right, lightly");
  if (!compute(trials_, light, ReferenceKind::Light, {})) return false;
  comparedBy_ = comparedLightly(small);
  trials_.insert(trials_.begin(), std::make_move_iterator(small.begin()), std::make_move_iterator(small.end()));
  return true;
}

std::vector<Trial> Oracle::small() {
  const Reference reference(reference_);
  return smallTrials(session_, *findSpectrum(session_.module(), spectrum_), reference.kernel(), options_.specs,
                     options_.seed);
}

} // namespace tangram::tune

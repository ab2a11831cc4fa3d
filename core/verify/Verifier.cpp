#include "Verifier.h"

#include "DiagnosticMessage.h"
#include "tangram/ast/Text.h"

#include <algorithm>
#include <fstream>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kElement{"verify.element", DiagnosticClass::Limitation,
                                  "parameter '{0}' of '{1}' is {2}, which cannot be made up",
                                  "verify spectrums of arithmetic types"};
constexpr DiagnosticKind kUnknownArgument{"verify.unknown-argument", DiagnosticClass::User,
                                          "'{0}' has no parameter '{1}'", "use {2}"};
constexpr DiagnosticKind kReference{"verify.reference", DiagnosticClass::User,
                                    "the reference of '{0}' could not be built: {1}",
                                    "see that the C++ compiler works and has room"};
constexpr DiagnosticKind kInterrupted{"verify.interrupted", DiagnosticClass::User,
                                      "interrupted before there was anything to compare '{0}' with", ""};

using Seconds = std::chrono::duration<double>;

constexpr double kShareOfFew = 0.75;   // of a budget: plans are called with few elements
constexpr double kWorthLight = 3;      // seconds of references of whole numbers, to build a light one
constexpr std::size_t kMostInUnit = 6; // plans that are compiled together ...
constexpr unsigned kComplexUnit = 60;  // ... and how complex they are in all: a few seconds' work
constexpr unsigned kUnhurried = 4;     // times as many of both where there is no budget: the compiler starts less often

const ast::Spectrum &find(Session &session, const std::string &name) {
  session.forest(name); // fails where there is none
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == name) return *s;
  failBug({}, "verify", fmt::format("spectrum '{}' has a forest but no node", name));
}

/// The same program and target, for code that is compiled to be checked: quickly, where the backend can.
std::unique_ptr<Session> derived(Session &session, bool quick, bool checked) {
  SessionOptions options = session.options();
  options.checked |= checked;
  auto result = std::make_unique<Session>(options);
  hardware::Target target = session.target();
  const BackendDescriptor *backend = result->registry().backends.find(target.pipeline.backend.name);
  bool can = backend && std::any_of(backend->options.begin(), backend->options.end(),
                                    [](const OptionSpec &o) { return o.name == "quick"; });
  if (quick && can) target.pipeline.backend.options.set("quick", true);
  result->open(&session.module(), std::move(target));
  result->facts(); // once, and not in each child
  return result;
}

ExpectedSizes sizesOf(const ast::Spectrum &spectrum, const ArgumentSet &set) {
  ExpectedSizes sizes;
  for (std::size_t i = 0; i < spectrum.params.size() && i < set.shape.arguments.size(); ++i)
    if (spectrum.params[i]->type.rank() > 0) sizes[spectrum.params[i]->name] = set.shape.arguments[i].sizes;
  return sizes;
}

} // namespace

Verifier::Verifier(Session &session, const std::string &spectrum, const VerifyOptions &options)
    : session_(session), options_(options), spectrum_(find(session, spectrum)), forest_(session.forest(spectrum)),
      derivations_(forest_) {}

VerifyReport Verifier::run() {
  checkArguments();
  sets_ = makeArgumentSets(spectrum_, options_, report_.skipped);
  while (fewSets_ < sets_.size() && sets_[fewSets_].elements() <= kFewElements) ++fewSets_;
  shapesByTurns();
  if (options_.budget > 0)
    setDeadline(fewSets_ && fewSets_ < sets_.size() ? kShareOfFew * options_.budget : options_.budget);
  skippedSets_.resize(sets_.size());
  brokenSets_.resize(sets_.size());
  report_.spectrum = spectrum_.name;
  report_.target = session_.target().name;
  report_.seed = options_.seed;
  report_.budget = options_.budget;
  report_.space = forest_.count();
  report_.given = !options_.plans.empty();
  Agenda agenda = makeAgenda(session_, forest_, derivations_, options_,
                             sets_.empty() ? ExpectedSizes{} : sizesOf(spectrum_, sets_[0]));
  report_.pick = agenda.pick;
  report_.drawn = agenda.drawn;
  report_.hopeless = agenda.hopeless;
  report_.hopelessCalls = agenda.hopelessCalls;
  report_.plans = agenda.plans;
  for (const Plan &plan : agenda.plans) addPlan(plan);

  keepSpectrum();
  if (!options_.optimized && !report_.given) quick_ = derived(session_, true, false);
  buildBaseline();
  begin(agenda);
  children_.run();
  if (options_.budget > 0) setDeadline(options_.budget);
  callWithMany();
  decided_ = plans_.size();
  blame();
  std::error_code ignored;
  std::filesystem::remove_all(options_.folder / kTemporary, ignored);
  finish();
  return std::move(report_);
}

void Verifier::shapesByTurns() {
  std::map<std::string, std::size_t> seen;
  std::map<std::string, std::size_t> turn;
  for (const ArgumentSet &set : sets_) turn[set.text] = seen[set.shape.text]++;
  std::stable_sort(sets_.begin() + static_cast<std::ptrdiff_t>(fewSets_), sets_.end(),
                   [&](const ArgumentSet &a, const ArgumentSet &b) { return turn[a.text] < turn[b.text]; });
}

void Verifier::setDeadline(double seconds) {
  deadline_ = start_ + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

void Verifier::checkArguments() const {
  const ast::Structs structs(session_.module());
  for (const ast::Param *p : spectrum_.params)
    if (!Element::of(p->type, structs) || p->type.rank() > TANGRAM_MAX_RANK)
      fail(kElement, p->range, p->name, spectrum_.name, p->type.text());
  for (const auto &[name, spec] : options_.arguments) {
    std::vector<std::string> names;
    for (const ast::Param *p : spectrum_.params) names.push_back(p->name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(kUnknownArgument, {}, spectrum_.name, name, suggest(name, names));
  }
}

std::size_t Verifier::addPlan(const Plan &plan) {
  plans_.push_back(plan);
  states_.emplace_back();
  byKey_.emplace(key(plan), plans_.size() - 1);
  return plans_.size() - 1;
}

void Verifier::keepSpectrum() {
  ast::Arena arena;
  const ast::Spectrum *bare = arena.derive(&spectrum_, [](ast::Spectrum &copy) { copy.codelets.clear(); });
  std::filesystem::create_directories(options_.folder);
  std::ofstream(options_.folder / kSpectrumFile) << ast::print(bare) << "\n";
}

void Verifier::begin(const Agenda &agenda) {
  Session &session = quick_ ? *quick_ : session_;
  std::size_t next = 0;
  if (agenda.pick) compile({{next++}, &session_, false, true}, true);
  // What covers codelets is called as checked code as well, before others are.
  std::size_t covering = agenda.codelets.empty() ? next : agenda.codelets.back() + 1;
  next = addUnits(next, std::max(next, covering), session);
  if (!agenda.codelets.empty() && !session_.options().checked) addChecked(agenda);
  addUnits(next, plans_.size(), session);
  progress();
}

std::size_t Verifier::addUnits(std::size_t from, std::size_t to, Session &session) {
  // Small enough that all jobs have something to do.
  const std::size_t jobs = std::max(1u, options_.jobs), times = options_.budget > 0 ? 1 : kUnhurried;
  const std::size_t most = std::clamp<std::size_t>((to - from + jobs - 1) / jobs, 1, times * kMostInUnit);
  while (from < to) {
    Unit unit{{}, &session};
    unsigned all = 0;
    for (; from < to && unit.plans.size() < most; ++from) {
      unsigned own = complexity(*plans_[from].root);
      if (!unit.plans.empty() && all + own > times * kComplexUnit) break;
      all += own;
      unit.plans.push_back(from);
    }
    compile(std::move(unit));
  }
  return to;
}

Session *Verifier::checkedSession() {
  if (checked_) return checked_.get();
  try {
    checked_ = derived(session_, true, true);
  } catch (const DiagnosticError &) {
    return nullptr;
  }
  return checked_.get();
}

void Verifier::addChecked(const Agenda &agenda) {
  if (!checkedSession()) return;
  Unit unit{{}, checked_.get(), true};
  auto send = [&] {
    if (!unit.plans.empty()) compile(std::exchange(unit, Unit{{}, checked_.get(), true}));
  };
  for (std::size_t plan : agenda.codelets) {
    unit.plans.push_back(plan);
    if (unit.plans.size() == kMostInUnit) send();
  }
  send();
}

void Verifier::buildBaseline() {
  baseline_.reference = options_.reference;
  std::optional<Plan> plainest = options_.exact ? forest_.plainest() : std::nullopt;
  if (plainest) plainest->target = report_.target;
  ChildJob job;
  job.work = [this, plainest](const Send &send) {
    try {
      temporaryFilesIn(options_.folder);
      std::filesystem::path reference = options_.reference;
      if (reference.empty())
        reference = buildReference(session_, spectrum_.name, options_.folder / kPlainestFolder).library;
      Message m{"baseline", reference.string(), "", "", ""};
      m[2] = Reference(reference).kernel().plan;
      if (plainest) {
        std::vector<std::string> names;
        m[3] = buildHere(session_, {*plainest}, options_.folder / kExactFolder, "plainest", names).string();
        m[4] = names[0];
      }
      send(m);
    } catch (const DiagnosticError &e) {
      send(joined({"failed"}, e.diagnostic));
    } catch (const ErrorsReported &) {
      send({"errors", errorsOf(session_)});
    }
  };
  job.receive = [this](const Message &m) {
    if (m[0] == "failed") throw DiagnosticError(decodeDiagnostic(m, 1, session_.arena()));
    if (m[0] == "errors") fail(kReference, spectrum_.range, spectrum_.name, m[1]);
    baseline_ = {m[1], m[3], m[4]};
    report_.plainest = m[2];
    baselineBuilt_ = true;
  };
  job.ended = [this](const ChildEnd &end) {
    if (!baselineBuilt_ && isInterrupted()) fail(kInterrupted, spectrum_.range, spectrum_.name);
    if (!baselineBuilt_) fail(kReference, spectrum_.range, spectrum_.name, "the compiler " + end.text());
    callReady();
  };
  job.silence = kEndlessCompiler;
  children_.add(std::move(job));
}

void Verifier::buildLight() {
  if (!options_.reference.empty()) return; // who has built it elsewhere has no other
  double whole = 0;
  for (std::size_t i = fewSets_; i < sets_.size(); ++i)
    if (sets_[i].whole) whole += perElement_ * static_cast<double>(sets_[i].elements());
  if (whole < kWorthLight || !inTime(deadline_)) return;
  ChildJob job;
  job.work = [this](const Send &send) {
    try {
      temporaryFilesIn(options_.folder);
      send({buildReference(session_, spectrum_.name, options_.folder / kLightFolder, ReferenceKind::Light)
                .library.string()});
    } catch (const DiagnosticError &) {
      return; // then there is none
    } catch (const ErrorsReported &) {
      return;
    }
  };
  job.receive = [this](const Message &m) { baseline_.light = m[0]; };
  job.silence = kEndlessCompiler;
  job.deadline = deadline_;
  children_.add(std::move(job));
  children_.run();
}

void Verifier::compile(Unit unit, bool first) {
  if (unit.plans.empty()) return;
  BuildRequest request;
  for (std::size_t p : unit.plans) request.plans.emplace_back(p, plans_[p]);
  request.session = unit.session;
  request.arena = &session_.arena();
  request.folder = options_.folder;
  request.stem = unit.checked ? "checked" : "plans";
  if (!unit.must) request.deadline = std::min(unit.deadline, deadline_);
  request.first = first;
  compiling_ += unit.plans.size();
  addBuild(children_, std::move(request), [this, unit = std::move(unit)](const BuildOutcome &outcome) {
    compiling_ -= outcome.plans.size();
    compiled(unit, outcome);
    callReady();
  });
}

void Verifier::compiled(Unit unit, const BuildOutcome &outcome) {
  if (outcome.late) return;
  unit.plans = outcome.plans;
  unit.built = outcome.built;
  if (!unit.checked) { // what cannot be checked is no failure
    for (std::size_t p : unit.plans) states_[p].begun = true;
    for (const auto &[plan, why] : outcome.unfit) states_[plan].unfit = why;
    for (const auto &[plan, diagnostic] : outcome.refused) states_[plan].refused = diagnostic;
    for (const auto &[plan, why] : outcome.failed) states_[plan].failure.emplace().reason = why;
    for (const BuiltPlan &b : unit.built) states_[b.plan].built = b;
  }
  if (!unit.built.empty()) ready_.push_back(std::move(unit));
  progress();
}

} // namespace tangram::runtime

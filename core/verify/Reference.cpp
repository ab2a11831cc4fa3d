#include "tangram/verify/Reference.h"

#include "tangram/ast/Storage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

namespace tangram::runtime {
namespace {

constexpr DiagnosticKind kNoPlainest{"reference.no-plainest", DiagnosticClass::User,
                                     "'{0}' has no plan that serialises every map and uses autonomous codelets only: "
                                     "there is nothing to compare with",
                                     "give it a __codelet without __coop that calls no spectrum"};
constexpr DiagnosticKind kNone{"reference.none", DiagnosticClass::User,
                               "'{0}' is no reference: it does not say how far results may be from its own",
                               "make one: tangram verify PROGRAM --target T -o FOLDER; it lies below 'plainest'"};
constexpr const char *kTarget = "reference";

/// In what ways undecided questions are answered (decisions.h): as the plainest order does; all the other way, by
/// yes and by no, which end loops as late and as soon as they may end; and by chance, as long as that takes no time.
constexpr std::uint64_t kOwn = 0;
constexpr std::uint64_t kOthers[] = {1, 2, 3};
constexpr std::uint64_t kByChance[] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03, 0x2545f4914f6cdd1d, 0x8ebc6af09c88c6e3,
                                       0x589965cc75374cc3, 0x1d8e4e27c47d124f, 0xeb44accab455d165, 0xa0761d6478bd642f};
constexpr std::size_t kLeastByChance = 2;
constexpr double kSecondsByChance = 2;

/// Opens `plain` for the target `reference`, and composes the plainest plan there.
Plan plainestPlan(Session &session, const std::string &spectrum, Session &plain,
                  ReferenceKind kind = ReferenceKind::Full) {
  const ast::Module &module = session.module();
  hardware::Target target = hardware::loadTarget(kTarget, plain.arena());
  const hardware::Hardware &own = session.target().hardware;
  target.hardware.env = own.env;
  target.hardware.env.push_back(own.name);
  if (kind == ReferenceKind::Light) {
    OptionValues &options = target.pipeline.backend.options;
    std::vector<std::string> flags = options.has("flags") ? options.texts("flags") : std::vector<std::string>{};
    flags.insert(flags.end(), {"-O3", "-DTANGRAM_REFERENCE_LIGHT"});
    options.set("flags", std::move(flags));
  }
  plain.open(&module, std::move(target));
  const Forest forest(module, plain.target().hardware, plain.facts(), spectrum, plain.target().depth);
  std::optional<Plan> plan = forest.plainest();
  if (!plan) {
    for (const ast::Spectrum *s : module.spectrums)
      if (s->name == spectrum) fail(kNoPlainest, s->range, spectrum);
    fail(kNoPlainest, {}, spectrum);
  }
  plan->target = plain.target().name;
  return *plan;
}

/// By the target's own backend, which follows numbers in wider types, where `backend` is empty.
ReferenceLibrary buildBy(const std::string &backend, Session &session, const std::string &spectrum,
                         const std::filesystem::path &folder, ReferenceKind kind = ReferenceKind::Full) {
  SessionOptions options = session.options();
  options.backend = backend;
  Session plain(std::move(options));
  const Plan plan = plainestPlan(session, spectrum, plain, kind);
  ast::Arena arena;
  const ast::Module *lowered = plain.lower({plan}, arena);
  std::filesystem::create_directories(folder);
  return {plain.build(plain.emit(*lowered, "reference"), folder, "reference"), key(plan)};
}

/// Of what is computed in many steps, each from the last, bounds outgrow the numbers: a[i] + c * (a[i - 1] - 2 * a[i] +
/// a[i + 1]) is no farther off than a was, which only who knows that it is the same a[i] can tell. Where that is so of
/// many numbers, the one of them that is farthest off in the plainest order tells what others may be, as for a light
/// reference. How many these are.
std::uint64_t estimate(std::vector<Expected::Number> &numbers, const Value &own) {
  constexpr double kNothing = 1.0 / 256, kTimes = 16, kItself = 64; // of the largest number, bounds that say nothing
  constexpr std::size_t kFew = 64;
  double largest = 0, off = 0;
  const auto known = [&](const Expected::Number &n, std::uint64_t i) {
    return std::isfinite(n.value) && std::isfinite(n.bound) && std::isfinite(own.real(i));
  };
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    if (known(numbers[i], i)) largest = std::max(largest, std::abs(numbers[i].value));
  const auto saysNothing = [&](const Expected::Number &n, std::uint64_t i) {
    return known(n, i) && n.bound > kNothing * largest;
  };
  std::uint64_t count = 0;
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    if (saysNothing(numbers[i], i)) {
      ++count;
      off = std::max(off, std::abs(numbers[i].value - own.real(i)));
    }
  if (count < kFew) return 0;
  const double u = std::ldexp(1, -mantissaBits(own.element()));
  for (std::uint64_t i = 0; i < numbers.size(); ++i)
    if (Expected::Number &n = numbers[i]; saysNothing(n, i))
      n.bound = std::min(n.bound, kTimes * off + kItself * u * std::max(std::abs(n.value), largest / kItself));
  return count;
}

Reference::Outcome counted(Reference::Outcome outcome) {
  for (const Expected &e : outcome.expected) {
    outcome.undecided.numbers += e.unknown();
    outcome.undecided.elements += e.undecided();
    outcome.undecided.written += e.written();
  }
  return outcome;
}

} // namespace

ReferenceLibrary buildReference(Session &session, const std::string &spectrum, const std::filesystem::path &folder,
                                ReferenceKind kind) {
  try {
    return buildBy("", session, spectrum, folder, kind);
  } catch (const DiagnosticError &e) {
    // The one that was asked for may do without a compiler. It has its say only then: a reference is to be made by
    // others than what is compared with it.
    const BackendDescriptor *other = session.registry().backends.find(session.options().backend);
    const bool can = other && std::any_of(other->options.begin(), other->options.end(),
                                          [](const OptionSpec &o) { return o.name == "reference"; });
    if (!can || kind == ReferenceKind::Light || !e.diagnostic.id.ends_with(".no-compiler")) throw;
    try {
      return buildBy(other->name, session, spectrum, folder);
    } catch (const DiagnosticError &) {
      throw e;
    }
  }
}

std::vector<bool> neverRead(Session &session, const std::string &spectrum) {
  SessionOptions options = session.options();
  options.backend = "";
  Session plain(std::move(options));
  const Plan plan = plainestPlan(session, spectrum, plain);
  ast::Arena arena;
  std::set<std::string> written, read;
  for (const ast::Kernel *kernel : plain.lower({plan}, arena)->kernels)
    for (const ast::Storage::Access &access : ast::Storage(*kernel).accesses(kernel->body))
      (access.writes ? written : read).insert(access.buffer);
  std::vector<bool> result;
  for (const ast::Spectrum *s : session.module().spectrums)
    if (s->name == spectrum)
      for (const ast::Param *p : s->params)
        result.push_back(p->type.isArray() && p->access != ast::Access::In && written.contains(p->name) &&
                         !read.contains(p->name));
  return result;
}

Reference::Reference(const std::filesystem::path &library, ReferenceKind kind) : library_(library), kind_(kind) {
  begin_ = reinterpret_cast<decltype(begin_)>(library_.symbol("tangram_reference_begin"));
  end_ = reinterpret_cast<decltype(end_)>(library_.symbol("tangram_reference_end"));
  find_ = reinterpret_cast<decltype(find_)>(library_.symbol("tangram_reference_number"));
  if (!begin_ || !end_ || !find_ || library_.kernels().empty()) fail(kNone, {}, library.string());
}

void Reference::widen(std::vector<Expected::Number> &numbers, tangram_element element, std::uint64_t most) {
  // Of many elements the one that is farthest off tells what others may be; of few, chance may have it that none is,
  // and the length of the longest argument stands for that of their sums (docs/verification.md).
  constexpr double kTimes = 16, kItself = 64;
  constexpr std::size_t kFew = 64;
  double off = 0, largest = 0;
  for (const Expected::Number &n : numbers) {
    if (!std::isfinite(n.value) || !std::isfinite(n.bound)) continue;
    off = std::max(off, n.bound);
    largest = std::max(largest, std::abs(n.value));
  }
  if (off == 0) return; // nothing was rounded
  const double u = std::ldexp(1, -mantissaBits(element));
  double bound = kTimes * off;
  if (numbers.size() < kFew) bound = std::max(bound, kTimes * u * std::sqrt(static_cast<double>(most)) * largest);
  for (Expected::Number &n : numbers)
    if (std::isfinite(n.value)) n.bound = std::max(n.bound, bound + kItself * u * std::abs(n.value));
}

bool Reference::Outcome::isExact() const {
  constexpr std::uint64_t kFew = 64;
  if (!result.ok() || undecided) return false;
  std::uint64_t numbers = 0;
  for (const Expected &e : expected) {
    for (std::size_t f = 0; f < e.values().type().fields.size(); ++f)
      if (const std::vector<Expected::Number> *all = e.numbers(f)) {
        if (std::any_of(all->begin(), all->end(), [](const Expected::Number &n) { return n.bound != 0; })) return false;
        numbers += all->size();
      }
  }
  return numbers >= kFew;
}

Reference::Outcome Reference::call(const std::vector<Value> &arguments) const {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome = callOnce(arguments, kOwn);
  if (!outcome.result.ok() || !outcome.undecided.questions) return counted(std::move(outcome));
  auto also = [&](std::uint64_t answers) {
    const Outcome other = callOnce(arguments, answers);
    if (!other.result.ok()) return;
    for (std::size_t i = 0; i < outcome.expected.size(); ++i) outcome.expected[i].alsoAccept(other.expected[i]);
  };
  for (std::uint64_t answers : kOthers) also(answers);
  for (std::size_t i = 0; i < std::size(kByChance); ++i) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (i >= kLeastByChance && taken.count() > kSecondsByChance) break;
    also(kByChance[i]);
  }
  return counted(std::move(outcome));
}

Reference::Outcome Reference::callOnce(const std::vector<Value> &arguments, std::uint64_t answers) const {
  Outcome outcome;
  std::vector<Value> values;
  for (const Value &v : arguments) values.push_back(v.copy());
  begin_(answers);
  auto start = std::chrono::steady_clock::now();
  outcome.result = runtime::call(kernel(), values);
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  outcome.undecided.questions = end_();
  if (!outcome.result.ok()) return outcome;
  std::uint64_t most = 1;
  for (const Value &v : values) most = std::max(most, v.count());
  for (std::size_t p = 0; p < values.size(); ++p) {
    std::vector<std::vector<Expected::Number>> numbers;
    bool written = kernel().params[p].access != TANGRAM_IN;
    std::size_t fields = written ? std::max<std::size_t>(1, values[p].type().fields.size()) : 0;
    for (std::size_t f = 0; f < fields; ++f) {
      Value field = values[p].field(f);
      numbers.emplace_back();
      if (!field.isFloating()) continue;
      numbers.back().resize(field.count());
      for (std::uint64_t i = 0; i < field.count(); ++i) {
        tangram_reference_element element;
        bool known = find_(field.address(i), field.element(), &element);
        numbers.back()[i] = known ? Expected::Number{element.value, element.bound} : Expected::Number{field.real(i), 0};
      }
      if (kind_ == ReferenceKind::Light)
        widen(numbers.back(), field.element(), most);
      else
        outcome.undecided.estimated += estimate(numbers.back(), field);
    }
    outcome.expected.emplace_back(std::move(values[p]), std::move(numbers)).setWritten(written);
  }
  return outcome;
}

} // namespace tangram::runtime

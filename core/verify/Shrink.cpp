#include "Shrink.h"

#include "Meaning.h"
#include "tangram/verify/KernelLibrary.h"

#include <algorithm>
#include <limits>

namespace tangram::runtime {
namespace {

constexpr std::uint64_t kLargest = 1100;    // elements of what is tried
constexpr std::uint64_t kMostReplaced = 64; // elements of an argument that are replaced one by one
constexpr std::uint64_t kShown = 16;

std::string textOf(const std::string &name, const Value &value) {
  if (value.rank() == 0) return fmt::format("{} = {}", name, value.text(0));
  std::vector<std::string> elements;
  for (std::uint64_t i = 0; i < value.count(); ++i) elements.push_back(value.text(i));
  return fmt::format("{} = [{}]", name, fmt::join(elements, ", "));
}

/// Replaces elements of arguments in the process that calls; whatever still fails is told at once, so that a crash
/// loses nothing.
class Replacing {
public:
  Replacing(const ast::Spectrum &spectrum, const Baseline &baseline, const std::filesystem::path &library,
            const std::string &entry, const ArgumentSet &set, const VerifyOptions &options, const Send &send)
      : options_(options), meaning_(baseline.meaning), reference_(baseline.reference), library_(library),
        kernel_(library_.get(entry)), send_(send), values_(makeArguments(spectrum, reference_.kernel(), set, options)) {
  }

  void run() {
    if (!keep()) return;
    for (std::size_t p = 0; p < values_.size(); ++p) {
      Value &value = values_[p];
      bool input = kernel_.params[p].access != TANGRAM_OUT;
      if (!input || value.rank() == 0 || value.type().isStruct() || options_.arguments.count(kernel_.params[p].name))
        continue;
      replace(value, 0, value.count(), 1);
      if (value.count() > kMostReplaced) continue;
      for (std::uint64_t part = value.count(); part > 0; part /= 2)
        for (std::uint64_t at = 0; at < value.count(); at += part)
          replace(value, at, std::min(part, value.count() - at), 0);
    }
  }

private:
  void replace(Value &value, std::uint64_t at, std::uint64_t count, int by) {
    if (std::chrono::steady_clock::now() >= options_.deadline) return;
    Value before = value.copy();
    bool changed = false;
    for (std::uint64_t i = at; i < at + count; ++i) {
      std::int64_t now = value.isFloating() ? 2 : value.integer(i);
      if (value.isFloating() ? value.real(i) == by : now == by) continue;
      changed = true;
      if (value.isFloating())
        value.setReal(i, by);
      else
        value.setInteger(i, by);
    }
    if (changed && !keep()) value.assign(before);
  }

  /// Whether it fails with the values as they are.
  bool keep() {
    Reference::Outcome right = reference_.call(values_);
    if (!right.result.ok() || (meaning_ && !meaning_->undefined(values_).value_or("").empty())) return false;
    std::vector<Value> values;
    for (const Value &v : values_) values.push_back(v.copy());
    CallResult result = call(kernel_, values);
    std::optional<PlanFailure> bad = judge(kernel_, result, values, right.expected, {});
    if (!bad) return false;
    Message m{"fails", bad->reason};
    for (std::size_t p = 0; p < values_.size(); ++p)
      if (kernel_.params[p].access != TANGRAM_OUT && values_[p].count() <= kShown)
        m.push_back(textOf(kernel_.params[p].name, values_[p]));
    send_(m);
    return true;
  }

  const VerifyOptions &options_;
  std::shared_ptr<const Meaning> meaning_;
  Reference reference_;
  KernelLibrary library_;
  const tangram_kernel &kernel_;
  const Send &send_;
  std::vector<Value> values_;
};

} // namespace

Plan smallestFailing(Plan plan, const std::function<std::vector<Plan>(const Plan &)> &simpler,
                     const std::function<std::optional<std::vector<bool>>(const std::vector<Plan> &)> &fails) {
  constexpr std::size_t kAtOnce = 6; // few, so that the first that fails is soon found
  for (bool smaller = true; smaller;) {
    smaller = false;
    std::vector<Plan> candidates = simpler(plan);
    for (std::size_t from = 0; from < candidates.size() && !smaller; from += kAtOnce) {
      std::vector<Plan> some(candidates.begin() + static_cast<std::ptrdiff_t>(from),
                             candidates.begin() +
                                 static_cast<std::ptrdiff_t>(std::min(from + kAtOnce, candidates.size())));
      std::optional<std::vector<bool>> failing = fails(some);
      if (!failing) return plan;
      for (std::size_t i = 0; i < some.size() && !smaller; ++i)
        if ((*failing)[i]) {
          plan = some[i];
          smaller = true;
        }
    }
  }
  return plan;
}

namespace {

/// Looks for arguments of which a kernel fails.
class Sizes {
public:
  Sizes(const ast::Spectrum &spectrum, const Baseline &baseline, const std::filesystem::path &library,
        const std::string &entry, const VerifyOptions &options)
      : spectrum_(spectrum), baseline_(baseline), library_(library), entry_(entry), options_(options) {
    options_.randomSizes = 0;
  }

  std::optional<ArgumentSet> set; // the last one that was found
  std::string reason;

  /// Whether it fails for some arguments of these sizes with at most that many elements: `set` is the first one.
  bool fails(std::vector<std::uint64_t> sizes, std::uint64_t mostElements) {
    options_.sizes = std::move(sizes);
    std::vector<std::string> skipped;
    std::vector<ArgumentSet> sets = makeArgumentSets(spectrum_, options_, skipped);
    std::erase_if(sets, [&](const ArgumentSet &s) { return s.elements() > mostElements; });
    std::stable_sort(sets.begin(), sets.end(), [](const ArgumentSet &a, const ArgumentSet &b) {
      return std::pair(a.elements(), !a.whole) < std::pair(b.elements(), !b.whole);
    });
    std::size_t first = sets.size();
    BatchEvents events;
    events.untilFailure = true;
    events.failed = [&](std::size_t, std::size_t failing, const PlanFailure &f) {
      if (failing >= first) return;
      first = failing;
      reason = f.reason;
    };
    events.passed = events.leftOut = [](std::size_t, std::size_t) {};
    events.skipped = events.broken = [](std::size_t, const std::string &) {};
    events.undecided = [](std::size_t, Undecided) {};
    events.undefined = [this](std::size_t) { undefined_ = true; };
    events.outOfRange = [](const std::string &) {};
    callPlans(spectrum_, baseline_, {{0, library_, entry_}}, sets, options_, events);
    if (first == sets.size()) return false;
    set = sets[first];
    return true;
  }

  /// Whether it fails for a size above `from`, up to `most`: for the least one, where what fails for one size fails
  /// for all greater ones.
  bool failsFrom(std::uint64_t from, std::uint64_t most) {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t passes = from, fail = from;
    for (bool found = false; !found;) {
      // Of more arguments nobody sees whether the source has an outcome.
      if (fail >= most || undefined_ || std::chrono::steady_clock::now() >= options_.deadline) return false;
      passes = fail;
      fail = std::min(2 * fail, most);
      found = fails({fail}, kAll);
    }
    while (fail - passes > 1 && std::chrono::steady_clock::now() < options_.deadline) {
      const std::uint64_t middle = passes + (fail - passes) / 2;
      (fails({middle}, kAll) ? fail : passes) = middle;
    }
    return true;
  }

  const VerifyOptions &options() const { return options_; }

private:
  const ast::Spectrum &spectrum_;
  const Baseline &baseline_;
  const std::filesystem::path &library_;
  const std::string &entry_;
  VerifyOptions options_;
  bool undefined_ = false; // the source, of some of them
};

} // namespace

std::optional<SmallInput> smallestInput(const ast::Spectrum &spectrum, const Baseline &baseline,
                                        const std::filesystem::path &library, const std::string &entry,
                                        const VerifyOptions &options, std::uint64_t most) {
  std::vector<std::uint64_t> small;
  for (std::uint64_t n = 0; n <= 20; ++n) small.push_back(n);
  for (std::uint64_t n = 32; n <= kLargest; n *= 2) small.insert(small.end(), {n - 1, n, n + 1});
  Sizes sizes(spectrum, baseline, library, entry, options);
  if (!sizes.fails(small, 4 * kLargest) && !sizes.failsFrom(small.back(), most)) return {};
  SmallInput found{sizes.set->text, sizes.reason, {}};
  runChild(
      [&](const Send &send) { Replacing(spectrum, baseline, library, entry, *sizes.set, sizes.options(), send).run(); },
      [&](const Message &m) {
        found.reason = m[1];
        found.values.assign(m.begin() + 2, m.end());
      },
      options.timeout + options.slowest);
  return found;
}

} // namespace tangram::runtime

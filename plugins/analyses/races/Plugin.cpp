#include "Conflicts.h"
#include "OneContainer.h"

#include "tangram/compose/Sizes.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace tangram {
namespace {

using namespace ast;
using races::Access;
using races::Conflict;

constexpr DiagnosticKind kConflict{
    "races.conflict", DiagnosticClass::User,
    "calls of one map touch the same elements of '{0}', and {1} writes them without atomics",
    "the calls of a map may run at once: use an atomic, as atomicAdd, or give each call rows, elements or parts of its "
    "own that do not overlap"};
constexpr DiagnosticKind kUndecided{
    "races.undecided", DiagnosticClass::User,
    "whether calls of one map touch the same elements of '{0}', which {1} writes without atomics, cannot be decided",
    "it is not used in that map: use an atomic, as atomicAdd, or give each call rows, elements or parts of its own; "
    "where "
    "no call touches what another one writes, say so by __independent in front of {2}",
    Severity::Warning};
constexpr DiagnosticKind kLeftOut{
    "races.left-out", DiagnosticClass::User,
    "calls of one map touch the same elements of '{0}', and {1} writes them without atomics",
    "it is not used in that map, where others of its spectrum are: use an atomic, as atomicAdd, to have it used, too",
    Severity::Warning};

constexpr DiagnosticKind kBesideAtomics{
    "races.beside-atomics", DiagnosticClass::User,
    "calls of one map may read elements of '{0}' that {1} changes by atomics: what they find depends on which is first",
    "use what the atomic returns, or read in a map of its own; where any of the values will do, say so by "
    "__independent in front of {2}",
    Severity::Warning};

constexpr DiagnosticKind kShared{
    "races.one-container", DiagnosticClass::User,
    "{0} passes '{1}' one container for several parameters, one of which '{1}' writes at other places, or more often, "
    "than it "
    "reads the others",
    "its loops are not divided, here and in other calls: pass a copy of what is read, or write such a computation as a "
    "spectrum of its own, with one parameter for the container",
    Severity::Warning};

std::string title(const Spectrum &spectrum, const Codelet &codelet) {
  return fmt::format("codelet '{}({})'", spectrum.name, codelet.name);
}

class RaceAnalysis final : public Analysis {
public:
  void run(const Module &module, const hardware::Hardware &, Facts &facts, DiagnosticEngine &diags) override {
    const RangeParameters ranges = rangeParameters(module);
    races::Symbols symbols;
    races::Summaries summaries = races::summarize(module, symbols, ranges);
    const races::Aliases aliases = races::aliases(module, summaries, symbols);
    for (const Spectrum *s : module.spectrums)
      for (std::size_t c = 0; c < s->codelets.size(); ++c)
        writes(*s->codelets[c], summaries[s->name].codelets[c], facts.races);
    for (const Spectrum *s : module.spectrums)
      for (const Codelet *c : s->codelets) {
        std::map<const Map *, std::vector<Conflict>> maps;
        for (Conflict &conflict : races::conflicts(module, *s, *c, summaries, aliases, symbols, facts.races.passed))
          maps[conflict.map].push_back(std::move(conflict));
        for (auto &[map, found] : maps) judge(*map, found, facts.races);
      }
    report(diags);
    for (const auto &[spectrum, alias] : races::oneContainer(module, summaries, aliases, symbols)) {
      facts.races.oneContainer[spectrum] = title(*alias.spectrum, *alias.codelet);
      shared(*findSpectrum(module, spectrum), alias, diags);
    }
    relyOn(module, ranges, summaries, aliases, symbols, facts.races);
  }

private:
  /// Which spectrums are free of races only because they are given ranges: those without which conflicts appear.
  static void relyOn(const Module &module, const RangeParameters &ranges, const races::Summaries &summaries,
                     const races::Aliases &aliases, races::Symbols &symbols, Races &races) {
    std::set<std::string> spectrums;
    for (const auto &[spectrum, param] : ranges) spectrums.insert(spectrum);
    for (const std::string &without : spectrums) {
      const races::Summaries others = races::summarize(module, symbols, rangeParameters(module, {without}), &summaries);
      std::ptrdiff_t before = 0, behind = 0;
      races::Passed passed;
      for (const Spectrum *s : module.spectrums) {
        if (others.at(s->name).same) continue;
        for (const Codelet *c : s->codelets) {
          if (c->independent) continue; // it is so by promise
          auto conflicts = [&](const races::Summaries &known) {
            const std::vector<Conflict> found = races::conflicts(module, *s, *c, known, aliases, symbols, passed);
            return std::count_if(found.begin(), found.end(), [](const Conflict &c) { return !c.besideAtomic(); });
          };
          before += conflicts(summaries);
          behind += conflicts(others);
        }
      }
      if (behind <= before) continue;
      for (const auto &[spectrum, param] : ranges)
        if (spectrum == without) races.ranges.insert({spectrum, param});
    }
  }

  /// Says so where that costs something: where expanders made codelets.
  static void shared(const Spectrum &spectrum, const races::Alias &alias, DiagnosticEngine &diags) {
    const auto &all = spectrum.codelets;
    if (std::any_of(all.begin(), all.end(), [](const Codelet *c) { return !c->from.empty(); }))
      diags.report(kShared, alias.place, title(*alias.spectrum, *alias.codelet), spectrum.name)
          .note(spectrum.range, "the spectrum");
  }

  enum class Verdict : std::uint8_t { BesideAtomics, Undecided, LeftOut, Refused };
  using Place = std::tuple<std::string, unsigned, unsigned>;
  struct Finding {
    Verdict verdict = Verdict::BesideAtomics;
    std::vector<Conflict> conflicts; // of different maps
  };

  static Place placeOf(const Node &node) { return placeOf(node.range); }
  static Place placeOf(const SourceRange &range) { return {range.file ? *range.file : "", range.line, range.column}; }

  static void writes(const Codelet &codelet, const races::CodeletSummary &summary, Races &races) {
    for (const Access &a : summary.accesses)
      for (unsigned p = 0; p < codelet.params.size(); ++p)
        if (a.codelet == &codelet && a.kind == Access::Kind::Write && codelet.params[p]->name == a.container)
          races.writes.emplace(std::pair(&codelet, p), a.place);
  }

  void judge(const Map &map, const std::vector<Conflict> &found, Races &races) {
    // Refused where none of the codelets that its calls may be does without.
    std::set<const Codelet *> touched, certain, other;
    for (const Conflict &c : found) {
      if (c.besideAtomic()) continue;
      touched.insert(c.codelet);
      if (!c.widened) (c.certain ? certain : other).insert(c.codelet);
    }
    const std::vector<const Codelet *> &all = found[0].callee->codelets;
    bool refused = !certain.empty() && std::all_of(all.begin(), all.end(), [&](const Codelet *c) {
      return certain.count(c) || (touched.count(c) && !other.count(c));
    });
    bool promised = found[0].mapCodelet->independent;
    for (const Conflict &c : found) {
      if (c.besideAtomic()) {
        if (!promised && c.codelet->from.empty()) note(c, Verdict::BesideAtomics, c.other);
        continue;
      }
      bool isCertain = certain.count(c.codelet) != 0 && c.certain;
      for (const std::optional<unsigned> &argument : {c.written, c.touched})
        if (argument) races.watched[&map].insert(*argument);
      if (promised && !isCertain) continue;
      if (c.written) races.contended[{&map, c.codelet}].insert(*c.written);
      Verdict verdict = !isCertain ? Verdict::Undecided : refused ? Verdict::Refused : Verdict::LeftOut;
      // Of what an expander made, what it is made of has been said.
      if (c.codelet->from.empty()) note(c, verdict, c.write);
    }
  }

  void note(const Conflict &c, Verdict verdict, const Access &at) {
    Finding &finding = findings_[{placeOf(at.place), at.name}];
    finding.verdict = std::max(finding.verdict, verdict);
    bool known = std::any_of(finding.conflicts.begin(), finding.conflicts.end(),
                             [&](const Conflict &k) { return placeOf(*k.map) == placeOf(*c.map); });
    if (!known) finding.conflicts.push_back(c);
  }

  void report(DiagnosticEngine &diags) const {
    for (const auto &[_, finding] : findings_) {
      const Conflict &first = finding.conflicts[0];
      const Access &write = first.write;
      if (finding.verdict == Verdict::BesideAtomics) {
        auto handle =
            diags.report(kBesideAtomics, first.other.place, first.other.name, title(*write.spectrum, *write.codelet),
                         title(*first.mapSpectrum, *first.mapCodelet));
        for (const Conflict &c : finding.conflicts)
          handle.note(c.map->range, fmt::format("the map, in {}", title(*c.mapSpectrum, *c.mapCodelet)));
        handle.note(write.place, fmt::format("the atomic, on '{}'", write.name));
        continue;
      }
      std::string who = title(*write.spectrum, *write.codelet), home = title(*first.mapSpectrum, *first.mapCodelet);
      const DiagnosticKind &kind = finding.verdict == Verdict::Refused   ? kConflict
                                   : finding.verdict == Verdict::LeftOut ? kLeftOut
                                                                         : kUndecided;
      auto handle = diags.report(kind, write.place, write.name, who, home);
      for (const Conflict &c : finding.conflicts) {
        handle.note(c.map->range, fmt::format("the map, in {}", title(*c.mapSpectrum, *c.mapCodelet)));
        if (c.byMap)
          handle.note(c.map->range, "what it runs over, or where its results go, is the same container");
        else if (placeOf(c.other.place) != placeOf(write.place))
          handle.note(c.other.place, fmt::format("the same elements, as '{}', are {} here", c.other.name,
                                                 c.other.kind == Access::Kind::Read ? "read" : "written"));
        if (c.alias)
          handle.note(c.alias->place, fmt::format("one container is passed for both, in {}",
                                                  title(*c.alias->spectrum, *c.alias->codelet)));
      }
    }
  }

  std::map<std::pair<Place, std::string>, Finding> findings_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("races", "1.0", "finds calls of a map that write what others touch") {
  tangram::AnalysisDescriptor descriptor;
  descriptor.name = "races";
  descriptor.summary = "finds calls of one map that may touch the same element, one of them writing without atomics";
  descriptor.establishes = {"races"};
  descriptor.create = [](const tangram::OptionValues &) { return std::make_unique<tangram::RaceAnalysis>(); };
  registry.analyses.add(std::move(descriptor));
}

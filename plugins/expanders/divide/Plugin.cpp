// divide: a nest's loops are ways to divide it.
#include "Accumulations.h"
#include "AlternatingBuffers.h"
#include "Blocks.h"
#include "Buffering.h"
#include "Captures.h"
#include "Copies.h"
#include "CountedSlots.h"
#include "Distribution.h"
#include "Divide.h"
#include "FieldSums.h"
#include "Gathering.h"
#include "InPlace.h"
#include "InclusionExclusion.h"
#include "LastWriters.h"
#include "LocalArrays.h"
#include "OwnCopies.h"
#include "PartialResults.h"
#include "PrivateContainers.h"
#include "Rectangles.h"
#include "RescheduledIterations.h"
#include "Rescheduling.h"
#include "Residency.h"
#include "RisingBounds.h"
#include "ScannedColumns.h"
#include "Shapes.h"
#include "SharedReductions.h"
#include "Sinking.h"
#include "Splits.h"
#include "TimeTiles.h"
#include "UpdatesApart.h"
#include "Wavefronts.h"

#include "tangram/ast/Walk.h"
#include "tangram/nest/AscendingLoops.h"
#include "tangram/nest/AssignedOnce.h"
#include "tangram/nest/CarriedElements.h"
#include "tangram/nest/FieldsOfStructs.h"
#include "tangram/nest/FirstPlaces.h"
#include "tangram/nest/Flags.h"
#include "tangram/nest/Increments.h"
#include "tangram/nest/IndicesInPlace.h"
#include "tangram/nest/LastValues.h"
#include "tangram/nest/MergedStores.h"
#include "tangram/nest/PreviousValues.h"
#include "tangram/nest/Promotion.h"
#include "tangram/nest/Read.h"
#include "tangram/nest/Remainders.h"
#include "tangram/nest/Searches.h"
#include "tangram/nest/SelectedElements.h"
#include "tangram/nest/Selections.h"
#include "tangram/nest/StructuredLoops.h"
#include "tangram/nest/WrappedCounters.h"
#include "tangram/pass/NumberLists.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace tangram {
namespace {

using namespace ast;

/// Copies of so many elements leave room for many groups; larger ones are 16 times as large each.
constexpr std::int64_t kFewElements = 256;

/// Of all copies of a group together, where there are several.
constexpr std::int64_t kCopiedElements = 16384;

/// Of what is expanded, where the option says nothing: elements of four bytes that take a sixteenth of the target's
/// memory; as many as fit most machines where it says nothing of that.
std::int64_t mostExpanded(const hardware::Target &target) {
  const hardware::Memory *memory = target.hardware.top().memory("global");
  return memory && memory->bytes ? static_cast<std::int64_t>(memory->bytes / 64) : std::int64_t{1} << 27;
}

/// What a group may keep of rows: all of its scratchpad memory, but for what reductions exchange.
std::uint64_t roomForRows(const hardware::Target &target) {
  constexpr std::uint64_t kOthers = 4096;
  std::uint64_t most = 0;
  for (const hardware::Level &level : target.hardware.levels)
    if (const hardware::Memory *memory = level.memory("scratchpad")) most = std::max(most, memory->bytes);
  return most - std::min(most, kOthers);
}

class Divide final : public Expander {
public:
  explicit Divide(const OptionValues &values)
      : mostElements_(values.integer("private-elements")), copies_(values.integer("private-copies")),
        expandedElements_(values.integer("expanded-elements")), tile_(values.integer("wavefront-tile")),
        block_(values.integer("block")), scanRows_(values.integer("scan-rows")), collapse_(values.flag("collapse")),
        streams_(values.flag("streams")), ownCopies_(values.flag("own-copies")), all_(values.flag("all")) {
    for (const auto &[name, list] : lists(timeTiles_)) *list = numberList(values, name, "expander 'divide'");
  }
  static std::vector<std::pair<std::string, Ints *>> lists(divide::TimeTileChoices &choices) {
    return {{"time-steps", &choices.steps},
            {"time-tile-lengths", &choices.lengths},
            {"time-tile-squares", &choices.squares},
            {"time-tile-cubes", &choices.cubes},
            {"time-tile-lanes", &choices.lanes}};
  }
  const Module *run(const Module *module, ExpandContext &context) override {
    divide::DivideOptions options;
    options.reorder = context.target.promise("order") != "preserve";
    options.collapse = collapse_;
    options.streams = streams_;
    options.mostExpanded = expandedElements_ > 0 ? expandedElements_ : mostExpanded(context.target);
    for (std::int64_t elements = kFewElements; elements <= mostElements_; elements *= 16)
      options.privates.push_back({elements, std::clamp<std::int64_t>(kCopiedElements / elements, 1, copies_)});
    Names names; // of spectrums
    for (const Spectrum *s : module->spectrums) names.reserve(s->name);
    for (const Function *f : module->functions) names.reserve(f->name);
    for (const Struct *s : module->structs) names.reserve(s->name);
    std::vector<const Spectrum *> spectrums = module->spectrums;
    Added added;
    for (const Spectrum *&spectrum : spectrums) {
      if (!all_ && isDivided(*spectrum)) continue;
      std::vector<const Codelet *> codelets = spectrum->codelets;
      for (const Codelet *codelet : spectrum->codelets) {
        if (codelet->coop) continue;
        nest::Nests nests(*module);
        whole(nests, *spectrum, codelet, options, names, context, codelets, added);
        if (const Codelet *searched = nest::withSearches(codelet, *module, context.arena); searched != codelet)
          whole(nests, *spectrum, changed(searched, *codelet, *codelet, "_searched", context), options, names, context,
                codelets, added);
      }
      if (codelets.size() != spectrum->codelets.size())
        spectrum = context.arena.derive(spectrum, [&](Spectrum &s) { s.codelets = codelets; });
    }
    if (added.spectrums.empty()) return module;
    spectrums.insert(spectrums.end(), added.spectrums.begin(), added.spectrums.end());
    return context.arena.derive(module, [&](Module &m) {
      m.spectrums = spectrums;
      m.structs.insert(m.structs.end(), added.structs.begin(), added.structs.end());
    });
  }

private:
  struct Added {
    std::vector<const Spectrum *> spectrums;
    std::vector<const Struct *> structs;
  };

  static const Codelet *changed(const Codelet *made, const Codelet &before, const Codelet &written, const char *suffix,
                                ExpandContext &context) {
    return context.arena.derive(made, [&](Codelet &c) {
      c.from = written.from.empty() ? written.name : written.from;
      c.name = c.tag = before.name + suffix;
    });
  }

  /// A codelet of a spectrum, in the form that loops are looked at.
  void whole(nest::Nests &nests, const Spectrum &spectrum, const Codelet *codelet, const divide::DivideOptions &options,
             Names &names, ExpandContext &context, std::vector<const Codelet *> &codelets, Added &added) const {
    if (!contains<For>(codelet->body)) return;
    const Module &module = nests.module();
    const Codelet *structured = nest::withFlags(nest::withStructuredLoops(codelet, context.arena), context.arena);
    structured = nest::withFirstPlaces(structured, context.arena);
    structured = nest::withWrappedCounters(spectrum, structured, context.arena);
    structured = nest::withMergedStores(module, structured, context.arena);
    structured = nest::withAssignedOnce(module, structured, context.arena);
    structured = nest::withIndicesInPlace(module, structured, context.arena);
    const bool shaped = shapes(nests, spectrum, *structured, *codelet, options, names, context, codelets, added);
    structured = nest::withLastValues(nests, structured, context.arena);
    structured = divide::withPartialResults(module, structured, options.reorder, context.arena);
    structured = divide::withLocalArraysShared(nests, *structured, context.arena);
    structured = nest::withUpdatesByField(structured, module, context.arena);
    structured = divide::withFieldSums(nests, *structured, options.reorder, context.arena);
    structured = nest::withPreviousValues(nest::withSelectedElements(structured, context.arena), context.arena);
    const Codelet *plain = divide::withAlternatingBuffers(
        nests, spectrum, *nest::withoutRemainders(nests, structured, context.arena), context.arena);
    plain = divide::withPrivateContainers(nests, *plain, context.arena);
    if (shaped) // else: rows do not come out even
      return divide(nests, spectrum, plain, options, names, context, codelets, added);
    ways(nests, spectrum, plain, options, names, context, codelets, added);
    if (const Codelet *copied = divide::withCopies(nests, *plain, context.arena); copied != plain)
      ways(nests, spectrum, changed(copied, *codelet, *codelet, "_copied", context), options, names, context, codelets,
           added);
  }

  /// Of containers in the shapes that they are used in, where nobody but the codelet sees these.
  bool shapes(const nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet, const Codelet &written,
              const divide::DivideOptions &options, Names &names, ExpandContext &context,
              std::vector<const Codelet *> &codelets, Added &added) const {
    if (isCalled(spectrum, nests.module())) return false;
    const std::optional<divide::Shapes> made =
        divide::withShapes(nests.module(), spectrum, codelet, written.name + "_shaped", names, context.arena);
    if (!made) return false;
    codelets.push_back(context.arena.derive(
        made->codelet, [&](Codelet &c) { c.from = written.from.empty() ? written.name : written.from; }));
    std::vector<const Codelet *> all = made->shaped->codelets;
    nest::Nests own(nests.module());
    whole(own, *made->shaped, all.front(), options, names, context, all, added);
    added.spectrums.push_back(context.arena.derive(made->shaped, [&](Spectrum &s) { s.codelets = all; }));
    return true;
  }

  static bool isCalled(const Spectrum &spectrum, const Module &module) {
    const auto calls = [&](const Codelet *c) {
      return any<SpectrumCall>(c->body, [&](const SpectrumCall &call) { return call.spectrum == spectrum.name; }) ||
             any<Map>(c->body, [&](const Map &map) { return map.spectrum == spectrum.name; });
    };
    return std::any_of(module.spectrums.begin(), module.spectrums.end(),
                       [&](const Spectrum *s) { return std::any_of(s->codelets.begin(), s->codelets.end(), calls); });
  }

  /// A codelet divided as it is, and after steps that leave more of its loops parallel.
  void ways(nest::Nests &nests, const Spectrum &spectrum, const Codelet *codelet, const divide::DivideOptions &options,
            Names &names, ExpandContext &context, std::vector<const Codelet *> &codelets, Added &added,
            bool inPart = false) const {
    divide(nests, spectrum, codelet, options, names, context, codelets, added);
    if (const Codelet *sunk = divide::withSunkDeclarations(nests, *codelet, divide::Sunk::Parallel, context.arena);
        sunk != codelet)
      divide(nests, spectrum, changed(sunk, *codelet, *codelet, "_sunk", context), options, names, context, codelets,
             added);
    if (const Codelet *apart = divide::withUpdatesApart(*codelet, nests.module(), options.reorder, context.arena);
        apart != codelet)
      ways(nests, spectrum, changed(apart, *codelet, *codelet, "_places", context), options, names, context, codelets,
           added, inPart);
    if (const Codelet *rows = divide::withRowSums(nests, *codelet, options.reorder, context.arena); rows != codelet)
      ways(nests, spectrum, changed(rows, *codelet, *codelet, "_rows", context), options, names, context, codelets,
           added, inPart);
    if (const Codelet *gathered = divide::withGatheredUpdates(nests, *codelet, context.arena); gathered != codelet)
      divide(nests, spectrum, changed(gathered, *codelet, *codelet, "_gathered", context), options, names, context,
             codelets, added);
    const Codelet *local = divide::withLocalContainers(*codelet, context.arena);
    if (const Codelet *buffered = divide::withBufferedLoops(nests, *local, context.arena); buffered != codelet)
      divide(nests, spectrum,
             changed(divide::withAlternatingBuffers(nests, spectrum, *buffered, context.arena), *codelet, *codelet,
                     "_buffered", context),
             options, names, context, codelets, added);
    const Codelet *parts =
        divide::withSharedReductions(nests, *codelet, options.reorder, options.mostExpanded, context.arena);
    if (parts != codelet)
      divide(nests, spectrum, changed(parts, *codelet, *codelet, "_shared", context), options, names, context, codelets,
             added);
    if (ownCopies_)
      if (const nest::Nest *nest = nests.of(*codelet))
        if (const Codelet *own = divide::withOwnCopies(*nest, options.reorder, options.mostExpanded, context.arena);
            own != codelet)
          divide(nests, spectrum, changed(own, *codelet, *codelet, "_own", context), options, names, context, codelets,
                 added);
    if (const nest::Nest *nest = nests.of(*codelet))
      if (const Codelet *slots = divide::withCountedSlots(*nest, options.mostExpanded, context.arena); slots != codelet)
        divide(nests, spectrum, changed(slots, *codelet, *codelet, "_slots", context), options, names, context,
               codelets, added);
    if (const nest::Nest *nest = nests.of(*codelet); nest && !nest->unconditional())
      if (const Codelet *atomic = divide::withAtomicUpdatesAnywhere(*nest, options.reorder, context.arena);
          atomic != codelet)
        divide(nests, spectrum, changed(atomic, *codelet, *codelet, "_atomic", context), options, names, context,
               codelets, added);
    if (const nest::Nest *nest = nests.of(*codelet))
      if (const Codelet *owned = divide::withLastWriters(*nest, context.target.hardware.top().memory("global"),
                                                         options.mostExpanded, context.arena);
          owned != codelet)
        divide(nests, spectrum, changed(owned, *codelet, *codelet, "_written", context), options, names, context,
               codelets, added);
    if (!inPart)
      if (const Codelet *resident =
              divide::withResidentRows(nests, spectrum, *codelet, roomForRows(context.target), context.arena);
          resident != codelet)
        divide(nests, spectrum, changed(resident, *codelet, *codelet, "_resident", context), options, names, context,
               codelets, added);
    const Codelet *source = codelet;
    auto also = [&](const Codelet *other, const char *suffix) {
      if (other == source) return;
      source = changed(other, *source, *codelet, suffix, context);
      divide(nests, spectrum, source, options, names, context, codelets, added);
    };
    also(divide::withParallelLoopsOutside(nests, *source, options.mostExpanded, context.arena), "_distributed");
    const auto columns = [&](const Codelet *other) {
      const Codelet *plain =
          withCarried(nests, withPromoted(nests, other, context.arena), options.reorder, context.arena);
      const Codelet *made = divide::withScannedColumns(nests, *plain, scanRows_, options.reorder, context.arena);
      if (made != plain)
        divide(nests, spectrum, changed(made, *other, *codelet, "_columns", context), options, names, context, codelets,
               added);
      return made != plain;
    };
    if (scanRows_ > 0 && !columns(codelet) && source != codelet) columns(source);
    if (const Codelet *apart =
            divide::withRunningValuesApart(nests, *codelet, *source, options.mostExpanded, context.arena)) {
      apart = changed(apart, *codelet, *codelet, "_apart", context);
      divide(nests, spectrum, apart, options, names, context, codelets, added);
      if (scanRows_ > 0) columns(apart);
    }
    also(divide::withSplitLoops(nests, *source, context.arena), "_split");
    if (!inPart) {
      segments(nests, spectrum, *codelet, options, names, context, codelets, added);
      if (!timeTiles_.steps.empty()) steps(nests, spectrum, *codelet, options, names, context, codelets, added);
      if (tile_ > 0) tiles(nests, spectrum, *source, options, names, context, codelets, added);
      if (block_ > 0) {
        blocks(nests, spectrum, *source, options, names, context, codelets, added);
        const Codelet *inPlace = divide::withElementsInPlace(nests, *codelet, context.arena);
        if (inPlace != source) blocks(nests, spectrum, *inPlace, options, names, context, codelets, added);
      }
    }
    std::vector<nest::Remark> refused;
    if (const Codelet *outermost =
            divide::withRescheduledLoops(nests, *source, options.reorder, context.arena, refused);
        outermost != source) {
      also(withIterations(nests, outermost, options.reorder, context.arena, refused), "_rescheduled");
    } else {
      for (const Codelet *whole : {codelet, source}) {
        const Codelet *within = withIterations(nests, whole, options.reorder, context.arena, refused);
        if (within == whole) continue;
        divide(nests, spectrum, changed(within, *whole, *codelet, "_rescheduled", context), options, names, context,
               codelets, added);
        break;
      }
    }
    for (const nest::Remark &r : refused)
      decline(context, spectrum, codelet->name + "_rescheduled_divided", r.range, r.message);
    also(divide::withRectangularLoops(nests, *source, context.arena), "_rectangular");
  }

  /// Loops of an iteration in another order; what these share by arrays of its own is in containers then.
  static const Codelet *withIterations(nest::Nests &nests, const Codelet *codelet, bool reorder, Arena &arena,
                                       std::vector<nest::Remark> &refused) {
    const Codelet *local = divide::withLocalContainers(*codelet, arena);
    const Codelet *made = divide::withRescheduledIterations(nests, *local, reorder, arena, refused);
    return made == local ? codelet : made;
  }

  /// Segments side by side, where their bounds rise.
  void segments(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
                const divide::DivideOptions &options, Names &names, ExpandContext &context,
                std::vector<const Codelet *> &codelets, Added &added) const {
    const std::optional<divide::RisingBounds> made =
        divide::risingBounds(nests, spectrum, codelet, codelet.name + "_rising", names, context.arena);
    if (!made) return;
    codelets.push_back(context.arena.derive(
        made->codelet, [&](Codelet &c) { c.from = codelet.from.empty() ? codelet.name : codelet.from; }));
    const auto complete = [&](const Spectrum &part, const Codelet *source) {
      std::vector<const Codelet *> all = part.codelets;
      ways(nests, part, source, options, names, context, all, added, true);
      added.spectrums.push_back(context.arena.derive(&part, [&](Spectrum &s) { s.codelets = all; }));
    };
    complete(*made->check, made->check->codelets.front());
    complete(*made->segments, made->rising);
  }

  /// Diagonals of tiles one after the other, of which each is divided like any codelet.
  void tiles(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet, const divide::DivideOptions &options,
             Names &names, ExpandContext &context, std::vector<const Codelet *> &codelets, Added &added) const {
    const std::string name = codelet.name + "_wavefronts";
    std::vector<nest::Remark> refused;
    const std::optional<divide::Wavefronts> made =
        divide::wavefronts(nests, spectrum, codelet, name, tile_, names, context.arena, refused);
    for (const nest::Remark &r : refused) decline(context, spectrum, name, r.range, r.message);
    if (!made) return;
    // What stands beside the loop is divided as ever.
    std::vector<const Codelet *> beside;
    divide(nests, spectrum, made->codelet, options, names, context, beside, added);
    const Codelet *whole = beside.empty() ? nullptr : divide::withDiagonals(beside.front(), *made, context.arena);
    if (!whole) whole = divide::withDiagonals(made->codelet, *made, context.arena);
    if (!whole) return;
    codelets.push_back(
        context.arena.derive(whole, [&](Codelet &c) { c.from = codelet.from.empty() ? codelet.name : codelet.from; }));
    std::vector<const Codelet *> inTile = made->tile->codelets;
    ways(nests, *made->tile, inTile.front(), options, names, context, inTile, added, true);
    added.spectrums.push_back(context.arena.derive(made->tile, [&](Spectrum &s) { s.codelets = inTile; }));
    added.spectrums.insert(added.spectrums.end(), made->spectrums.begin(), made->spectrums.end());
  }

  /// A codelet of which a loop has become calls; what stands beside it is divided as ever.
  static void withCalls(nest::Nests &nests, const Spectrum &spectrum, const Codelet *made, const std::string &name,
                        const Codelet &codelet, const divide::DivideOptions &options, Names &names,
                        ExpandContext &context, std::vector<const Codelet *> &codelets, Added &added) {
    std::vector<const Codelet *> beside;
    divide(nests, spectrum, made, options, names, context, beside, added);
    codelets.push_back(context.arena.derive(beside.empty() ? made : beside.front(), [&](Codelet &c) {
      c.from = codelet.from.empty() ? codelet.name : codelet.from;
      c.name = c.tag = name;
    }));
  }

  /// Several steps of time at once, in tiles that overlap.
  void steps(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet, const divide::DivideOptions &options,
             Names &names, ExpandContext &context, std::vector<const Codelet *> &codelets, Added &added) const {
    const std::string name = codelet.name + "_timetiled";
    divide::TimeTileChoices choices = timeTiles_;
    const auto &levels = context.target.hardware.levels;
    choices.lockstep = std::all_of(levels.begin(), levels.end(), [](const hardware::Level &level) {
      return !level.vector || level.sync == hardware::SyncKind::LockStep;
    });
    std::vector<nest::Remark> refused;
    const std::optional<divide::TimeTiles> made =
        divide::timeTiles(nests, spectrum, codelet, name, choices, names, context.arena, refused);
    for (const nest::Remark &r : refused) decline(context, spectrum, name, r.range, r.message);
    if (!made) return;
    withCalls(nests, spectrum, made->codelet, name, codelet, options, names, context, codelets, added);
    added.spectrums.insert(added.spectrums.end(), made->spectrums.begin(), made->spectrums.end());
  }

  /// Blocks one after the other, of which each loop is divided like any codelet.
  void blocks(nest::Nests &nests, const Spectrum &spectrum, const Codelet &codelet,
              const divide::DivideOptions &options, Names &names, ExpandContext &context,
              std::vector<const Codelet *> &codelets, Added &added) const {
    const std::string name = codelet.name + "_blocked";
    std::vector<nest::Remark> refused;
    const std::optional<divide::Blocks> made =
        divide::blocks(nests, spectrum, codelet, name, block_, names, context.arena, refused);
    for (const nest::Remark &r : refused) decline(context, spectrum, name, r.range, r.message);
    if (!made) return;
    withCalls(nests, spectrum, made->codelet, name, codelet, options, names, context, codelets, added);
    for (const Spectrum *part : made->spectrums) {
      std::vector<const Codelet *> all = part->codelets;
      ways(nests, *part, all.front(), options, names, context, all, added, true);
      added.spectrums.push_back(context.arena.derive(part, [&](Spectrum &s) { s.codelets = all; }));
    }
  }

  /// An element that a loop updates is a scalar that it reduces; one that it hands on is then a scalar that goes on.
  static const Codelet *withPromoted(nest::Nests &nests, const Codelet *codelet, Arena &arena) {
    return nest::withPromotedElements(nests, nest::withIncrementsApart(codelet, arena), arena);
  }

  /// What iterations hand on is in scalars, of loops that count up.
  static const Codelet *withCarried(nest::Nests &nests, const Codelet *codelet, bool reorder, Arena &arena) {
    return nest::withAscendingLoops(nest::withCarriedElements(nests, codelet, reorder, arena), arena);
  }

  static void divide(nest::Nests &nests, const Spectrum &spectrum, const Codelet *codelet,
                     const divide::DivideOptions &options, Names &names, ExpandContext &context,
                     std::vector<const Codelet *> &codelets, Added &added) {
    const Codelet *promoted = withPromoted(nests, codelet, context.arena);
    const Codelet *carried = withCarried(nests, promoted, options.reorder, context.arena);
    const nest::Nest *nest = nullptr;
    divide::Division d = attempt(nests, spectrum, carried, options, names, context, nest);
    if (!nest || nest->loops.empty()) {
      for (const nest::Remark &r : nest ? nest->remarks : std::vector<nest::Remark>{})
        decline(context, spectrum, codelet->name + "_divided", r.range, r.message);
      return;
    }
    if (carried != promoted && !d.refused.empty()) { // users know no scalars but their own
      Names unused = names;
      const nest::Nest *written = nullptr;
      const divide::Division other = attempt(nests, spectrum, promoted, options, unused, context, written);
      for (auto &refused : d.refused)
        for (const auto &reason : other.refused)
          if (reason.iterator == refused.iterator) refused = reason;
    }
    for (const auto &[iterator, where, why] : d.refused) {
      if (!d.codelet) decline(context, spectrum, codelet->name + "_divided", where, why);
      if (!iterator.empty()) decline(context, spectrum, "over_" + iterator, where, why);
    }
    if (!d.codelet) return;
    codelets.push_back(context.arena.derive(
        d.codelet, [&](Codelet &c) { c.from = codelet->from.empty() ? codelet->name : codelet->from; }));
    for (const Spectrum *s : d.spectrums) {
      std::vector<const Codelet *> complete;
      for (const Codelet *made : s->codelets)
        complete.push_back(divide::withTables(made, *nest->codelet, context.arena));
      added.spectrums.push_back(
          complete == s->codelets ? s : context.arena.derive(s, [&](Spectrum &other) { other.codelets = complete; }));
    }
    added.structs.insert(added.structs.end(), d.structs.begin(), d.structs.end());
  }

  static divide::Division attempt(nest::Nests &nests, const Spectrum &spectrum, const Codelet *codelet,
                                  const divide::DivideOptions &options, Names &names, ExpandContext &context,
                                  const nest::Nest *&nest) {
    codelet = nest::withFieldsOfStructs(codelet, nests.module(), context.arena);
    codelet = nest::withSelections(nest::withLastValues(nests, codelet, context.arena), context.arena);
    nest = nests.of(*codelet);
    if (!nest || nest->loops.empty()) return {};
    // Loops that accumulate may be divided by atomic operations.
    const Codelet *source = divide::withAtomicUpdates(*nest, options.reorder, context.arena);
    if (source != codelet)
      if (const nest::Nest *changed = nests.of(*source)) nest = changed;
    return divide::divide(nests, *nest, spectrum, options, names, context.arena);
  }

  static void decline(ExpandContext &context, const Spectrum &spectrum, const std::string &codelet, SourceRange where,
                      const std::string &why) {
    context.declined.push_back({spectrum.name, codelet, where, why, {}});
  }

  /// Whether somebody has said how to divide it, by a compound or a cooperative codelet.
  static bool isDivided(const Spectrum &spectrum) {
    return std::any_of(spectrum.codelets.begin(), spectrum.codelets.end(),
                       [](const Codelet *codelet) { return codelet->coop || contains<Map>(codelet->body); });
  }

  std::int64_t mostElements_, copies_, expandedElements_, tile_, block_, scanRows_;
  bool collapse_, streams_, ownCopies_, all_;
  divide::TimeTileChoices timeTiles_;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("divide", "1.0", "divides loops: maps over parts of their ranges, reductions over parts") {
  tangram::ExpanderDescriptor d;
  d.name = "divide";
  d.summary =
      "for a codelet of loops, one more whose loops are maps and reductions over ranges, divided as plans choose";
  d.before = "void scale(a, f) { for (i = 0; i < a.size(); ++i) a[i] *= f; }";
  d.after = "void scale(a, f) { scale_i(range(a.size()), a, f); }\n"
            "void scale_i(i_range, a, f) { for (x = 0; x < i_range.size(); ++x) { i = i_range[x]; a[i] *= f; } }\n"
            "void scale_i(i_range, a, f) { map(scale_at_i, i_range, a, f); }\n"
            "void scale_i(i_range, a, f) { map(scale_i, partition(i_range, parts, ...), a, f); }";
  d.options = {
      {"private-elements",
       "of a container that a loop accumulates into: how many elements a group's own copy may have",
       std::int64_t{4096},
       0,
       65536,
       {}},
      {"private-copies",
       "of containers that a loop accumulates into, how many copies lanes take by turns: where one of them waits "
       "for "
       "the update before, the next one does not",
       std::int64_t{1},
       1,
       16,
       {}},
      {"own-copies",
       "of containers that a loop accumulates into, also a copy in memory for each part of the loop, in place of "
       "atomic "
       "updates",
       false,
       {},
       {},
       {}},
      {"expanded-elements",
       "of a container that iterations of loops have an element of each, instead of a variable of their own: how "
       "many elements it may have where the codelet is given none that is as large; 0: of four bytes, a sixteenth of "
       "the target's global memory, or 2^27 where that is not said",
       std::int64_t{0},
       0,
       std::int64_t{1} << 40,
       {}},
      {"wavefront-tile",
       "of loops that all depend on the iterations before: iterations of each in a tile, diagonals of which go one "
       "after the other; 0: no tiles",
       std::int64_t{32},
       0,
       1024,
       {}},
      {"block",
       "of loops that all depend on the iterations before, and have others in them: iterations of a block, whose part "
       "of "
       "the others goes apart from what lies beyond it; 0: no blocks",
       std::int64_t{64},
       0,
       1024,
       {}},
      {"scan-rows",
       "of a parallel loop around one that scans, rows of a part of the columns that are scanned, parts of all columns "
       "side by side; 0: each column by itself",
       std::int64_t{0},
       0,
       65536,
       {}},
      {"collapse",
       "parallel loops that stand directly in each other, also as one loop over all their iterations",
       false,
       {},
       {},
       {}},
      {"streams",
       "of two parallel loops of which an iteration of the outer one loads what the one before has loaded: also lanes "
       "along the inner loop that go through the outer one, and keep that in registers",
       false,
       {},
       {},
       {}},
      {"all", "also codelets of spectrums that have compound or cooperative ones", false, {}, {}, {}}};
  const char *const docs[] = {"steps of time that a tile does at once; none: one step after the other",
                              "sizes of a tile of one dimension that does steps of time", "of two, in each",
                              "of three, in each", "lanes along the contiguous one of two or three"};
  tangram::divide::TimeTileChoices choices;
  std::size_t i = 0;
  for (const auto &[name, list] : tangram::Divide::lists(choices))
    d.options.push_back(
        tangram::numberListOption(name, std::string("values that plans choose from: ") + docs[i++], *list));
  d.create = [](const tangram::OptionValues &options) { return std::make_unique<tangram::Divide>(options); };
  registry.expanders.add(std::move(d));
}

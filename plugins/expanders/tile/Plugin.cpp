// tile: loops over ranges as cooperative codelets of staged, register-tiled patches, and maps over tiles of them.
#include "Patches.h"
#include "RangeSteps.h"
#include "Tiles.h"

#include "tangram/nest/Statements.h"
#include "tangram/pass/NumberLists.h"
#include "tangram/plugin/Plugin.h"

#include <algorithm>

namespace tangram {
namespace {

using namespace ast;

constexpr DiagnosticKind kNoNumbers{"tile.no-numbers", DiagnosticClass::User,
                                    "option '{0}' of expander 'tile' is an empty list",
                                    "write numbers: {0}: [\"16\", \"32\"]"};

class TileExpander final : public Expander {
public:
  explicit TileExpander(const OptionValues &options) {
    for (const auto &[name, list] : lists(options_.choices)) *list = numbers(options, name);
    copies_ = options.flag("copies");
  }

  static std::vector<std::pair<std::string, Ints *>> lists(tile::Choices &choices) {
    return {{"sizes", &choices.sizes},   {"lengths", &choices.lengths}, {"lanes", &choices.lanes},
            {"blocks", &choices.blocks}, {"columns", &choices.columns}, {"vector", &choices.vector},
            {"depth", &choices.depth},   {"stages", &choices.stages},   {"units", &choices.units}};
  }

  const Module *run(const Module *module, ExpandContext &context) override {
    options_.banks = false;
    options_.copies = 0;
    options_.lockstep = true;
    for (const hardware::Level &level : context.target.hardware.levels) {
      options_.lockstep &= !level.vector || level.sync == hardware::SyncKind::LockStep;
      for (const hardware::Memory &memory : level.memories) {
        options_.banks |= memory.banks > 1;
        if (copies_ && memory.name == "scratchpad") options_.copies = memory.copies;
      }
    }
    if (options_.lockstep) options_.choices.stages = {1}; // caches fetch ahead
    options_.reorder = context.target.promise("order") != "preserve";
    Names names;
    for (const Spectrum *s : module->spectrums) names.reserve(s->name);
    for (const Function *f : module->functions) names.reserve(f->name);
    const tile::RangeSteps steps = tile::rangeSteps(*module);
    std::map<std::string, std::string> tiled;
    std::vector<const Spectrum *> added;
    const std::set<std::string> whole = tile::overWholeRanges(*module);
    for (const Spectrum *spectrum : module->spectrums)
      for (const Codelet *codelet : spectrum->codelets) {
        std::optional<tile::RangeNest> nest = tile::rangeNest(*module, *spectrum, *codelet, steps, context.arena);
        if (!nest) continue;
        tile::arrangeForReuse(*nest, nest::writtenIn(nest->body));
        std::string why;
        const tile::TileSizes sizes = tile::tileSizes(*codelet, *nest, context.arena);
        std::vector<const Codelet *> inTile;
        for (const bool nested : {false, true}) {
          tile::PatchOptions options = options_;
          options.nested = nested;
          std::string reason;
          if (const Codelet *made = tile::patches(*module, *codelet, *nest, sizes, options, context.arena, reason))
            inTile.push_back(made);
          else if (!nested)
            why = reason;
          if (const Codelet *made =
                  fragments(*module, *codelet, *nest, sizes, options, context.target.hardware, context.arena))
            inTile.push_back(made);
        }
        if (inTile.empty()) {
          for (const char *name : {"patches", "tiles"})
            context.declined.push_back({spectrum->name, name, nest->loops[0].where, why, {}});
          continue;
        }
        if (!whole.count(spectrum->name)) continue;
        tile::Tiles tiles =
            tile::tiles(*spectrum, *codelet, *nest, sizes, inTile, options_.choices, names, context.arena);
        tiled[spectrum->name] = tiles.spectrums[0]->name;
        added.insert(added.end(), tiles.spectrums.begin(), tiles.spectrums.end());
        break; // other codelets of the spectrum are the same loops
      }
    return added.empty() ? module : tile::withTiles(*module, tiled, added, context.arena);
  }

private:
  /// The codelet that multiplies matrices, where the machine has units that do and the loops are products.
  const Codelet *fragments(const Module &module, const Codelet &codelet, const tile::RangeNest &nest,
                           const tile::TileSizes &sizes, const tile::PatchOptions &given,
                           const hardware::Hardware &hardware, Arena &arena) const {
    if (!options_.reorder || sizes.size() != 2) return nullptr;
    for (const hardware::Level &level : hardware.levels) // all lanes are those of whole units
      if (level.vector && hardware.lanes(level) % hardware::MatrixShape::kLanes != 0) return nullptr;
    for (const hardware::Level &level : hardware.levels)
      for (const hardware::MatrixShape &shape : level.matrices) {
        tile::PatchOptions options = given;
        options.engine = &level;
        options.shape = &shape;
        Ints &depths = options.choices.depth;
        const auto k = static_cast<Int>(shape.k);
        for (Int &depth : depths) // panels of as many bytes, whatever is multiplied
          depth *= static_cast<Int>(Type(Scalar::F64).bytes() / Type(shape.type).bytes());
        std::erase_if(depths, [&](Int depth) { return depth % k != 0; });
        std::string why;
        if (depths.empty()) continue;
        if (const Codelet *made = tile::patches(module, codelet, nest, sizes, options, arena, why)) return made;
      }
    return nullptr;
  }

  static Ints numbers(const OptionValues &options, const std::string &name) {
    Ints result = numberList(options, name, "expander 'tile'");
    if (result.empty()) fail(kNoNumbers, options.entries().at(name).range, name);
    return result;
  }

  tile::PatchOptions options_;
  bool copies_ = true;
};

} // namespace
} // namespace tangram

TANGRAM_PLUGIN("tile", "1.0", "tiles loops over ranges: staged tiles, patches of points in registers") {
  tangram::ExpanderDescriptor d;
  d.name = "tile";
  d.summary =
      "for loops over ranges, a map over tiles, and a cooperative codelet whose lanes stage what they share and "
      "keep patches of points in registers";
  d.before =
      "void product_i_j(is, js, a, b, c) { for (i in is) for (j in js) { s = 0; for (k...) s += a[i][k] * b[k][j]; "
      "c[i][j] = s; } }";
  d.after =
      "void product_i_j_tiled(is, js, a, b, c) { map(product_i_j_tile, range(tiles of is * tiles of js), ...); }\n"
      "__coop void product_i_j_in_tile(size_i, size_j, is, js, a, b, c) { for (patches) { s_of[] = 0; for (panels of "
      "k) { a_tile, b_tile = "
      "...; for (k in panel) s_of[] += a_of[] * b_of[]; } c[i][j] = s_of[]; } }";
  const char *const docs[] = {"sizes of a tile of two dimensions, in each",
                              "sizes of a tile of one dimension",
                              "lanes along the contiguous one of two dimensions",
                              "blocks of a lane's points, one after the other with what was loaded",
                              "the same along the contiguous one of two dimensions",
                              "neighbouring points of a lane",
                              "turns of a serial loop whose elements are loaded together",
                              "stages of staged tiles: with two, the next ones are loaded while one is used",
                              "units that multiply matrices along the contiguous one of two dimensions"};
  tangram::tile::Choices choices;
  std::size_t i = 0;
  for (const auto &[name, list] : tangram::TileExpander::lists(choices))
    d.options.push_back(
        tangram::numberListOption(name, std::string("values that plans choose from: ") + docs[i++], *list));
  d.options.push_back({"copies",
                       "where the target's 'scratchpad' says so, tiles are copied while lanes go on, not through their "
                       "registers",
                       true,
                       {},
                       {},
                       {}});
  d.create = [](const tangram::OptionValues &options) { return std::make_unique<tangram::TileExpander>(options); };
  registry.expanders.add(std::move(d));
}

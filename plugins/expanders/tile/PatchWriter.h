// What writes the cooperative codelet of a patch (Patches.h): one for each codelet. Points in PatchPoints.cpp, loops
// around them in PatchPanels.cpp, what lanes keep of tiles in PatchWindows.cpp, matrix engines in PatchEngine.cpp.
#pragma once

#include "Contraction.h"
#include "Patches.h"
#include "Staging.h"

#include "tangram/nest/Extremes.h"

#include <deque>
#include <functional>

namespace tangram::tile {

using Stmts = std::vector<const ast::Stmt *>;

/// Whether statements name a variable.
bool mentions(const Stmts &stmts, const std::string &name);

class PatchWriter {
public:
  PatchWriter(const ast::Module &module, const ast::Codelet &codelet, const RangeNest &nest, const TileSizes &sizes,
              const PatchOptions &options, ast::Arena &arena);
  const ast::Codelet *run(std::string &why);

private:
  struct Origin {
    const ast::Expr *first = nullptr; // of the patch, a position in the range
    const ast::Expr *range = nullptr, *size = nullptr;
  };
  /// What stands for variables and elements where a copy of statements is written.
  struct Context {
    std::map<std::string, const ast::Expr *> variables;
    std::map<const ast::Subscript *, const ast::Expr *> elements;
  };
  /// What is done for one of a lane's points, of which it is given the numbers: null along dimensions that it is not
  /// of.
  using PerPoint = std::function<Stmts(const Context &, const std::vector<const ast::Expr *> &)>;
  using PerPointValue = std::function<const ast::Expr *(const Context &, const std::vector<const ast::Expr *> &)>;
  /// How a tile is loaded; `asks`: elements outside of it are zero.
  using PerTile = std::function<const ast::Stmt *(const Staged &, const Staged::Corner &, bool asks)>;

  // ---- may it be done ----
  std::string forbidden() const;
  /// Scalars that outlive their segment are kept for each point.
  std::string keep();
  /// Whether statements might trap, or not end, on elements that are not there.
  bool trusting(const Segment &segment, const References &references) const;
  /// Points that the guard leaves out need not have the elements that others read.
  bool loadsBehindGuard(const References &references) const { return nest_.guard && !references.direct.empty(); }
  bool touchesWritten(const Stmts &stmts) const;
  std::set<std::string> keptOfScalars() const;
  bool findContractions();

  // ---- copies of the body ----
  const ast::Expr *number(std::int64_t n) const { return build_.integer(kNumber, n); }
  const ast::Stmt *count(const std::string &name, const ast::Type &type, const ast::Expr *end, Stmts body,
                         const ast::Expr *by = nullptr) const;
  Stmts copy(const Stmts &stmts, const Context &context);
  const ast::Expr *replaced(const ast::Expr *e, const Context &context) const;
  /// Loops over a lane's points along some dimensions. `inside` is given their numbers (null along the others) and
  /// says what is done; `only` leaves out points that are not there.
  Stmts points(Context context, const std::vector<bool> &along, bool only, const PerPoint &inside);
  /// How many points a loop goes through here, and which of all a point is.
  const ast::Expr *many(std::size_t d) const { return block_.empty() ? lanes_->points(d) : lanes_->blockPoints(d); }
  const ast::Expr *ofAll(std::size_t d, const ast::Expr *point) const {
    return block_.empty() || !point ? point : build_.add(build_.mul(block_[d], lanes_->blockPoints(d)), point);
  }
  const ast::Expr *numberAt(const RangeLoop &l, const ast::Expr *at) const;
  const ast::Expr *element(const std::string &array, const ast::Type &type, const ast::Expr *index) const {
    return build_.element(build_.var(array, ast::Type::array(1, type)), {build_.cast(kSize, index)}, type);
  }
  const ast::Stmt *array(const std::string &name, const ast::Type &type, const ast::Expr *extent) const;
  const ast::Expr *pointsOf(const std::vector<bool> &along) const;

  // ---- the patch ----
  /// Loops over the band's ranges in steps of the patch, and what is done for each.
  Stmts patch();
  /// Segments `first` up to `last` for all points, which share so many loops around them.
  Stmts written(std::size_t first, std::size_t last, std::size_t depth);
  /// A loop that all points go through together.
  Stmts looped(const nest::LoopRange &range, Stmts body);
  /// Points whose sums are no numbers do all up to here once more, as it is written: a factor may have been none, or
  /// infinite, of something that counts as zero.
  Stmts repair(std::size_t last);
  /// What iterators lie between in the patch.
  nest::IteratorBox corners() const;
  /// Iterators of the patch's dimensions at its first position.
  Context atFirst() const;
  Staged &staged(const Tile &tile, const std::vector<const ast::Expr *> &panel);
  ast::ReplaceVariable replacement(const Context &context) const;
  /// Loads tiles together, so that all loads are under way at a time; whole ones without asking for each element.
  Stmts load(const std::deque<Staged *> &tiles, const Context &first);
  Stmts load(const std::deque<Staged *> &tiles, const Context &first, const PerTile &each);
  std::vector<const ast::Expr *> positions(const std::vector<const ast::Expr *> &point) const;
  /// Statements for all points.
  Stmts forAll(const Stmts &body, const Context &context, bool only, const std::deque<Staged *> &tiles,
               const std::vector<const ast::Expr *> &turns);
  Stmts plain(const Segment &segment, const References &references);

  // ---- chains of loops ----
  struct Fragment {
    std::string array;
    ast::Type type;
    std::vector<bool> along;
    bool ofBlock = false; // else of all points
    /// Of each dimension, the loop whose turns move along it as points do, if there is one: neighbours of a lane read
    /// elements of one window, in which each turn goes on by one.
    std::vector<const ast::Expr *> turn{}, turns{};
    bool slides(std::size_t d) const { return !turn.empty() && turn[d]; }
  };
  /// How many elements a fragment has along a dimension, and where a lane's point finds its own.
  const ast::Expr *windowOf(const Fragment &f, std::size_t d) const {
    return build_.sub(build_.add(lanes_->vector(d), f.turns[d]), number(1));
  }
  const ast::Expr *extentOf(const Fragment &f, std::size_t d) const;
  const ast::Expr *placeIn(const Fragment &f, std::size_t d, const ast::Expr *point) const;
  const ast::Expr *ofFragment(const Fragment &f, const std::vector<const ast::Expr *> &point) const;
  /// Declares a fragment of what `value` says for each point along its dimensions.
  void fragment(const Fragment &f, const Context &context, Stmts &out, const PerPointValue &value);

  // ---- windows of neighbouring points ----
  /// The turns of a loop of a panel that go through one window, from outermost to innermost.
  struct Turning {
    std::vector<const ast::Expr *> turn, turns; // counters, and how many
  };
  /// From which loop of a panel on all are short and of a known length, so that what they count may name registers; two
  /// loops only where their window stays small. `whole`: the panel's own length is known.
  static std::size_t firstWrittenOut(const Segment &segment, bool whole);
  /// Of a tile and each dimension of the patch, the loop of the panel that moves along the same dimension of the
  /// container as far as points do; from loop `first` on, all loops but such leave it alone.
  struct Sliding {
    std::vector<std::optional<std::size_t>> loop;
    std::size_t first = 0;
  };
  std::optional<Sliding> sliding(const Tile &tile, std::size_t least) const;
  /// A window of a tile's elements in a lane's registers, as far as all turns of its loops together need it.
  Fragment window(const Staged &tile, const Reference &r, const Sliding &sliding, const Turning &turning, Stmts &out);
  /// Whether the chain has a turn, where that can be asked in front of it; null where not.
  const ast::Expr *hasTurn(const Segment &segment) const;
  bool followsChain(const Reference &r, const Segment &segment) const;
  std::vector<bool> alongOf(const Reference &r) const;
  /// A fragment of the same element that is there already.
  const Fragment *sameFragment(const Reference &r) const;
  void use(const Reference &r, const Fragment &f, Context &context);
  /// The turns that any point of the patch takes.
  Segment ofPatch(Segment segment) const;
  Stmts chain(const Segment &of, const References &references);
  /// Whether all turns are one panel, of which none is deeper.
  bool isOnePanel(const Segment &segment) const;
  Stmts panels(const Segment &segment, const References &references, const Context &context,
               const Contraction *product);

  // ---- panels that are copied while others are used ----
  /// Tiles have as many buffers as there are stages: `use` has the panel at hand, `fill` the one that comes last of
  /// those under way.
  struct Stages {
    const ast::Expr *use = nullptr, *fill = nullptr;
    const ast::Expr *ahead = nullptr; // groups of copies that may be under way while a panel is used
    Stmts before, next, onward;       // first panels; the one behind those under way; the next one is the one at hand
  };
  /// Whether tiles are copied while lanes do something else; else lanes load elements themselves.
  bool copies(const std::deque<Staged *> &tiles) const;
  Stmts transfers(const std::deque<Staged *> &tiles, const Context &first);
  const ast::Stmt *await(const ast::Expr *pending) const {
    return arena_.make<ast::Await>(nest_.loops[0].where, pending);
  }
  /// Stores what points have left of `turns` turns in tiles (References::stored).
  Stmts drained(const std::deque<Staged *> &stored, const Context &first, const ast::Expr *turns);
  /// Nothing where lanes load elements themselves.
  std::optional<Stages> stages(const std::deque<Staged *> &tiles, const ast::Expr *size, const ast::Expr *wide,
                               const ast::Expr *from, const std::function<Context(const ast::Expr *)> &firstOf);
  const ast::Stmt *counted(const ast::Expr *counter, const ast::Expr *end, Stmts body) const {
    return count(ast::as<ast::VarRef>(counter)->name, kNumber, end, std::move(body));
  }

  // ---- matrix engines ----
  /// Arrays of a lane's fragments.
  struct Operands {
    std::string a, b;
  };
  Operands operands(Stmts &declarations, const char *a, const char *b);
  /// Elements of a: all depths of one block of rows after those of the block before.
  const ast::Expr *ofA(const Operands &of, const ast::Expr *fragment, ast::Int block, ast::Int row) const;
  const ast::Expr *ofB(const Operands &of, const ast::Expr *fragment, ast::Int block) const;
  /// Fragments at `turn` of a panel, scaled by what else is multiplied; `turns`: zeros behind so many, or null.
  Stmts loadOperands(const Contraction &product, const Operands &to, const std::deque<Staged *> &tiles,
                     const ast::Expr *turn, const ast::Expr *turns);
  /// Each pair of fragments for its block of points.
  const ast::Stmt *multiplyOperands(const Contraction &product, const Operands &of);
  /// The product of a panel: fragments are loaded and multiplied. In a panel that is not whole there are zeros behind
  /// its turns.
  Stmts multiply(const Contraction &product, const std::deque<Staged *> &tiles, const ast::Expr *turns,
                 bool part = false);
  /// The products of all panels, one after the other: fragments of the next turn, also of the next panel, are loaded
  /// while those at hand are multiplied.
  Stmts multiplyAhead(const Contraction &product, const std::deque<Staged *> &tiles, const ast::Expr *depth,
                      const ast::Expr *size, const ast::Expr *wide, const ast::Expr *from, const Stages &stages);
  /// `body` for each block of points, whose kept scalars are in registers meanwhile.
  Stmts inBlocks(const Segment &segment, Stmts body);
  /// One turn of all loops: what several points share is read once, then each point goes on.
  Stmts innermost(const Segment &segment, const References &references, Context context,
                  const std::deque<Staged *> &tiles, const std::deque<Staged *> &stored,
                  const std::vector<const ast::Expr *> &turns);
  struct Kept {
    const ast::Declare *declare = nullptr;
    std::string array, block; // of all points, and of those of a block
  };
  const ast::Module &module_;
  const ast::Codelet &codelet_;
  const RangeNest &nest_;
  const TileSizes &sizes_;
  const PatchOptions &options_;
  ast::Arena &arena_;
  nest::Codelets make_;
  const ast::Build &build_;
  ast::Names names_;
  std::size_t outer_ = 0;
  std::vector<const RangeLoop *> dims_; // of the patch; lanes are neighbours along the last
  std::vector<unsigned> loops_;
  std::set<std::string> written_, containers_;
  std::vector<Segment> segments_;
  std::vector<References> references_;
  std::map<const Segment *, Contraction> contractions_;
  std::map<std::string, Kept> kept_;
  std::optional<Arrangement> lanes_;
  std::vector<Origin> origins_;
  std::deque<Staged> staged_;
  std::map<const ast::Subscript *, Fragment> fragments_;
  std::vector<const ast::Expr *> block_; // whose points are being gone through; empty: all are
  bool whole_ = false;                   // what is written is for patches all of whose points are there
  const ast::Expr *guarded_ = nullptr;   // under which a point takes a turn of what is written
};

} // namespace tangram::tile

// The specialised rules of a program on a machine (section 5.3), without depth or sizes: nonterminals, their
// productions, and how many rules deep the shallowest derivation of each is.
#pragma once

#include "tangram/compose/Forest.h"

#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

namespace tangram {

/// What a nonterminal composes. The plain ones have one derivation: the fewest rules, autonomous codelets, maps that
/// are serialised. Lanes: a call in a cooperative codelet, which all lanes come to; Lane: what is left to one of them.
enum class GoalKind : std::uint8_t { Call, Map, PlainCall, PlainMap, Lanes, Lane };

/// compose(spectrum, level); both by index.
struct Nonterminal {
  GoalKind kind = GoalKind::Call;
  std::size_t spectrum = 0, level = 0;
  /// What other calls may touch while this one runs (Facts::races); 0: nothing that matters.
  std::size_t context = 0;
  bool isMap() const { return kind == GoalKind::Map || kind == GoalKind::PlainMap; }
  bool isPlain() const { return kind == GoalKind::PlainCall || kind == GoalKind::PlainMap; }
  bool inLanes() const { return kind == GoalKind::Lanes || kind == GoalKind::Lane; }
  bool operator==(const Nonterminal &) const = default;
};

inline constexpr unsigned kNoHeight = std::numeric_limits<unsigned>::max();

struct Production {
  Rule rule = Rule::Select;
  std::size_t codelet = 0; // Select: index in the spectrum
  ast::Capability capability = ast::Capability::None;
  std::vector<Nonterminal> children;
  unsigned height = kNoHeight; // of the shallowest derivation that starts with it
  unsigned depth = 1;          // that it takes of the search depth
};

struct Productions {
  std::vector<Production> allowed; // the machine can do it, if its children can be composed
  std::vector<Rejection> rejected;
  unsigned height = kNoHeight;
};

/// A codelet as the grammar sees it.
struct CodeletShape {
  const ast::Codelet *codelet = nullptr;
  std::vector<const ast::Expr *> sites;
  std::vector<std::size_t> callees; // spectrum of each site; kNoSpectrum where there is none
  std::vector<const ast::Expr *> requirements;
  /// It gives a call containers in another shape, and does nothing else: no step of a composition.
  bool reshapes = false;
};
inline constexpr std::size_t kNoSpectrum = std::numeric_limits<std::size_t>::max();

class Grammar {
public:
  Grammar(const ast::Module &module, const hardware::Hardware &hardware, const Facts &facts);

  /// kNoSpectrum, or the number of levels, where there is none of the name.
  std::size_t spectrum(const std::string &name) const;
  std::size_t level(const std::string &name) const;
  const CodeletShape &shape(std::size_t spectrum, std::size_t codelet) const { return shapes_[spectrum][codelet]; }
  const std::vector<CodeletShape> &codelets(std::size_t spectrum) const { return shapes_[spectrum]; }
  const Productions &productions(const Nonterminal &goal) const { return productions_[index(goal)]; }
  /// Spectrums that a call of this one may reach, itself included.
  std::vector<std::size_t> reachable(std::size_t spectrum) const;
  /// True where sizes matter to how it is composed: a requirement, or a map, can be reached.
  bool sizesMatter(std::size_t spectrum) const { return sizesMatter_[spectrum]; }
  /// Why a production that the machine allows has no derivation of any depth.
  std::string whyEndless(const Nonterminal &goal, const Production &production) const;
  /// The codelet that a goal without derivations lacks because its calls may race; empty where that is not why.
  std::string whyRace(const Nonterminal &goal) const;

  const ast::Module &module() const { return module_; }
  const hardware::Hardware &hardware() const { return hardware_; }

private:
  /// Of each codelet of a spectrum, the parameters that other calls may touch.
  using Context = std::vector<Races::Contended>;

  std::size_t index(const Nonterminal &goal) const { return indices_.at(key(goal)); }
  static std::tuple<GoalKind, std::size_t, std::size_t, std::size_t> key(const Nonterminal &goal) {
    return {goal.kind, goal.spectrum, goal.level, goal.context};
  }
  /// Makes sure that its productions will be built.
  void want(const Nonterminal &goal);
  void build(std::size_t at, const Facts &facts);
  /// Why a codelet is not to be used for calls that run at once; empty: it may.
  std::string race(const CodeletShape &shape, const Races::Contended &contended, const Facts &facts) const;
  /// Of what a codelet calls at a site.
  std::size_t contextOf(const CodeletShape &shape, std::size_t site, const Races::Contended &contended, bool serial,
                        const Facts &facts);
  void measure();

  const ast::Module &module_;
  const hardware::Hardware &hardware_;
  ast::Arena arena_; // of inferred requirements
  std::map<std::string, std::size_t, std::less<>> spectrums_, levels_;
  std::vector<std::vector<CodeletShape>> shapes_;
  std::vector<bool> sizesMatter_;
  std::map<std::tuple<GoalKind, std::size_t, std::size_t, std::size_t>, std::size_t> indices_;
  std::vector<Nonterminal> goals_;
  std::vector<Productions> productions_;
  std::vector<std::string> races_; // of each of these: why a codelet of it is left out, if one is
  std::vector<Context> contexts_{{}};
  std::map<std::pair<std::size_t, Context>, std::size_t> knownContexts_;
};

} // namespace tangram

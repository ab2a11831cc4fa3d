// Goes through the body of a codelet in the order of execution, with the values of variables as polynomials.
#pragma once

#include "Summary.h"

#include <functional>

namespace tangram::races {

/// sequence(...) with its operands evaluated.
struct SequenceValue {
  std::string container; // bounds are read from there; empty: none
  Polynomial start, inc;
  std::optional<Polynomial> end;
};

/// How one dimension is cut.
struct Cut {
  Polynomial count;
  SequenceValue start, inc, end;
};

/// A container as an expression names it: a row, parts or the whole of one that the codelet has.
struct View {
  std::string root;               // a parameter or temporary; empty: a result that nobody else has
  std::vector<Polynomial> prefix; // leading indices
  std::vector<Cut> cuts;          // of the dimensions behind
  std::vector<Polynomial> parts;  // which part of each cut dimension; fewer than cuts: a container of parts
};

/// Bounds that are read from a container: parts lie between neighbours.
struct Between {
  std::string container;
  Polynomial first, behind; // where the part's bounds stand there
  bool ordered = false;     // neither is cut short
};

/// An argument of a map.
struct MapArgument {
  const ast::Param *param = nullptr;
  bool isArray = false;              // the argument
  View view;                         // of an array
  unsigned rank = 0;                 // dimensions of the argument
  unsigned dims = 0;                 // leading dimensions that the map runs over; 0: passed to every call
  Polynomial value;                  // of a scalar that goes to all
  std::optional<Polynomial> element; // of the container run over: what stands at Symbols::index()
};

/// A map, or a call, with its arguments evaluated.
struct Site {
  const ast::Expr *node = nullptr;
  bool isMap = false;
  const ast::Spectrum *callee = nullptr;
  std::vector<MapArgument> arguments;
  std::vector<Polynomial> counts; // how many calls, a dimension
  std::optional<View> result;     // where results go
  bool conditional = false;
  std::vector<Polynomial> facts;
};

/// An access of a call, in terms of the containers of the codelet that has the map.
struct Touch {
  const Access *access = nullptr; // null: by the map itself
  Access::Kind kind = Access::Kind::Read;
  std::optional<unsigned> argument;
  std::string root;
  std::vector<Polynomial> index, facts, zeros;
  std::vector<std::string> fields;
  bool conditional = false;
  std::optional<Between> between;
  // Where it goes over its whole part of one dimension: between which elements that lies.
  std::optional<std::pair<Polynomial, Polynomial>> whole;
};

class Evaluator {
public:
  Evaluator(const ast::Module &module, const ast::Spectrum &spectrum, const ast::Codelet &codelet,
            const Summaries &summaries, Symbols &symbols);
  virtual ~Evaluator() = default;
  CodeletSummary run();

  /// One call: `keys` say which one of a map; `summary` is of the callee's codelet.
  std::vector<Touch> touches(const Site &site, const CodeletSummary &summary, const std::vector<Polynomial> &keys);
  const ast::Codelet &codelet() const { return codelet_; }
  const ast::Spectrum &spectrum() const { return spectrum_; }
  Symbols &symbols() { return symbols_; }
  const Summaries &summaries() const { return summaries_; }
  bool isParameter(const std::string &name) const { return parameters_.count(name) != 0; }
  /// Fresh numbers of calls.
  std::vector<Polynomial> keys(const Site &site);

protected:
  virtual void visited(const Site &) {}
  CodeletSummary summary_;

private:
  struct Root {
    std::vector<Polynomial> extents;
    std::optional<Polynomial> fill; // the element at Symbols::index()
    bool isRange = false;           // it stays so
    void changed() {
      if (!isRange) fill.reset();
    }
  };

  void statement(const ast::Stmt *s);
  void block(const ast::Block *b);
  void forLoop(const ast::For *loop);
  void loopBody(const ast::Node *loop, const std::function<void()> &inside);
  bool fills(const ast::For *loop, const std::string &variable, const Polynomial &first, const Polynomial &step,
             const ast::Expr *bound);
  void declare(const ast::Declare *d);
  void effects(const ast::Expr *e);
  void place(const ast::Expr *target, bool reads, bool writes, bool atomic);
  void site(const ast::Expr *node, const std::optional<View> &result);
  /// What a codelet does that is called in a circle: where, but to no element in particular.
  void inherit(const Site &site, std::size_t codelet);
  void forget(const std::set<std::string> &variables);
  void forgetFills(const ast::Node *tree);
  void assume(const ast::Expr *cond, bool holds);
  bool sameInAllCalls(const ast::Expr *cond);
  /// Keeps what may change between two statements, and puts it back at the end.
  void conditionally(const ast::Node *tree, bool conditional, const std::function<void()> &inside);

  Polynomial value(const ast::Expr *e);
  Polynomial fresh(const ast::Type &type);
  Polynomial narrowed(Polynomial p, const ast::Type &type, std::uint64_t bytesBefore);
  Polynomial choice(const ast::Conditional *e);
  View view(const ast::Expr *e);
  /// A container that nobody writes, of the numbers first, first + step, ...
  Root range(Polynomial extent, const Polynomial &first, const Polynomial &step);
  /// What stands there, in a container whose elements are known.
  Polynomial element(const ast::Subscript *e);
  /// What a callee that is given a part of a range, or all of it, knows of it.
  void passRange(const ast::Param &param, const View &view, const std::vector<Polynomial> &keys, Substitution &in);
  SequenceValue sequence(const ast::Sequence *s);
  std::vector<Polynomial> extents(const View &v, unsigned rank);
  Polynomial elements(const View &v, unsigned rank);
  struct Located;
  Located locate(const View &v, const std::vector<Polynomial> &keys, std::vector<Polynomial> inner,
                 const std::vector<bool> &exact);
  const ast::Spectrum *find(const std::string &spectrum) const;
  void add(Access access);

  const ast::Module &module_;
  const ast::Spectrum &spectrum_;
  const ast::Codelet &codelet_;
  const Summaries &summaries_;
  Symbols &symbols_;
  std::set<std::string> parameters_; // containers
  std::set<std::string> readsInherited_;
  std::map<std::string, Polynomial> values_;
  std::map<std::string, View> views_;
  std::map<std::string, Root> roots_;
  std::vector<Polynomial> facts_, zeros_;
  bool conditional_ = false, inLoop_ = false;
  unsigned depth_ = 0; // of functions that are looked into
  std::map<std::tuple<std::string, Access::Kind, unsigned, unsigned>, unsigned> places_;
};

/// How many leading dimensions of `arg` a map over it takes off to come to `param`; nothing where it cannot.
std::optional<unsigned> mappedDims(const ast::Type &arg, const ast::Type &param);

} // namespace tangram::races

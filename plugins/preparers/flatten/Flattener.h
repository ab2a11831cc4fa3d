// Turns the composed body of one kernel into statements (docs/lowering.md, "The flat form").
//
// Specialised calls are inlined where they stand. Code goes to a current list of statements; an expression is left as
// what remains of it behind the statements that it needed. Order of evaluation is C++'s, left to right where C++ leaves
// it open.
#pragma once

#include "Containers.h"
#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Functions.h"
#include "tangram/ast/Names.h"
#include "tangram/ast/Structs.h"
#include "tangram/hardware/Units.h"
#include "tangram/pass/Pass.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tangram::flatten {

using Stmts = std::vector<const ast::Stmt *>;

class Flattener {
public:
  /// `checked`: bounds of parts that are read from a container are checked before anything is made of them.
  Flattener(PassContext &context, const ast::Module &module, bool checked)
      : context_(context), module_(module), arena_(context.arena), checked_(checked),
        inlined_(ast::functionsOfStructs(module)), ofNumbers_(ast::functionsOfNumbers(module)),
        machine_(context.target.hardware) {}
  const ast::Kernel *run(const ast::Kernel *kernel);

private:
  // ---- names and bindings ----

  /// What a name of a codelet stands for in the kernel.
  struct Binding {
    const ast::Expr *value = nullptr; // of a variable or local array
    std::shared_ptr<Container> container;
  };
  struct Scope {
    std::string suffix;
    std::map<std::string, Binding> bindings;
    std::set<std::string> assigned;
  };
  /// Makes `scope` and `level` the current ones for as long as it lives.
  class Enter;

  const Binding &lookup(const std::string &name, ast::SourceRange where) const;
  std::string named(const std::string &base); // fresh, with the codelet's suffix
  std::string nextSuffix(const std::string &codelet) const;
  std::string takeSuffix(const std::string &codelet);

  // ---- Statements.cpp ----

  void statement(const ast::Stmt *stmt);
  void statements(const Stmts &stmts);
  void declare(const ast::Declare *stmt);
  void evaluate(const ast::Evaluate *stmt);
  void forLoop(const ast::For *loop);
  void whileLoop(const ast::While *loop);
  void doWhileLoop(const ast::DoWhile *loop);
  void breakUnless(const ast::Expr *cond);
  /// The statements that `inside` emits, run on condition.
  Stmts collect(const std::function<void()> &inside, bool conditional = true);
  const ast::Block *block(const ast::Block *body);
  void emit(const ast::Stmt *stmt) { out_->push_back(stmt); }

  // ---- Expressions.cpp ----

  /// Whether code must stand in front of what remains of the tree.
  bool hoists(const ast::Node *node) const;
  const ast::Expr *expr(const ast::Expr *e);
  class Rename;
  const ast::Expr *renamed(const ast::Expr *e);
  const ast::Expr *ordered(const ast::Expr *e);
  const ast::Expr *assignment(const ast::Assign *e);
  const ast::Expr *element(const ast::Subscript *e);
  const ast::Expr *place(const ast::Expr *e);
  const ast::Expr *sameLater(const ast::Expr *target);
  /// The container below a chain of subscripts, null where there is none, and the indices of the chain.
  const ast::Expr *containerBelow(const ast::Subscript *e, std::vector<const ast::Expr *> &indices) const;
  const ast::Expr *shortCircuit(const ast::Binary *e);
  const ast::Expr *conditional(const ast::Conditional *e);
  const ast::Expr *member(const ast::Member *e);
  const ast::Expr *structAssign(const ast::Assign *e);
  std::vector<const ast::Expr *> operands(const std::vector<const ast::Expr *> &list);
  void mapInto(const ast::Assign *e);
  /// Evaluates for its effects alone.
  void effect(const ast::Expr *e);
  /// The value now, whatever happens later; a new constant where it is not stable.
  const ast::Expr *keep(const ast::Expr *value, const std::string &hint = "t");
  /// A literal, variable or size, so that using it twice costs nothing.
  const ast::Expr *simple(const ast::Expr *value, const std::string &hint = "t");
  const ast::Expr *simpleCalled(const ast::Expr *value, const std::string &called);
  const ast::Expr *constant(const std::string &name, const ast::Expr *value);
  bool isStable(const ast::Expr *value) const;
  /// A new variable, with or without a first value.
  const ast::Expr *variable(const std::string &name, const ast::Type &type, const ast::Expr *init);

  const ast::Expr *sizeOf(const ast::Size *size);
  Container container(const ast::Expr *e, const std::string &hint = "");
  const ast::Expr *reference(const Container &c) const { return b().var(c.name, c.type); }
  /// The place of an element; its value where nothing is stored. `at`: what is written there; `called`: what the
  /// codelet calls the container, where checked code asks whether the element is there.
  const ast::Expr *elementOf(const Container &c, std::vector<const ast::Expr *> index, ast::SourceRange at,
                             const std::string &called = "");
  /// Each lane would have a container of its own.
  void checkNoLane(std::string_view what) const;
  /// A new temporary container.
  Container temporary(const std::string &name, const ast::Type &element, std::vector<const ast::Expr *> extents);

  // ---- Calls.cpp ----

  const ast::Expr *spectrumCall(const ast::SpectrumCall *call);
  const ast::Expr *functionCall(const ast::Call *call);
  /// Whether a function's body takes the place of its call.
  bool inlines(const std::string &function) const;
  /// Whether the current codelet is run by lanes in lock step, which are vectors.
  bool byVectors() const;
  std::vector<Argument> arguments(const ast::SpectrumCall *call);
  /// Null where there is no result.
  const ast::Expr *run(const ast::SpectrumCall *call, std::vector<Argument> args);
  const ast::Expr *started(const ast::SpectrumCall *call, std::vector<Argument> args);
  const ast::Expr *guarded(const ast::SpectrumCall *call, std::vector<Argument> args);
  const ast::Expr *chosen(const ast::SpectrumCall *call, const std::vector<Argument> &args);
  const ast::Expr *byLanes(const ast::SpectrumCall *call, const std::vector<Argument> &args);
  const ast::Expr *inlined(const ast::SpectrumCall *call, const std::vector<Argument> &args);
  const ast::Expr *cooperative(const ast::SpectrumCall *call, const std::vector<Argument> &args);
  void checkSpecialised(const ast::SpectrumCall *call, std::size_t args) const;
  /// Binds the parameters that the codelet assigns to, or those that it does not.
  void bind(const ast::SpectrumCall *call, const std::vector<Argument> &args, bool assigned, Stmts &copyOut);
  void bindContainer(const ast::Param *param, const Container &argument, const ast::Node &at);
  const ast::Expr *body(const ast::Codelet *codelet, std::size_t args);
  void devolve(const ast::SpectrumCall *call);
  void sync(const std::string &level);
  const hardware::Level &levelOf(const std::string &name) const;

  // ---- Maps.cpp ----

  struct MapSite; // a map with its arguments evaluated
  /// `into`: where the results go; a temporary container, named after `hint`, where there is none.
  std::optional<Container> map(const ast::Map *map, const std::string &hint, const Container *into = nullptr);
  void mapExtents(MapSite &site, const Container *into);
  void mapLoop(const ast::Map *map, const MapSite &site, const ast::Expr *lo, const ast::Expr *hi);
  void mapNest(const ast::Map *map, const MapSite &site, std::vector<const ast::Expr *> index);
  void mapSplit(const ast::Map *map, const MapSite &site, const ast::Expr *lo, const ast::Expr *hi);
  void mapElement(const MapSite &site, const std::vector<const ast::Expr *> &index);
  void loop(const std::string &var, const ast::Expr *lo, const ast::Expr *hi, ast::Policy policy,
            const ast::Counts &units, const std::function<void(const ast::Expr *)> &inside);

  // ---- Watches.cpp: what calls of one map touch, in checked code ----

  enum class Touch : std::uint8_t { Read, Write, Atomic };
  /// Finds out how the elements that a codelet names are touched.
  void noteTouches(const ast::Codelet *codelet);
  /// Makes words for the arguments that the analysis of races could say nothing certain of, all zero.
  void watch(MapSite &site);
  std::shared_ptr<const Container> words(const Container &of, bool distributes);
  /// The same container in one call of the map.
  Container within(const Container &c, const ast::Map *map, const ast::Expr *call) const;
  /// What a part, or a row, of a container has of its words.
  std::vector<Watch> watchesOf(const Container &base, const std::vector<const ast::Expr *> &starts,
                               const std::vector<const ast::Expr *> &steps, const std::vector<const ast::Expr *> &sizes,
                               const std::string &hint);
  /// An error where another call has touched it, one of the two writing.
  void touch(const Container &c, std::vector<const ast::Expr *> &indices, Touch how, const std::string &called,
             ast::SourceRange where);

  // ---- Requirements.cpp ----

  /// Makes a condition of the kernel. False where that cannot be said before it runs.
  bool require(const ast::Expr *condition);
  /// What the spectrum's declaration requires of every call.
  void requireDeclared(const ast::SpectrumCall *call, const std::vector<Argument> &args);
  /// The value in terms of what the kernel is called with, or null.
  const ast::Expr *overParameters(const ast::Expr *e) const;

  // ---- Partitions.cpp ----

  Container partition(const ast::Partition *node);
  Container range(const ast::Sequence *node);
  SequenceValue sequence(const ast::Sequence *node, const ast::Expr *count);
  /// The sequence's value of an index, perhaps behind its end; never less than one before.
  const ast::Expr *advanced(const SequenceValue &sequence, const ast::Expr *index);
  const ast::Expr *reach(const SequenceValue &sequence, const ast::Expr *count);
  const ast::Expr *sequenceAt(const SequenceValue &sequence, const ast::Expr *index, const std::string &hint);
  /// What stands at `index` of the leading dimensions: a part, a row, or an element.
  Argument at(const Container &c, const std::vector<const ast::Expr *> &index, const ast::Type &wanted, bool isConst,
              const std::string &hint);
  Container part(const Container &c, const std::vector<const ast::Expr *> &index, bool isConst,
                 const std::string &hint);
  /// A container of the parts that have these first indices.
  Container rowOfParts(const Container &c, const std::vector<const ast::Expr *> &index);
  /// A container of one dimension as one of several, row by row.
  Container reshaped(const Container &base, const ast::Type &type, std::vector<const ast::Expr *> sizes,
                     const std::string &called);
  Container window(const Container &base, const ast::Type &type, const ast::Expr *offset,
                   std::vector<const ast::Expr *> sizes, std::vector<const ast::Expr *> strides, bool isConst,
                   const std::string &name);
  /// ceil((end - start) / step), 0 where there is nothing between them.
  const ast::Expr *length(const ast::Expr *start, const ast::Expr *step, const ast::Expr *end) const;
  /// The same where start < step: without a branch, and lower or equal from start to start.
  const ast::Expr *interleaved(const ast::Expr *start, const ast::Expr *step, const ast::Expr *end);
  /// `then` where `value` is below `bound`, else `otherwise` and an error that says `what`.
  const ast::Expr *checked(const ast::Expr *value, const ast::Expr *bound, const ast::Expr *otherwise,
                           const std::string &what, ast::SourceRange where, const ast::Expr *then) const;
  /// Where a part ends and begins, by bounds that are read from containers.
  const ast::Expr *checkedEnd(const Parts &parts, std::size_t d, const ast::Expr *end) const;
  const ast::Expr *checkedStart(const Parts &parts, std::size_t d, const ast::Expr *start, const ast::Expr *end) const;
  unsigned bits(const ast::Expr *e) const;
  bool atMost(const ast::Expr *value, const ast::Expr *bound) const;

  PassContext &context_;
  const ast::Module &module_;
  ast::Arena &arena_;
  const bool checked_;
  const std::set<std::string> inlined_;   // functions
  const std::set<std::string> ofNumbers_; // ... and those that are so where lanes compute with vectors
  std::vector<std::string> calls_;        // of such functions, outermost first
  ast::SourceRange here_;                 // of the statement being flattened: what is made for it carries this
  ast::Build b() const { return ast::Build(arena_, here_); }
  ast::Names names_;
  std::vector<const ast::Expr *> conditions_;
  std::set<std::string> parameters_;                   // scalar ones that do not change, and containers
  std::map<std::string, unsigned> copies_, used_;      // of a codelet's name: in all, so far
  std::set<std::string> stable_;                       // variables of the kernel that keep their value
  std::map<std::string, const ast::Expr *> constants_; // what they were initialised with
  std::map<std::string, Binding> tunables_;            // constants of the kernel
  Scope *scope_ = nullptr;
  std::string level_;                  // that runs the current codelet
  hardware::Configured machine_;       // with as many units as there are where it runs
  std::optional<std::uint64_t> lanes_; // coopDim() of the guard that is being evaluated
  bool cooperative_ = false;
  bool atOnce_ = false;                        // with other units of a level
  std::map<const ast::Expr *, Touch> touches_; // of elements; reads are left out
  const ast::Expr *reached_ = nullptr;         // when this is run, over the kernel's parameters; null: not known
  Stmts *out_ = nullptr;
};

/// Bindings and level of an inlined codelet.
class Flattener::Enter {
public:
  Enter(Flattener &f, Scope &scope, const std::string &level)
      : f_(f), scope_(std::exchange(f.scope_, &scope)), level_(std::exchange(f.level_, level)) {}
  ~Enter() {
    f_.scope_ = scope_;
    f_.level_ = level_;
  }
  Enter(const Enter &) = delete;

private:
  Flattener &f_;
  Scope *scope_;
  std::string level_;
};

} // namespace tangram::flatten

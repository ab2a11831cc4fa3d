#include "tangram/ast/Verify.h"

#include "tangram/ast/Builtins.h"
#include "tangram/ast/Shapes.h"
#include "tangram/ast/Visitor.h"
#include "tangram/ast/Walk.h"

#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace tangram::ast {
namespace {

/// Reports required children that are missing; the visitor below could not even walk such a tree.
struct MissingChildren {
  std::vector<std::string> missing;
  template <class T> void attr(std::string_view, const T &) {}
  template <class T> void child(std::string_view field, const T *n) {
    if (!n) missing.emplace_back(field);
  }
  template <class T> void opt(std::string_view, const T *) {}
  template <class T> void list(std::string_view field, const std::vector<const T *> &nodes) {
    for (const T *n : nodes)
      if (!n) missing.emplace_back(field);
  }
};

class Verifier final : public Visitor {
public:
  explicit Verifier(const Module &module) {
    for (const Function *f : module.functions) functions_.insert(f->name);
    for (const Spectrum *s : module.spectrums) spectrums_.insert(s->name);
    structs(module);
  }
  std::vector<Violation> violations;

private:
  /// A field's struct stands before the struct that has it, so that none is within itself.
  void structs(const Module &module) {
    for (const Struct *s : module.structs) {
      if (!s) continue;
      std::map<std::string, Type> fields;
      for (const Param *field : s->fields) {
        if (!field) continue;
        if (!field->type.isScalar() && !(field->type.isStruct() && structs_.count(field->type.name())))
          report(*field, fmt::format("field '{}' has type {}, which is neither arithmetic nor a struct declared before",
                                     field->name, field->type.text()));
        fields[field->name] = field->type;
      }
      if (!structs_.emplace(s->name, std::move(fields)).second)
        report(*s, fmt::format("struct '{}' is declared twice", s->name));
    }
  }
  void known(const Node &node, const Type &type) {
    Type leaf = type.leaf();
    if (leaf.isStruct() && !structs_.count(leaf.name()))
      report(node, fmt::format("struct '{}' does not exist", leaf.name()));
  }

  void report(const Node &node, std::string message) { violations.push_back({&node, std::move(message)}); }

  void preBase(const Node &node) override {
    dispatch(node, [&](const auto &n) {
      MissingChildren check;
      forEachField(n, check);
      for (const std::string &field : check.missing)
        report(node, fmt::format("{} has no '{}'", name(node.kind()), field));
      if constexpr (requires { n.type; }) known(n, n.type);
      if constexpr (requires { n.element; }) known(n, n.element);
      if constexpr (requires { n.result; }) known(n, n.result);
    });
  }

  // ---- bodies: each has a namespace of its own ----

  struct Body {
    std::set<std::string> declared;            // ever, in this body
    std::vector<std::set<std::string>> scopes; // visible now
    int loops = 0, switches = 0;
  };

  void declare(const Node &node, const std::string &variable) {
    if (variable.empty()) report(node, "a declaration has no name");
    if (bodies_.empty()) return;
    if (!bodies_.back().declared.insert(variable).second)
      report(node, fmt::format("'{}' is declared twice in one body", variable));
    bodies_.back().scopes.back().insert(variable);
  }
  bool visible(const std::string &variable) const {
    for (const std::set<std::string> &scope : bodies_.back().scopes)
      if (scope.count(variable)) return true;
    // What a composed codelet sees of its kernel: the constants that tunables became.
    return constants_.count(variable) != 0;
  }
  template <class F> void body(F &&inside) {
    bodies_.emplace_back();
    scope(inside);
    bodies_.pop_back();
  }
  template <class F> void scope(F &&inside) {
    if (bodies_.empty()) return body(inside);
    bodies_.back().scopes.emplace_back();
    inside();
    bodies_.back().scopes.pop_back();
  }
  template <class F> void loop(F &&inside) {
    if (bodies_.empty()) return inside();
    ++bodies_.back().loops;
    scope(inside);
    --bodies_.back().loops;
  }

  void traverseSpectrum(const Spectrum &n) override {
    std::set<std::string> before{""};
    for (const Codelet *codelet : n.codelets) {
      if (!codelet) continue;
      if (!before.contains(codelet->from))
        report(*codelet,
               fmt::format("'{}' is made of '{}', which is no codelet in front of it", codelet->name, codelet->from));
      before.insert(codelet->name);
    }
    body([&] { Visitor::traverseSpectrum(n); });
  }
  void traverseCodelet(const Codelet &n) override {
    const Codelet *outer = std::exchange(codelet_, &n);
    body([&] { Visitor::traverseCodelet(n); });
    codelet_ = outer;
  }
  void traverseFunction(const Function &n) override {
    body([&] { Visitor::traverseFunction(n); });
  }
  void traverseStruct(const Struct &n) override {
    body([&] { Visitor::traverseStruct(n); });
  }
  void traverseKernel(const Kernel &n) override {
    for (const Param *constant : n.constants)
      if (constant) constants_.insert(constant->name);
    body([&] { Visitor::traverseKernel(n); });
    constants_.clear();
    if (n.constants.size() != n.defaults.size()) report(n, "a kernel has not one default a constant");
  }
  // A guard speaks of its codelet's parameters.
  void traverseSpectrumCall(const SpectrumCall &n) override {
    preSpectrumCall(n);
    for (const Expr *arg : n.args) traverse(arg);
    traverse(n.codelet);
    body([&] {
      if (n.codelet)
        for (const Param *param : n.codelet->params) declare(*param, param->name);
      for (const Expr *condition : n.guard) traverse(condition);
    });
    traverse(n.fallback);
    postSpectrumCall(n);
  }
  void traverseBlock(const Block &n) override {
    scope([&] { Visitor::traverseBlock(n); });
  }
  void traverseFor(const For &n) override {
    loop([&] { Visitor::traverseFor(n); });
  }
  void traverseWhile(const While &n) override {
    loop([&] { Visitor::traverseWhile(n); });
  }
  void traverseDoWhile(const DoWhile &n) override {
    loop([&] { Visitor::traverseDoWhile(n); });
  }
  void traverseLoop(const Loop &n) override {
    loop([&] {
      preBase(n);
      traverse(n.begin);
      traverse(n.end);
      declare(n, n.var);
      traverse(n.body);
    });
  }
  void traverseCooperate(const Cooperate &n) override {
    scope([&] {
      preBase(n);
      traverse(n.width);
      declare(n, n.lane);
      traverse(n.body);
    });
  }
  // The device's code has names of its own, and sees those around it until it is given what it uses.
  void traverseLaunch(const Launch &n) override {
    preBase(n);
    traverse(n.groups);
    for (const Expr *arg : n.args) traverse(arg);
    if (n.params.size() != n.args.size()) report(n, "a launch has not one argument a parameter");
    std::vector<std::set<std::string>> around = bodies_.empty() ? decltype(around){} : bodies_.back().scopes;
    bodies_.push_back({{}, std::move(around)});
    scope([&] {
      for (const Param *param : n.params) declare(*param, param->name);
      traverse(n.body);
    });
    bodies_.pop_back();
  }
  void traverseSwitch(const Switch &n) override {
    if (!bodies_.empty()) ++bodies_.back().switches;
    Visitor::traverseSwitch(n);
    if (!bodies_.empty()) --bodies_.back().switches;
  }

  // The name is in scope behind the declaration, not in its own initialiser.
  void postParam(const Param &n) override { declare(n, n.name); }
  void postDeclare(const Declare &n) override {
    declare(n, n.name);
    if (!isReshaped(n)) return;
    if (n.init->type != Type::array(1, n.type.element()) || n.extents.size() != n.type.rank())
      report(n, fmt::format("'{}', {}, is no other shape of {}", n.name, n.type.text(), n.init->type.text()));
  }
  void postAlloc(const Alloc &n) override { declare(n, n.name); }
  void postView(const View &n) override {
    if (!bodies_.empty() && !visible(n.base)) report(n, fmt::format("view of '{}', which is not declared", n.base));
    if (n.sizes.size() != n.strides.size()) report(n, "a view has not one stride a size");
    declare(n, n.name);
  }
  void postVarRef(const VarRef &n) override {
    if (!bodies_.empty() && !visible(n.name)) report(n, fmt::format("'{}' is not declared here", n.name));
  }
  void postBreak(const Break &n) override {
    if (bodies_.empty() || bodies_.back().loops + bodies_.back().switches == 0)
      report(n, "break outside a loop or switch");
  }
  void postContinue(const Continue &n) override {
    if (bodies_.empty() || bodies_.back().loops == 0) report(n, "continue outside a loop");
  }

  // ---- types ----

  void value(const Node &where, const Expr *e, std::string_view role) {
    if (e && e->type.isVoid()) report(where, fmt::format("the {} has no value", role));
  }
  void integer(const Node &where, const Expr *e, std::string_view role) {
    if (e && !e->type.isInteger()) report(where, fmt::format("the {} is {}, not an integer", role, e->type.text()));
  }
  void container(const Node &where, const Expr *e, std::string_view role) {
    if (e && !e->type.isArray()) report(where, fmt::format("the {} is {}, not a container", role, e->type.text()));
  }
  void postPartition(const Partition &n) override {
    container(n, n.container, "container of a partition");
    for (const Expr *count : n.counts) integer(n, count, "count of a partition");
  }
  void postSequence(const Sequence &n) override {
    if (n.container) container(n, n.container, "container of a sequence");
    integer(n, n.start, "start of a sequence");
    integer(n, n.inc, "increment of a sequence");
    integer(n, n.end, "end of a sequence");
  }
  void postIf(const If &n) override { value(n, n.cond, "condition"); }
  void postConditional(const Conditional &n) override {
    if (n.then && n.otherwise && !(n.then->type == n.otherwise->type))
      report(n, fmt::format("the two sides of ?: are {} and {}", n.then->type.text(), n.otherwise->type.text()));
  }
  void postBinary(const Binary &n) override {
    if (!n.lhs || !n.rhs || n.op == BinaryOp::Comma) return;
    value(n, n.lhs, "left operand");
    value(n, n.rhs, "right operand");
    bool independent = n.op == BinaryOp::Shl || n.op == BinaryOp::Shr || n.op == BinaryOp::LogicalAnd ||
                       n.op == BinaryOp::LogicalOr || n.lhs->type.isPointer();
    if (!independent && !(n.lhs->type == n.rhs->type))
      report(n, fmt::format("{} of {} and {}", symbol(n.op), n.lhs->type.text(), n.rhs->type.text()));
  }
  void postAssign(const Assign &n) override {
    if (!n.target || !n.value) return;
    value(n, n.value, "assigned expression");
    if (n.op == AssignOp::Set && !(n.target->type == n.value->type))
      report(n, fmt::format("{} is assigned to {}", n.value->type.text(), n.target->type.text()));
    const Node *t = n.target;
    bool place =
        isa<VarRef>(t) || isa<Subscript>(t) || isa<Member>(t) || (isa<Unary>(t) && as<Unary>(t)->op == UnaryOp::Deref);
    if (!place) report(n, fmt::format("a {} cannot be assigned to", name(t->kind())));
  }
  void postTransfer(const Transfer &n) override {
    if (!isa<Subscript>(n.source) || !(n.type == n.source->type))
      report(n, fmt::format("a Transfer of {} from a {}", n.type.text(), name(n.source->kind())));
    if (n.count < 1 || (n.cond && n.count != 1)) report(n, fmt::format("a Transfer of {} elements", n.count));
  }
  void postMember(const Member &n) override {
    if (!n.base) return;
    auto of = n.base->type.isStruct() ? structs_.find(n.base->type.name()) : structs_.end();
    if (!n.base->type.isStruct())
      report(n, fmt::format("'.{}' of {}, which is no struct", n.field, n.base->type.text()));
    else if (of != structs_.end() && (!of->second.count(n.field) || !(of->second.at(n.field) == n.type)))
      report(n, fmt::format("struct '{}' has no field '{}' of type {}", of->first, n.field, n.type.text()));
  }
  void postSubscript(const Subscript &n) override {
    if (n.indices.empty()) report(n, "a subscript has no index");
  }

  // ---- references to the rest of the module ----

  void postCall(const Call &n) override {
    if (!functions_.count(n.callee) && !isMathFunction(n.callee) && !isSineAndCosine(n.callee))
      report(n, fmt::format("function '{}' does not exist", n.callee));
  }
  void postSpectrumCall(const SpectrumCall &n) override {
    spectrum(n, n.spectrum);
    if (!n.codelet) called(n, n.spectrum);
  }
  void postMap(const Map &n) override {
    spectrum(n, n.spectrum);
    if (!n.call && !n.inner) called(n, n.spectrum);
    if (n.args.empty()) report(n, "a map has no container");
  }
  /// Facts and plans know what is passed, and chosen, by the node.
  void called(const Node &call, const std::string &spectrum) {
    if (const auto [first, fresh] = callers_.emplace(&call, codelet_); !fresh && first->second != codelet_)
      report(call, fmt::format("a call of '{}' stands in two codelets", spectrum));
  }
  void spectrum(const Node &where, const std::string &wanted) {
    if (!spectrums_.count(wanted)) report(where, fmt::format("spectrum '{}' does not exist", wanted));
  }

  std::set<std::string> functions_, spectrums_, constants_;
  std::map<std::string, std::map<std::string, Type>> structs_;
  std::vector<Body> bodies_;
  const Codelet *codelet_ = nullptr;
  std::map<const Node *, const Codelet *> callers_;
};

} // namespace

std::vector<Violation> verify(const Module &module) {
  Verifier verifier(module);
  verifier.traverse(&module);
  return std::move(verifier.violations);
}

} // namespace tangram::ast

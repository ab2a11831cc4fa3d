#include "tangram/c-family/Statements.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Casts.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>

namespace tangram::c_family {

using namespace ast;

namespace {

/// Leaves out declarations that nothing reads, unless they check something.
class DropUnused final : public Mutator {
public:
  DropUnused(Arena &arena, const std::map<std::string, unsigned> &mentions) : Mutator(arena), mentions_(mentions) {}

private:
  bool unused(const std::string &name) const { return mentions_.find(name) == mentions_.end(); }
  const Node *mutateDeclare(const Declare *d) override {
    if (unused(d->name) && !(d->init && (hasEffects(d->init) || contains<Check>(d->init)))) return nullptr;
    return rebuild(d);
  }
  const Node *mutateAlloc(const Alloc *a) override { return unused(a->name) ? nullptr : rebuild(a); }
  const std::map<std::string, unsigned> &mentions_;
};

bool ends(const Block &block) {
  if (block.stmts.empty()) return false;
  const Stmt *last = block.stmts.back();
  if (const auto *inner = dyn<Block>(last)) return ends(*inner);
  return isa<Break>(last) || isa<Continue>(last) || isa<Return>(last);
}

} // namespace

std::map<std::string, unsigned> mentions(const Node *tree) {
  std::map<std::string, unsigned> count;
  walk(tree, [&](const VarRef &v) { ++count[v.name]; });
  return count;
}

const Block *simplified(const Block *body, Arena &arena) {
  for (;;) {
    std::map<std::string, unsigned> used = mentions(body);
    DropUnused drop(arena, used);
    const Block *next = drop(body);
    if (next == body) return body;
    body = next;
  }
}

std::uint64_t elementBytes(const Type &type) { return type.isStruct() ? 64 : std::max(1u, type.bytes()); }

void Statements::function(const Function &function) {
  Kernel shell;
  shell.body = function.body;
  KnownValues known(shell);
  known_ = &known;
  mentions_ = mentions(function.body);
  writes_.clear();
  block(*function.body);
  w_.own();
  known_ = nullptr;
}

void Statements::body(const Block &body, const KnownValues &known) {
  known_ = &known;
  inKernel_ = true;
  mentions_ = mentions(&body);
  writes_.clear();
  walk(&body, [&](const Assign &a) {
    if (const auto *v = dyn<VarRef>(a.target)) ++writes_[v->name];
  });
  told_.clear();
  block(body);
  w_.own();
  inKernel_ = false;
  known_ = nullptr;
}

void Statements::block(const Block &block) {
  for (const Stmt *s : block.stmts) {
    origin(s);
    stmt(s);
  }
}

void Statements::origin(const Stmt *s) {
  if (isa<Block>(s)) return;
  begins(*s);
  if (line_) return w_.from(s->range);
  std::optional<std::string> where = inKernel_ ? place() : std::nullopt;
  if (!s->range.valid() || !where) return;
  for (const Spectrum *spectrum : module_.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      const SourceRange &r = codelet->range;
      bool inside = r.valid() && r.file == s->range.file && s->range.line >= r.line &&
                    (s->range.line <= r.endLine || r.endLine == 0);
      if (!inside || (r.endLine == 0 && r.line != s->range.line)) continue;
      const std::string &name = codelet->tag.empty() ? codelet->name : codelet->tag;
      std::string text = fmt::format("{}: codelet {}{}", spectrum->name, name, *where);
      if (text != told_) w_.comment(text);
      told_ = text;
      return;
    }
}

void Statements::stmt(const Stmt *s) {
  switch (stmtKind(*s)) {
  case StmtKind::Block:
    w_.open("");
    block(*as<Block>(s));
    w_.close();
    return;
  case StmtKind::Declare: return declare(*as<Declare>(s));
  case StmtKind::Evaluate: return effect(as<Evaluate>(s)->expr);
  case StmtKind::If: return conditional(*as<If>(s));
  case StmtKind::For: return forLoop(*as<For>(s));
  case StmtKind::While:
    w_.open(fmt::format("while ({})", e_.print(as<While>(s)->cond)));
    block(*as<While>(s)->body);
    w_.close();
    return;
  case StmtKind::DoWhile:
    w_.open("do");
    block(*as<DoWhile>(s)->body);
    w_.close(fmt::format(" while ({});", e_.print(as<DoWhile>(s)->cond)));
    return;
  case StmtKind::Switch: return choose(*as<Switch>(s));
  case StmtKind::Break: return w_.line("break;");
  case StmtKind::Continue: return w_.line("continue;");
  case StmtKind::Return: {
    const Expr *value = as<Return>(s)->value;
    return w_.line(value ? fmt::format("return {};", e_.print(value, value->type)) : "return;");
  }
  case StmtKind::Loop:
  case StmtKind::Sync:
  case StmtKind::Alloc:
  case TANGRAM_LOWERED_STMTS: break;
  }
  return other(s);
}

void Statements::effect(const Expr *e) {
  if (!hasEffects(e)) return;
  // A loop over the same place as a statement of its own reads better without the value.
  bool plain = isa<Assign>(e) || isa<Unary>(e) || isa<Call>(e) || isa<Atomic>(e) || isa<MatrixMultiply>(e) ||
               (isa<Binary>(e) && as<Binary>(e)->op == BinaryOp::Comma);
  if (const auto *unary = dyn<Unary>(e); unary && unary->op == UnaryOp::PostInc)
    return w_.line("++" + e_.print(unary->operand) + ";");
  if (const auto *unary = dyn<Unary>(e); unary && unary->op == UnaryOp::PostDec)
    return w_.line("--" + e_.print(unary->operand) + ";");
  if (const auto *binary = dyn<Binary>(e); binary && binary->op == BinaryOp::Comma) {
    effect(binary->lhs);
    return effect(binary->rhs);
  }
  w_.line(plain ? e_.print(e) + ";" : "(void)(" + e_.print(e) + ");");
}

std::string Statements::declaration(const Declare &d) {
  std::string text;
  unsigned writes = writes_.count(d.name) ? writes_.at(d.name) : 0;
  bool onlyWritten = mentions_.count(d.name) && writes >= mentions_.at(d.name) && d.extents.empty();
  bool unread = !mentions_.count(d.name) || onlyWritten;
  if (unread && inKernel_) text += unused();
  bool pointer = d.type.isPointer();
  bool fixed = inKernel_ && d.init && d.extents.empty() && known_->isFixed(d.name);
  if (fixed && !pointer)
    text += d.type.isInteger() && known_->isConstantExpression(d.init) ? constant() : "const ";
  else if (d.isConst && !d.extents.empty() && !(text.find("const") != std::string::npos))
    text += "const ";
  std::string type = variableType(d);
  text += type + (pointer ? "" : " ") + (fixed && pointer ? "const " : "") +
          e_.spelling.try_emplace(d.name, d.name).first->second;
  for (const Expr *e : d.extents) text += "[" + extent(e) + "]";
  if (d.init) {
    const Expr *init = d.init;
    Type wanted = d.type;
    if (const auto *same = dyn<Broadcast>(init)) {
      init = same->operand;
      wanted = wanted.element();
    }
    text += " = " + e_.operand(init, Expressions::kAssign, wanted);
  }
  return text;
}

void Statements::declare(const Declare &d) { w_.line(declaration(d) + ";"); }

std::string Statements::elements(const std::vector<const Expr *> &extents) {
  std::string count;
  for (const Expr *extent : extents) {
    std::string text = e_.print(extent, Scalar::U64);
    bool plain = isa<VarRef>(extent) || isa<IntLit>(extent) || isa<Subscript>(extent) || extents.size() == 1;
    count += (count.empty() ? "" : " * ") + (plain ? text : "(" + text + ")");
  }
  return count.empty() ? "1" : count;
}

std::string Statements::header(const Loop &loop) {
  const std::string type = e_.type(loop.varType);
  return fmt::format("for ({} {} = {}; {} < {}; ++{})", type, loop.var, e_.print(loop.begin, loop.varType), loop.var,
                     e_.operand(loop.end, Expressions::kLess + 1, loop.varType), loop.var);
}

void Statements::plainLoop(const Loop &loop) {
  w_.open(header(loop));
  block(*loop.body);
  w_.close();
}

void Statements::other(const Stmt *s) { fail(kLanguageNode, s->range, name(s->kind())); }

void Statements::conditional(const If &node) {
  if (const std::optional<std::string> update = e_.update(node)) return w_.line(*update + ";");
  w_.open(fmt::format("if ({})", e_.print(node.cond)));
  block(*node.then);
  const Block *otherwise = node.otherwise;
  while (otherwise) {
    w_.own();
    w_.outdent();
    // else if
    const auto *next = otherwise->stmts.size() == 1 ? dyn<If>(otherwise->stmts[0]) : nullptr;
    if (next) {
      w_.line(fmt::format("}} else if ({}) {{", e_.print(next->cond)));
      w_.indent();
      block(*next->then);
      otherwise = next->otherwise;
      continue;
    }
    w_.line("} else {");
    w_.indent();
    block(*otherwise);
    break;
  }
  w_.own();
  w_.close();
}

void Statements::report(const Report &report, const std::string &call) {
  w_.open("");
  w_.open("static constexpr const char *tangram_sites[] =");
  for (const std::string &site : report.sites) w_.line(stringLiteral(site) + ",");
  w_.close(";");
  w_.line(fmt::format("if (const int tangram_status = {}) return tangram_status;", call));
  w_.close();
}

namespace {

/// What the host has of the workspace may be a handle: a place in it is no address.
struct InWorkspace {
  const Expr *workspace, *offset;
};

std::optional<InWorkspace> inWorkspace(const Expr *place) {
  place = withoutCasts(place);
  const auto *sum = dyn<Binary>(place);
  return sum ? std::optional(InWorkspace{sum->lhs, sum->rhs}) : std::nullopt;
}

} // namespace

void Statements::reportFromDevice(const Report &r, const std::string &function, const std::string &entry,
                                  const std::string &stream) {
  std::string error = entry + "_kernel::last_error";
  std::optional<InWorkspace> place = inWorkspace(r.record);
  if (!place) // of what was done on the host
    return report(r, fmt::format("tangram_checked::report({}, {}, tangram_sites)", error, e_.print(r.record)));
  report(r, fmt::format("{}({}, {}, {}, {}, {}, tangram_sites)", function, error, stringLiteral(entry), stream,
                        e_.print(place->workspace), e_.print(place->offset, Scalar::U64)));
}

bool Statements::fetchFromDevice(const Expr *e, const std::string &function, const std::string &entry,
                                 const std::string &stream) {
  const auto *assign = dyn<Assign>(e);
  const auto *element = assign ? dyn<Subscript>(assign->value) : nullptr;
  if (!element) return false;
  std::optional<InWorkspace> place = inWorkspace(element->base);
  if (!place || !isLiteral(element->indices.at(0), 0))
    failBug(e->range, "the backend", "the host touches an element that is not in the workspace");
  w_.line(fmt::format("if (int tangram_status = {}({}_kernel::last_error, {}, &{}, {}, {}, {})) return tangram_status;",
                      function, entry, stringLiteral(entry), e_.print(assign->target), e_.print(place->workspace),
                      e_.print(place->offset, Scalar::U64), stream));
  return true;
}

void Statements::forLoop(const For &loop) {
  std::string init;
  const Stmt *first = loop.init;
  if (const auto *several = dyn<Block>(first); several && several->stmts.size() == 1) first = several->stmts[0];
  bool outside = first && !isa<Declare>(first) && !isa<Evaluate>(first);
  if (outside) {
    w_.open("");
    if (const auto *several = dyn<Block>(first))
      block(*several);
    else
      stmt(first);
  } else if (const auto *d = dyn<Declare>(first)) {
    init = declaration(*d);
  } else if (first) {
    init = e_.print(as<Evaluate>(first)->expr);
  }
  std::string cond = loop.cond ? " " + e_.print(loop.cond) : "", step;
  if (loop.step) {
    const auto *unary = dyn<Unary>(loop.step);
    bool increments = unary && (unary->op == UnaryOp::PostInc || unary->op == UnaryOp::PostDec);
    step = " " + (increments ? (unary->op == UnaryOp::PostInc ? "++" : "--") + e_.print(unary->operand)
                             : e_.print(loop.step));
  }
  w_.open(fmt::format("for ({};{};{})", init, cond, step));
  block(*loop.body);
  w_.own();
  w_.close();
  if (outside) w_.close();
}

void Statements::choose(const Switch &node) {
  bool boolean = node.value->type.isBool();
  std::string value = e_.print(node.value);
  w_.open("switch (" + (boolean ? e_.converted(Scalar::I32, value) : value) + ")");
  for (std::size_t i = 0; i < node.cases.size(); ++i) {
    const Case &c = *node.cases[i];
    w_.own();
    w_.outdent();
    for (const Expr *label : c.labels) w_.line(fmt::format("case {}:", e_.print(label)));
    if (c.isDefault) w_.line("default:");
    w_.indent();
    w_.line("{");
    w_.indent();
    block(*c.body);
    w_.own();
    w_.close();
    if (ends(*c.body)) continue;
    w_.line(i + 1 < node.cases.size() ? fallsThrough() : "break;");
  }
  w_.own();
  w_.close();
}

} // namespace tangram::c_family

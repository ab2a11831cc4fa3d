#include "Statements.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Mutator.h"
#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"

#include <algorithm>

namespace tangram::openmp {

using namespace ast;

namespace {

constexpr DiagnosticKind kLanguageNode{"openmp.language-node", DiagnosticClass::Bug, "a {} reached the backend",
                                       "the passes of the target must lower it first"};
constexpr DiagnosticKind kCooperate{
    "openmp.cooperate", DiagnosticClass::User, "a cooperative codelet at level '{}' reached the backend",
    "put the pass 'lockstep' into the target's pipeline: it turns cooperating lanes into vector code"};
constexpr DiagnosticKind kSync{
    "openmp.sync", DiagnosticClass::Limitation,
    "level '{}' gives work to '{}' and synchronises it by '{}', which this backend cannot make",
    "a level of the target synchronises by 'join' or 'barrier' (threads), 'close-loop' (unrolled iterations), or has "
    "the capability 'vector' (SIMD lanes)"};
constexpr DiagnosticKind kUnknownLevel{"openmp.unknown-level", DiagnosticClass::User,
                                       "a loop runs at level '{}', which target '{}' does not have",
                                       "compile it for the target that it was composed for"};

/// Leaves out declarations that nothing reads.
class DropUnused final : public Mutator {
public:
  DropUnused(Arena &arena, const std::map<std::string, unsigned> &mentions) : Mutator(arena), mentions_(mentions) {}

private:
  bool unused(const std::string &name) const { return mentions_.find(name) == mentions_.end(); }
  const Node *mutateDeclare(const Declare *d) override {
    if (unused(d->name) && !(d->init && hasEffects(d->init))) return nullptr;
    return rebuild(d);
  }
  const Node *mutateAlloc(const Alloc *a) override { return unused(a->name) ? nullptr : rebuild(a); }
  const std::map<std::string, unsigned> &mentions_;
};

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

bool ends(const Block &block) {
  if (block.stmts.empty()) return false;
  const Stmt *last = block.stmts.back();
  if (const auto *inner = dyn<Block>(last)) return ends(*inner);
  return isa<Break>(last) || isa<Continue>(last) || isa<Return>(last);
}

/// Straight code that every compiler turns into vector instructions.
bool isSimple(const Block &body) {
  return walk(&body,
              [](const Stmt &s) {
                bool plain = isa<Block>(&s) || isa<Declare>(&s) || isa<Evaluate>(&s);
                return plain ? WalkResult::Advance : WalkResult::Stop;
              }) &&
         !contains<Call>(&body) && !contains<Atomic>(&body) && !contains<Conditional>(&body) &&
         !any<Declare>(&body, [](const Declare &d) { return !d.extents.empty(); });
}

std::uint64_t bytesOf(const Type &type) { return type.isStruct() ? 64 : std::max(1u, type.bytes()); }

/// Bytes of a temporary where its extents are known; nothing where they are not.
std::optional<std::uint64_t> bytesOf(const Alloc &a, const Constants &constants) {
  std::uint64_t bytes = bytesOf(a.element);
  for (const Expr *extent : a.extents) {
    if (!constants.isConstantExpression(extent)) return {};
    std::optional<Int> value = constants.value(extent);
    if (!value || *value < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes)) return {};
  }
  return bytes;
}

} // namespace

Statements::Statements(Writer &writer, Expressions &expressions, const Module &module,
                       const hardware::Hardware &hardware, StatementOptions options)
    : w_(writer), e_(expressions), module_(module), hardware_(hardware), options_(options) {}

bool Statements::canFail(const Kernel &kernel, const StatementOptions &options) {
  Constants constants(kernel);
  return any<Alloc>(kernel.body, [&](const Alloc &a) {
    std::optional<std::uint64_t> bytes = bytesOf(a, constants);
    return !bytes || *bytes > options.stackBytes;
  });
}

void Statements::function(const Function &function) {
  Kernel shell;
  shell.body = function.body;
  Constants constants(shell);
  constants_ = &constants;
  reads_ = mentions(function.body);
  block(*function.body);
  w_.own();
  constants_ = nullptr;
}

void Statements::kernel(const Kernel &kernel, Arena &arena) {
  const Block *body = simplified(kernel.body, arena);
  const Kernel *clean = arena.derive(&kernel, [&](Kernel &copy) { copy.body = body; });
  Constants constants(*clean);
  constants_ = &constants;
  level_ = hardware_.levels.empty() ? nullptr : &hardware_.top();
  reads_ = mentions(body);
  writes_.clear();
  walk(body, [&](const Assign &a) {
    if (const auto *v = dyn<VarRef>(a.target)) ++writes_[v->name];
  });
  told_.clear();
  bool fails = canFail(*clean, options_);
  bool flag = fails && any<Loop>(body, [&](const Loop &l) {
                const hardware::Level *level = hardware_.find(l.level);
                return level && l.policy == Policy::Distribute && !level->vector && level->sync != "close-loop";
              });
  if (flag) w_.line("bool out_of_memory = false;");
  block(*body);
  w_.own();
  if (fails) w_.line("return TANGRAM_OK;");
  constants_ = nullptr;
}

void Statements::block(const Block &block) {
  for (const Stmt *s : block.stmts) {
    origin(s);
    stmt(s);
  }
}

void Statements::origin(const Stmt *s) {
  if (isa<Block>(s) || !constants_) return;
  if (options_.line) return w_.from(s->range);
  if (!s->range.valid() || !level_) return;
  for (const Spectrum *spectrum : module_.spectrums)
    for (const Codelet *codelet : spectrum->codelets) {
      const SourceRange &r = codelet->range;
      bool inside = r.valid() && r.file == s->range.file && s->range.line >= r.line &&
                    (s->range.line <= r.endLine || r.endLine == 0);
      if (!inside || (r.endLine == 0 && r.line != s->range.line)) continue;
      const std::string &name = codelet->tag.empty() ? codelet->name : codelet->tag;
      std::string text = fmt::format("{}: codelet {} at {}", spectrum->name, name, level_->name);
      if (text != told_) w_.comment(text);
      told_ = text;
      return;
    }
}

void Statements::stmt(const Stmt *s) {
  switch (s->kind()) {
  case Kind::Block:
    w_.open("");
    block(*as<Block>(s));
    w_.close();
    return;
  case Kind::Declare: return declare(*as<Declare>(s));
  case Kind::Evaluate: return effect(as<Evaluate>(s)->expr);
  case Kind::If: return conditional(*as<If>(s));
  case Kind::For: return forLoop(*as<For>(s));
  case Kind::While:
    w_.open(fmt::format("while ({})", e_.print(as<While>(s)->cond)));
    block(*as<While>(s)->body);
    w_.close();
    return;
  case Kind::DoWhile:
    w_.open("do");
    block(*as<DoWhile>(s)->body);
    w_.close(fmt::format(" while ({});", e_.print(as<DoWhile>(s)->cond)));
    return;
  case Kind::Switch: return choose(*as<Switch>(s));
  case Kind::Break: return w_.line("break;");
  case Kind::Continue: return w_.line("continue;");
  case Kind::Return: {
    const Expr *value = as<Return>(s)->value;
    return w_.line(value ? fmt::format("return {};", e_.print(value, value->type)) : "return;");
  }
  case Kind::Loop: return loop(*as<Loop>(s));
  case Kind::Sync: return; // threads join at the end of their region, lanes are in step
  case Kind::Alloc: return alloc(*as<Alloc>(s));
  case Kind::VectorStore: return store(*as<VectorStore>(s));
  case Kind::Cooperate: fail(kCooperate, s->range, as<Cooperate>(s)->level);
  default: fail(kLanguageNode, s->range, name(s->kind()));
  }
}

void Statements::effect(const Expr *e) {
  if (contains<Atomic>(e)) usesAtomics = true;
  if (!hasEffects(e)) return;
  // A loop over the same place as a statement of its own reads better without the value.
  bool plain = isa<Assign>(e) || isa<Unary>(e) || isa<Call>(e) || isa<Atomic>(e) ||
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
  bool onlyWritten = reads_.count(d.name) && writes >= reads_.at(d.name) && d.extents.empty();
  bool unread = !reads_.count(d.name) || onlyWritten;
  if (unread && level_) text += "[[maybe_unused]] ";
  bool pointer = d.type.isPointer();
  bool fixed = level_ && d.init && d.extents.empty() && constants_->isFixed(d.name);
  if (fixed && !pointer)
    text += d.type.isInteger() && constants_->isConstantExpression(d.init) ? "constexpr " : "const ";
  else if (d.isConst && !d.extents.empty() && !(text.find("const") != std::string::npos))
    text += "const ";
  std::string type = e_.type(d.type);
  text += type + (pointer ? "" : " ") + (fixed && pointer ? "const " : "") +
          e_.spelling.try_emplace(d.name, d.name).first->second;
  for (const Expr *extent : d.extents) text += "[" + e_.print(extent, Scalar::U64) + "]";
  if (d.init) {
    const Expr *init = d.init;
    Type wanted = d.type;
    if (const auto *same = dyn<Broadcast>(init)) {
      init = same->operand;
      wanted = wanted.element();
    }
    text += " = " + e_.print(init, wanted);
  }
  return text;
}

void Statements::declare(const Declare &d) {
  if (d.init && contains<Atomic>(d.init)) usesAtomics = true;
  w_.line(declaration(d) + ";");
}

void Statements::alloc(const Alloc &a) {
  std::string name = a.name, element = e_.type(a.element), count;
  for (const Expr *extent : a.extents) {
    std::string text = e_.print(extent, Scalar::U64);
    bool plain = isa<VarRef>(extent) || isa<IntLit>(extent) || isa<Subscript>(extent) || a.extents.size() == 1;
    count += (count.empty() ? "" : " * ") + (plain ? text : "(" + text + ")");
  }
  std::optional<std::uint64_t> bytes = bytesOf(a, *constants_);
  if (bytes && *bytes <= options_.stackBytes) {
    if (*bytes == 0) count = "1";
    // Vectors are loaded from it and stored to it.
    w_.line(fmt::format("alignas(64) {} {}[{}];", element, name, count.empty() ? "1" : count));
    return;
  }
  usesHeap = true;
  std::string sizes;
  for (const Expr *extent : a.extents) sizes += (sizes.empty() ? "" : ", ") + e_.print(extent, Scalar::U64);
  w_.line(fmt::format("const Buffer<{}> {}_buffer({{{}}});", element, name, sizes));
  w_.line(fmt::format("{} *const {} = {}_buffer.data();", element, name, name));
  if (regions_ == 0) {
    w_.line(fmt::format("if ({} == nullptr) return TANGRAM_OUT_OF_MEMORY;", name));
    return;
  }
  w_.open(fmt::format("if ({} == nullptr)", name));
  w_.directive("#pragma omp atomic write");
  w_.line("out_of_memory = true;");
  w_.line("continue;");
  w_.close();
}

std::string Statements::header(const Loop &loop) {
  const std::string type = e_.type(loop.varType);
  return fmt::format("for ({} {} = {}; {} < {}; ++{})", type, loop.var, e_.print(loop.begin, loop.varType), loop.var,
                     e_.print(loop.end, loop.varType), loop.var);
}

void Statements::loop(const Loop &loop) {
  const hardware::Level *level = hardware_.find(loop.level);
  if (!level && !loop.level.empty()) fail(kUnknownLevel, loop.range, loop.level, hardware_.name);
  const hardware::Level *outer = level_;
  bool distributes = loop.policy == Policy::Distribute && level;
  if (distributes && !level->vector && level->sync != "close-loop") {
    parallel(loop, *level);
    return;
  }
  if (distributes && hardware_.below(*level)) level_ = hardware_.below(*level);
  bool unrolls = loop.policy == Policy::Unroll || (distributes && level->sync == "close-loop");
  if (unrolls) {
    std::optional<Int> begin = constants_->value(loop.begin), end = constants_->value(loop.end);
    Int trip = begin && end && *end > *begin ? *end - *begin : 8;
    w_.directive(fmt::format("#pragma GCC unroll {}", std::min<Int>(trip, 32)));
  } else if (distributes && isSimple(*loop.body)) {
    usesSimd = true;
    w_.directive("#pragma omp simd");
  }
  w_.open(header(loop));
  block(*loop.body);
  w_.close();
  level_ = outer;
}

void Statements::parallel(const Loop &loop, const hardware::Level &level) {
  const hardware::Level *below = hardware_.below(level);
  if (!below || (level.sync != "join" && level.sync != "barrier"))
    fail(kSync, loop.range, level.name, below ? below->name : "nothing", level.sync);
  const hardware::Level *outer = level_;
  usesThreads = true;
  std::string threads;
  if (!below->workers.automatic) threads = fmt::format(" num_threads({})", below->workers.count);
  w_.own();
  w_.directive("#pragma omp parallel for schedule(static)" + threads);
  w_.open(header(loop));
  level_ = below;
  ++regions_;
  block(*loop.body);
  w_.own();
  --regions_;
  w_.close();
  level_ = outer;
  bool fails = any<Alloc>(loop.body, [&](const Alloc &a) {
    std::optional<std::uint64_t> bytes = bytesOf(a, *constants_);
    return !bytes || *bytes > options_.stackBytes;
  });
  if (fails && regions_ == 0) w_.line("if (out_of_memory) return TANGRAM_OUT_OF_MEMORY;");
}

void Statements::conditional(const If &node) {
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
  w_.open(boolean ? "switch (int(" + value + "))" : "switch (" + value + ")");
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
    w_.line(i + 1 < node.cases.size() ? "[[fallthrough]];" : "break;");
  }
  w_.own();
  w_.close();
}

void Statements::store(const VectorStore &s) {
  e_.usesVectors = true;
  std::string mask = s.mask ? ", " + e_.print(s.mask) : "", value = e_.print(s.value);
  if (s.index->type.isVector())
    return w_.line(fmt::format("tangram::scatter({}, {}, {}{});", e_.print(s.base), e_.print(s.index), value, mask));
  w_.line(fmt::format("tangram::store({}, {}{});", address(e_, s.base, s.index), value, mask));
}

} // namespace tangram::openmp

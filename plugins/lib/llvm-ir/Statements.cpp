#include "tangram/llvm-ir/Statements.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Kinds.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/WrittenOut.h"
#include "tangram/diag/Diagnostic.h"

namespace tangram::llvm_ir {

using namespace ast;
using llvm::Value;

namespace {

constexpr DiagnosticKind kExtent{
    "llvm-ir.extent", DiagnosticClass::Limitation, "the size of '{}' is not known when the kernel is compiled",
    "let it depend on literals and tunables only: a worker's memory is laid out beforehand"};
constexpr DiagnosticKind kTooMany{"llvm-ir.too-many", DiagnosticClass::Limitation,
                                  "'{}' has more elements than a worker can have of its own",
                                  "make it smaller, or a container that workers share"};
constexpr std::uint64_t kMostElements = 1 << 20;

} // namespace

void Statements::block(const Block &block) {
  const std::size_t before = ends_.size();
  for (const Stmt *s : block.stmts) stmt(s);
  if (!s_.isClosed()) leave(before);
  ends_.resize(before);
}

void Statements::leave(std::size_t since) {
  for (std::size_t i = ends_.size(); i > since; --i) ends_[i - 1]();
}

void Statements::next() {
  leave(exits_.back().nextEnds);
  b_.CreateBr(exits_.back().next);
}

void Statements::refuse(const Stmt *s, const std::string &what) { fail(kLanguageNode, s->range, what); }
void Statements::other(const Stmt *s) { refuse(s, std::string(name(s->kind()))); }

void Statements::stmt(const Stmt *s) {
  // What follows a jump is not reached, but must stand somewhere.
  if (s_.isClosed()) b_.SetInsertPoint(s_.block("unreached"));
  s_.unit.lines.at(s->range, b_);
  switch (stmtKind(*s)) {
  case StmtKind::Block: return block(*as<Block>(s));
  case StmtKind::Declare: return declare(*as<Declare>(s));
  case StmtKind::Evaluate: e_.value(as<Evaluate>(s)->expr); return;
  case StmtKind::If: return conditional(*as<If>(s));
  case StmtKind::For: return forLoop(*as<For>(s));
  case StmtKind::While:
    return loop([&] { return e_.condition(as<While>(s)->cond); }, *as<While>(s)->body, [] {}, false, {});
  case StmtKind::DoWhile:
    return loop([&] { return e_.condition(as<DoWhile>(s)->cond); }, *as<DoWhile>(s)->body, [] {}, true, {});
  case StmtKind::Switch: return choose(*as<Switch>(s));
  case StmtKind::Break:
    if (exits_.empty()) fail(kLanguageNode, s->range, "Break outside of a loop");
    leave(exits_.back().leaveEnds);
    b_.CreateBr(exits_.back().leave);
    return;
  case StmtKind::Continue:
    if (exits_.empty() || !exits_.back().next) fail(kLanguageNode, s->range, "Continue outside of a loop");
    return next();
  case StmtKind::Return: {
    const Expr *result = as<Return>(s)->value;
    if (known_) fail(kLanguageNode, s->range, "Return in a kernel");
    Value *made = result ? e_.value(result) : nullptr;
    leave();
    if (made)
      b_.CreateRet(made);
    else
      b_.CreateRetVoid();
    return;
  }
  case StmtKind::Loop: return counted(*as<Loop>(s));
  case StmtKind::Alloc: return alloc(*as<Alloc>(s));
  case StmtKind::Sync:
  case StmtKind::Await:
  case StmtKind::Report:
  case StmtKind::VectorStore: return other(s);
  // The language's own, which passes have made others of, and what is started elsewhere.
  case StmtKind::Cooperate:
  case StmtKind::View:
  case StmtKind::Launch:
  case StmtKind::Single: break;
  }
  refuse(s, std::string(name(s->kind())));
}

std::vector<std::uint64_t> Statements::extents(const std::vector<const Expr *> &written, const std::string &name,
                                               const SourceRange &range) const {
  std::vector<std::uint64_t> result;
  std::uint64_t count = 1;
  for (const Expr *e : written) {
    std::optional<Int> known = known_ ? known_->value(e) : literal(e);
    if (!known || *known < 0) fail(kExtent, range, name);
    result.push_back(static_cast<std::uint64_t>(*known));
    if (result.back() > kMostElements || (count *= result.back()) > kMostElements) fail(kTooMany, range, name);
  }
  return result;
}

void Statements::declare(const Declare &d) {
  if (d.extents.empty()) {
    if (const auto *list = dyn<InitList>(d.init)) {
      s_.declare(d.name, d.type, nullptr);
      return e_.initialise(*list, {s_.variable(d.name, d.range).value, d.type}, {});
    }
    return s_.declare(d.name, d.type, d.init ? e_.value(d.init, d.type) : nullptr);
  }
  local(d.name, d.type.leaf(), extents(d.extents, d.name, d.range), dyn<InitList>(d.init), d.range);
}

void Statements::local(const std::string &name, const Type &element, const std::vector<std::uint64_t> &extents,
                       const InitList *init, const SourceRange &range) {
  std::uint64_t count = 1;
  for (std::uint64_t extent : extents) count *= extent;
  Place place{array(name, element, std::max<std::uint64_t>(1, count), range), element};
  s_.define(name, {Variable::Kind::Array, place.address, element});
  arrays_.insert(name);
  if (init) e_.initialise(*init, place, extents);
}

Value *Statements::array(const std::string &name, const Type &element, std::uint64_t count, const SourceRange &) {
  return s_.stack(element, count, name);
}

void Statements::conditional(const If &node) {
  Value *cond = e_.condition(node.cond);
  llvm::BasicBlock *then = s_.block("then"), *done = s_.block("endif");
  llvm::BasicBlock *otherwise = node.otherwise ? s_.block("else") : done;
  b_.CreateCondBr(cond, then, otherwise);
  b_.SetInsertPoint(then);
  block(*node.then);
  if (node.otherwise) {
    if (!s_.isClosed()) b_.CreateBr(done);
    b_.SetInsertPoint(otherwise);
    block(*node.otherwise);
  }
  s_.enter(done);
}

unsigned Statements::copies(const For &loop) const {
  return known_ && c_family::turnsThrough(*known_, loop, arrays_) ? kAllCopies : kNoCopies;
}

void Statements::forLoop(const For &f) {
  if (f.init) stmt(f.init);
  loop([&] { return f.cond ? e_.condition(f.cond) : nullptr; }, *f.body,
       [&] {
         if (f.step) e_.value(f.step);
       },
       false, {copies(f)});
}

void Statements::loop(const std::function<Value *()> &cond, const Block &body, const std::function<void()> &step,
                      bool bodyFirst, Hints hints) {
  llvm::BasicBlock *test = s_.block("test"), *round = s_.block("round"), *next = s_.block("next"),
                   *done = s_.block("done");
  llvm::DebugLoc where = b_.getCurrentDebugLocation();
  auto branch = [&] {
    Value *more = cond();
    return more ? b_.CreateCondBr(more, round, done) : b_.CreateBr(round);
  };
  auto mark = [&](llvm::BranchInst *back) {
    const bool asks = hints.copies != kNoCopies || hints.independent;
    if (!asks || contains<Check>(&body)) return; // checked code is not for speed
    llvm::LLVMContext &context = s_.context();
    std::vector<llvm::Metadata *> all{nullptr};
    auto say = [&](const char *what, llvm::Metadata *value) {
      std::vector<llvm::Metadata *> hint{llvm::MDString::get(context, what)};
      if (value) hint.push_back(value);
      all.push_back(llvm::MDNode::get(context, hint));
    };
    if (hints.copies == kAllCopies)
      say("llvm.loop.unroll.enable", nullptr);
    else if (hints.copies != kNoCopies)
      say("llvm.loop.unroll.count", llvm::ConstantAsMetadata::get(b_.getInt32(hints.copies)));
    if (hints.independent) {
      say("llvm.loop.parallel_accesses", s_.accesses);
      say("llvm.loop.vectorize.enable", llvm::ConstantAsMetadata::get(b_.getTrue()));
    }
    llvm::MDNode *id = llvm::MDNode::getDistinct(context, all);
    id->replaceOperandWith(0, id);
    back->setMetadata(llvm::LLVMContext::MD_loop, id);
  };
  llvm::MDNode *around = s_.accesses;
  if (hints.independent) s_.accesses = llvm::MDNode::getDistinct(s_.context(), {});
  if (bodyFirst) {
    s_.enter(round);
  } else {
    s_.enter(test);
    branch();
    b_.SetInsertPoint(round);
  }
  exits_.push_back({done, next, ends_.size(), ends_.size()});
  block(body);
  exits_.pop_back();
  s_.enter(next);
  b_.SetCurrentDebugLocation(where);
  step();
  if (bodyFirst) {
    s_.enter(test);
    mark(branch());
  } else {
    mark(b_.CreateBr(test));
  }
  s_.accesses = around;
  b_.SetInsertPoint(done);
}

void Statements::count(const Loop &l, Hints hints) {
  Value *begin = e_.value(l.begin, l.varType);
  count(l, begin, e_.value(l.end, l.varType), hints);
}

void Statements::count(const Loop &l, Value *begin, Value *end, Hints hints) {
  s_.declare(l.var, l.varType, begin);
  Place var{s_.variable(l.var, l.range).value, l.varType};
  bool isSigned = l.varType.isSigned();
  loop([&] { return s_.arithmetic.binary(BinaryOp::Lt, s_.load(var), l.varType, end, l.varType, Scalar::Bool); },
       *l.body,
       // It is below the end, and so there is a next one.
       [&] {
         Value *before = s_.load(var);
         s_.store(var, b_.CreateAdd(before, llvm::ConstantInt::get(before->getType(), 1), "", !isSigned, isSigned));
       },
       false, hints);
}

void Statements::choose(const Switch &node) {
  Type type = promoted(node.value->type);
  Value *value = e_.value(node.value, type);
  llvm::BasicBlock *done = s_.block("endswitch");
  std::vector<llvm::BasicBlock *> blocks;
  llvm::BasicBlock *otherwise = done;
  for (const Case *c : node.cases) {
    blocks.push_back(s_.block("case"));
    if (c->isDefault) otherwise = blocks.back();
  }
  llvm::SwitchInst *jump = b_.CreateSwitch(value, otherwise, static_cast<unsigned>(node.cases.size()));
  const Exits around = exits_.empty() ? Exits{} : exits_.back();
  exits_.push_back({done, around.next, ends_.size(), around.nextEnds});
  for (std::size_t i = 0; i < node.cases.size(); ++i) {
    b_.SetInsertPoint(blocks[i]);
    for (const Expr *label : node.cases[i]->labels) {
      auto *known = llvm::dyn_cast<llvm::ConstantInt>(e_.value(label, type));
      if (!known) fail(kLanguageNode, label->range, "label that is no constant");
      if (jump->findCaseValue(known) == jump->case_default()) jump->addCase(known, blocks[i]);
    }
    block(*node.cases[i]->body);
    if (!s_.isClosed()) b_.CreateBr(i + 1 < blocks.size() ? blocks[i + 1] : done);
  }
  exits_.pop_back();
  b_.SetInsertPoint(done);
}

} // namespace tangram::llvm_ir

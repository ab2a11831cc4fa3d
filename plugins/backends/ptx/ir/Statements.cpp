#include "Statements.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Walk.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"

namespace tangram::ptx {

using namespace ast;
using llvm::Value;

namespace {

constexpr DiagnosticKind kLanguageNode{
    "ptx.language-node", DiagnosticClass::User, "a {} reached the backend",
    "the passes of the target must lower it first: compare its pipeline with those in hw/"};
constexpr DiagnosticKind kVectorStore{"ptx.vectors", DiagnosticClass::Limitation,
                                      "vector code (a store) cannot be made for workers of a device",
                                      "leave out the pass that makes vectors: workers run in step by themselves"};
constexpr DiagnosticKind kExtent{
    "ptx.extent", DiagnosticClass::Limitation, "the size of '{}' is not known when the kernel is compiled",
    "let it depend on literals and tunables only: a worker's memory is laid out beforehand"};
constexpr DiagnosticKind kTooMany{"ptx.too-many", DiagnosticClass::Limitation,
                                  "'{}' has more elements than a worker can have of its own",
                                  "make it smaller, or a container that workers share"};
constexpr std::uint64_t kMostElements = 1 << 20;
constexpr DiagnosticKind kMemory{"ptx.memory", DiagnosticClass::Limitation,
                                 "'{}' is to lie in memory '{}', which a launch cannot make",
                                 "a launch has memory of a group, 'scratchpad', and of a worker, 'registers'"};

} // namespace

void Statements::block(const Block &block) {
  for (const Stmt *s : block.stmts) stmt(s);
}

void Statements::stmt(const Stmt *s) {
  // What follows a jump is not reached, but must stand somewhere.
  if (s_.isClosed()) b_.SetInsertPoint(s_.block("unreached"));
  s_.unit.lines.at(s->range, b_);
  switch (s->kind()) {
  case Kind::Block: return block(*as<Block>(s));
  case Kind::Declare: return declare(*as<Declare>(s));
  case Kind::Evaluate: e_.value(as<Evaluate>(s)->expr); return;
  case Kind::If: return conditional(*as<If>(s));
  case Kind::For: {
    const auto *f = as<For>(s);
    if (f->init) stmt(f->init);
    return loop([&] { return f->cond ? e_.condition(f->cond) : nullptr; }, *f->body,
                [&] {
                  if (f->step) e_.value(f->step);
                },
                false, copies(*f));
  }
  case Kind::While:
    return loop([&] { return e_.condition(as<While>(s)->cond); }, *as<While>(s)->body, [] {}, false, kNoCopies);
  case Kind::DoWhile:
    return loop([&] { return e_.condition(as<DoWhile>(s)->cond); }, *as<DoWhile>(s)->body, [] {}, true, kNoCopies);
  case Kind::Switch: return choose(*as<Switch>(s));
  case Kind::Break:
    if (exits_.empty()) fail(kLanguageNode, s->range, "Break outside of a loop");
    b_.CreateBr(exits_.back().leave);
    return;
  case Kind::Continue:
    if (exits_.empty() || !exits_.back().next) fail(kLanguageNode, s->range, "Continue outside of a loop");
    b_.CreateBr(exits_.back().next);
    return;
  case Kind::Return: {
    const Expr *result = as<Return>(s)->value;
    if (constants_) fail(kLanguageNode, s->range, "Return in a kernel");
    Value *made = result ? e_.value(result) : nullptr;
    if (made)
      b_.CreateRet(made);
    else
      b_.CreateRetVoid();
    return;
  }
  case Kind::Loop: return counted(*as<Loop>(s));
  case Kind::Sync: return Device(s_).sync(*as<Sync>(s));
  case Kind::Alloc: return alloc(*as<Alloc>(s));
  case Kind::VectorStore: fail(kVectorStore, s->range);
  default: fail(kLanguageNode, s->range, name(s->kind()));
  }
}

std::vector<std::uint64_t> Statements::extents(const std::vector<const Expr *> &written, const std::string &name,
                                               const SourceRange &range) const {
  std::vector<std::uint64_t> result;
  std::uint64_t count = 1;
  for (const Expr *e : written) {
    std::optional<Int> known = constants_ ? constants_->value(e) : literal(e);
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
  local(d.name, d.type.leaf(), extents(d.extents, d.name, d.range), dyn<InitList>(d.init));
}

void Statements::local(const std::string &name, const Type &element, const std::vector<std::uint64_t> &extents,
                       const InitList *init) {
  std::uint64_t count = 1;
  for (std::uint64_t extent : extents) count *= extent;
  Place place{s_.stack(element, std::max<std::uint64_t>(1, count), name), element};
  s_.define(name, {Variable::Kind::Array, place.address, element});
  arrays_.insert(name);
  if (init) e_.initialise(*init, place, extents);
}

void Statements::alloc(const Alloc &a) {
  if (a.memory == "scratchpad")
    return s_.define(a.name, {Variable::Kind::Array, s_.unit.scratchpad.place(a), a.element});
  if (a.memory != "registers") fail(kMemory, a.range, a.name, a.memory);
  local(a.name, a.element, extents(a.extents, a.name, a.range), nullptr);
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

/// A loop that reads memory has few loads in flight: more of them where iterations are written out. LLVM by itself is
/// sparing here.
unsigned Statements::copies(const For &loop) const {
  if (constants_ && constants_->turnsThrough(loop, arrays_)) return kAllCopies;
  constexpr unsigned kMost = 4;
  constexpr std::size_t kNodes = 600, kLoads = 2 * loops::kLoadsTogether; // of all copies
  const auto *init = dyn<Declare>(loop.init);
  if (init && loops::goesOn(init->init, assigned_)) return kNoCopies;
  if (!loops::isLeaf(loop.body) || contains<Sync>(loop.body) || !contains<Subscript>(loop.body)) return kNoCopies;
  std::size_t fit = std::min(kNodes / nodeCount(loop.body), kLoads / std::max<std::size_t>(1, loops::loads(loop.body)));
  return fit < 2 ? kNoCopies : static_cast<unsigned>(std::min<std::size_t>(kMost, fit));
}

void Statements::loop(const std::function<Value *()> &cond, const Block &body, const std::function<void()> &step,
                      bool bodyFirst, unsigned copies) {
  llvm::BasicBlock *test = s_.block("test"), *round = s_.block("round"), *next = s_.block("next"),
                   *done = s_.block("done");
  llvm::DebugLoc where = b_.getCurrentDebugLocation();
  auto branch = [&] {
    Value *more = cond();
    return more ? b_.CreateCondBr(more, round, done) : b_.CreateBr(round);
  };
  auto mark = [&](llvm::BranchInst *back) {
    if (copies == kNoCopies || contains<Check>(&body)) return; // checked code is not for speed
    llvm::LLVMContext &context = s_.context();
    std::vector<llvm::Metadata *> hint{
        llvm::MDString::get(context, copies == kAllCopies ? "llvm.loop.unroll.enable" : "llvm.loop.unroll.count")};
    if (copies != kAllCopies) hint.push_back(llvm::ConstantAsMetadata::get(b_.getInt32(copies)));
    llvm::MDNode *id = llvm::MDNode::getDistinct(context, {nullptr, llvm::MDNode::get(context, hint)});
    id->replaceOperandWith(0, id);
    back->setMetadata(llvm::LLVMContext::MD_loop, id);
  };
  if (bodyFirst) {
    s_.enter(round);
  } else {
    s_.enter(test);
    branch();
    b_.SetInsertPoint(round);
  }
  exits_.push_back({done, next});
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
  b_.SetInsertPoint(done);
}

void Statements::counted(const Loop &l) {
  const hardware::LaunchLevels &levels = s_.unit.levels;
  bool workers = l.level == levels.device->name || l.level == levels.group->name || levels.subgroup(l.level);
  if (l.policy == Policy::Distribute && workers) fail(kLanguageNode, l.range, "distributed Loop");
  s_.declare(l.var, l.varType, e_.value(l.begin, l.varType));
  Place var{s_.variable(l.var, l.range).value, l.varType};
  Value *end = e_.value(l.end, l.varType);
  bool isSigned = l.varType.isSigned();
  loop([&] { return s_.arithmetic.binary(BinaryOp::Lt, s_.load(var), l.varType, end, l.varType, Scalar::Bool); },
       *l.body,
       // It is below the end, and so there is a next one.
       [&] {
         Value *before = s_.load(var);
         s_.store(var, b_.CreateAdd(before, llvm::ConstantInt::get(before->getType(), 1), "", !isSigned, isSigned));
       },
       false, l.policy != Policy::Serialize && l.policy != Policy::None ? kAllCopies : kNoCopies);
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
  exits_.push_back({done, exits_.empty() ? nullptr : exits_.back().next});
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

} // namespace tangram::ptx

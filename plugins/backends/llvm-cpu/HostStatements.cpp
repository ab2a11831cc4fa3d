#include "HostStatements.h"

#include "Runtime.h"

#include "tangram/ast/Effects.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/Statements.h"
#include "tangram/c-family/WrittenOut.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/runtime/kernel_abi.h"

#include <algorithm>

namespace tangram::llvm_cpu {

using namespace ast;
using llvm::Value;
using llvm_ir::Variable;

namespace {

constexpr DiagnosticKind kSync{
    "llvm-cpu.sync", DiagnosticClass::Limitation,
    "level '{}' gives work to '{}' and synchronises it by '{}', which this backend cannot make",
    "a level of the target synchronises by 'join' or 'barrier' (threads), 'close-loop' (unrolled iterations), or has "
    "the capability 'vector' (SIMD lanes)"};
constexpr DiagnosticKind kUnknownLevel{"llvm-cpu.unknown-level", DiagnosticClass::User,
                                       "a loop runs at level '{}', which target '{}' does not have",
                                       "compile it for the target that it was composed for"};
constexpr DiagnosticKind kLargeArray{"llvm-cpu.large-array", DiagnosticClass::Limitation,
                                     "the local array '{}' has {} bytes, and a thread's stack has room for {}",
                                     "work on fewer elements at a time"};

constexpr std::uint64_t kMostLocalBytes = 1 << 20; // of one array
constexpr unsigned kVectorAlignment = 64;          // vectors are loaded from temporaries and stored to them

/// Whether it runs in threads.
bool isParallel(const Loop &loop, const hardware::Hardware &hardware) {
  const hardware::Level *level = hardware.find(loop.level);
  return level && loop.policy == Policy::Distribute && !level->vector && !hardware::areIterations(level->sync);
}

} // namespace

unsigned regionsWithin(const Node *tree, const hardware::Hardware &hardware) {
  unsigned deepest = 0;
  walk(tree, [&](const Loop &loop) {
    deepest = std::max(deepest, regionsWithin(loop.body, hardware) + (isParallel(loop, hardware) ? 1 : 0));
    return WalkResult::Skip;
  });
  return deepest;
}

HostStatements::HostStatements(HostExpressions &expressions, const KernelContext &context)
    : Statements(expressions, context.known), host_(expressions), kernel_(context) {
  const hardware::Hardware &hardware = host_.unit().hardware;
  level_ = hardware.levels.empty() ? nullptr : &hardware.top();
}

HostStatements::HostStatements(HostExpressions &expressions, const HostStatements &around, const hardware::Level &level)
    : Statements(expressions, around.known_), host_(expressions), kernel_(around.kernel_), level_(&level),
      regions_(around.regions_ + 1) {
  arrays_ = around.arrays_;
}

void HostStatements::kernel() {
  const Block *body = kernel_.kernel->body;
  const hardware::Hardware &hardware = host_.unit().hardware;
  if (any<Loop>(body, [&](const Loop &l) { return isParallel(l, hardware) && hasHeap(l.body); })) {
    outOfMemory_ = s_.stack(Scalar::Bool, 1, "out_of_memory");
    b_.CreateStore(b_.getInt8(0), outOfMemory_);
  }
  if (unsigned nested = regionsWithin(body, hardware); nested > 1) allowNested(s_, nested);
  block(*body);
  if (!s_.isClosed()) b_.CreateRet(b_.getInt32(TANGRAM_OK));
}

void HostStatements::end(int status) {
  leave();
  b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(status)));
}

void HostStatements::other(const Stmt *s) {
  if (isa<Sync>(s)) return; // threads join at the end of their region, lanes are in step
  if (const auto *store = dyn<VectorStore>(s)) return host_.store(*store);
  if (const auto *r = dyn<Report>(s); r && kernel_.lastError) return report(*r);
  Statements::other(s);
}

void HostStatements::report(const Report &r) {
  llvm::BasicBlock *wrong = s_.block("wrong"), *done = s_.block("right");
  Value *record = e_.value(r.record);
  Value *site = b_.CreateAlignedLoad(b_.getInt32Ty(), record, llvm::Align(4));
  b_.CreateCondBr(b_.CreateICmpEQ(site, b_.getInt32(0)), done, wrong);
  b_.SetInsertPoint(wrong);
  sayWhere(s_, *kernel_.lastError, record, site, r.sites);
  end(TANGRAM_OUT_OF_RANGE);
  b_.SetInsertPoint(done);
}

std::size_t HostStatements::sizeUnrolled(const Node &node) const {
  std::size_t nodes = 1;
  for (const Node *child : children(node)) nodes += sizeUnrolled(*child);
  const auto *loop = dyn<For>(&node);
  std::optional<Int> turns = loop && known_ ? c_family::turnsThrough(*known_, *loop, arrays_) : std::nullopt;
  return turns ? nodes * static_cast<std::size_t>(*turns) : nodes;
}

unsigned HostStatements::copies(const For &loop) const {
  constexpr std::size_t kMostNodes = 4000; // beyond it a compiler takes minutes, and registers have long run out
  unsigned all = Statements::copies(loop);
  return all != kNoCopies && sizeUnrolled(loop) > kMostNodes ? kNoCopies : all;
}

/// A loop through arrays of the thread's own is written out here, before LLVM looks at it: the arrays are registers
/// then, where nothing but constants is an index in them.
void HostStatements::forLoop(const For &loop) {
  const bool jumps = contains<Break>(loop.body) || contains<Continue>(loop.body);
  if (jumps || contains<Check>(loop.body) || copies(loop) != kAllCopies) return Statements::forLoop(loop);
  const Int turns = *c_family::turnsThrough(*known_, loop, arrays_);
  const auto *first = dyn<Declare>(loop.init);
  if (!first) first = as<Declare>(as<Block>(loop.init)->stmts.at(0));
  const Int begin = *known_->value(first->init);
  llvm::Type *type = s_.unit.types.value(first->type);
  for (Int turn = 0; turn < turns; ++turn) {
    Value *number = llvm::ConstantInt::get(type, static_cast<std::uint64_t>(begin + turn), first->type.isSigned());
    s_.define(first->name, {Variable::Kind::Value, number, first->type});
    block(*loop.body);
  }
}

// ---- memory ----------------------------------------------------------------------------------------------

std::optional<std::uint64_t> HostStatements::bytesOf(const Alloc &a) const {
  std::uint64_t bytes = std::max<std::uint64_t>(1, s_.unit.types.bytes(a.element));
  for (const Expr *extent : a.extents) {
    std::optional<Int> value;
    if (known_ && known_->isConstantExpression(extent)) value = known_->value(extent);
    if (!value || *value < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(*value), &bytes)) return {};
  }
  return bytes;
}

bool HostStatements::hasHeap(const Node *node) const {
  return any<Alloc>(node, [&](const Alloc &a) {
    std::optional<std::uint64_t> bytes = bytesOf(a);
    return !bytes || *bytes > host_.unit().stackBytes;
  });
}

Value *HostStatements::onStack(const std::string &name, const Type &element, std::uint64_t count, unsigned align) {
  auto *made = llvm::cast<llvm::AllocaInst>(s_.stack(element, count, name));
  made->setAlignment(std::max(made->getAlign(), llvm::Align(align)));
  // Arrays of blocks that follow each other share their place.
  llvm::ConstantInt *bytes = b_.getInt64(count * s_.unit.types.bytes(element));
  b_.CreateLifetimeStart(made, bytes);
  atEnd([this, made, bytes] { b_.CreateLifetimeEnd(made, bytes); });
  return made;
}

Value *HostStatements::array(const std::string &name, const Type &element, std::uint64_t count,
                             const SourceRange &range) {
  const std::uint64_t bytes = count * s_.unit.types.bytes(element);
  if (bytes > kMostLocalBytes) fail(kLargeArray, range, name, bytes, kMostLocalBytes);
  return onStack(name, element, count, 1);
}

void HostStatements::alloc(const Alloc &a) {
  std::optional<std::uint64_t> bytes = bytesOf(a);
  if (!kernel_.kernel) refuse(&a, "Alloc in a function");
  if (!bytes || *bytes > host_.unit().stackBytes) return heap(a);
  std::uint64_t count = 1;
  for (const Expr *extent : a.extents) count *= static_cast<std::uint64_t>(*known_->value(extent));
  Value *first = onStack(a.name, a.element, std::max<std::uint64_t>(1, count), kVectorAlignment);
  s_.define(a.name, {Variable::Kind::Array, first, a.element});
}

void HostStatements::heap(const Alloc &a) {
  llvm::Type *word = b_.getInt64Ty();
  Value *bytes = b_.getInt64(s_.unit.types.bytes(a.element)), *overflow = b_.getFalse();
  for (const Expr *extent : a.extents) {
    Value *product =
        b_.CreateIntrinsic(llvm::Intrinsic::umul_with_overflow, {word}, {bytes, e_.value(extent, Scalar::U64)});
    bytes = b_.CreateExtractValue(product, 0);
    overflow = b_.CreateOr(overflow, b_.CreateExtractValue(product, 1));
  }
  overflow = b_.CreateOr(overflow, b_.CreateICmpUGT(bytes, b_.getInt64(PTRDIFF_MAX - kVectorAlignment)));
  // Whole pieces of the alignment, and one where nothing is wanted.
  Value *rounded = b_.CreateAnd(b_.CreateAdd(bytes, b_.getInt64(kVectorAlignment)),
                                b_.getInt64(~std::uint64_t{kVectorAlignment - 1}));
  Value *wanted =
      b_.CreateSelect(overflow, b_.getInt64(~std::uint64_t{kVectorAlignment - 1}), rounded); // which nobody has
  llvm::FunctionCallee get = runtimeFunction(s_.unit.module, "aligned_alloc", b_.getPtrTy(), {word, word});
  Value *memory = b_.CreateCall(get, {b_.getInt64(kVectorAlignment), wanted}, a.name);
  llvm::BasicBlock *none = s_.block("no_memory"), *done = s_.block("allocated");
  b_.CreateCondBr(b_.CreateIsNull(memory), none, done, unlikely(s_.context()));
  b_.SetInsertPoint(none);
  if (regions_ == 0) {
    end(TANGRAM_OUT_OF_MEMORY);
  } else {
    llvm::StoreInst *flag = b_.CreateAlignedStore(b_.getInt8(1), outOfMemory_, llvm::Align(1));
    flag->setAtomic(llvm::AtomicOrdering::Monotonic);
    next();
  }
  b_.SetInsertPoint(done);
  atEnd([this, memory] {
    b_.CreateCall(runtimeFunction(s_.unit.module, "free", b_.getVoidTy(), {b_.getPtrTy()}), {memory});
  });
  s_.define(a.name, {Variable::Kind::Value, memory, Type::pointer(a.element)});
}

// ---- loops -----------------------------------------------------------------------------------------------

void HostStatements::counted(const Loop &loop) {
  const hardware::Hardware &hardware = host_.unit().hardware;
  const hardware::Level *level = hardware.find(loop.level);
  if (!level && !loop.level.empty()) fail(kUnknownLevel, loop.range, loop.level, hardware.name);
  if (isParallel(loop, hardware)) return parallel(loop, *level);
  const hardware::Level *outer = level_;
  const bool distributes = loop.policy == Policy::Distribute && level;
  if (distributes && hardware.below(*level)) level_ = hardware.below(*level);
  Hints hints;
  if (loop.policy == Policy::Unroll || (distributes && hardware::areIterations(level->sync))) {
    std::optional<Int> begin, end;
    if (known_) begin = known_->value(loop.begin), end = known_->value(loop.end);
    Int trip = begin && end && *end > *begin ? *end - *begin : 8;
    hints.copies = static_cast<unsigned>(std::min<Int>(trip, 32));
  } else if (distributes && isStraightLine(*loop.body)) {
    hints.independent = true;
  }
  count(loop, hints);
  level_ = outer;
}

void HostStatements::parallel(const Loop &loop, const hardware::Level &level) {
  const hardware::Hardware &hardware = host_.unit().hardware;
  const hardware::Level *below = hardware.below(level);
  if (!below || !hardware::mayBeThreads(level.sync))
    fail(kSync, loop.range, level.name, below ? below->name : "nothing", hardware::name(level.sync));
  std::uint64_t threads = 0; // as many as the runtime says
  if (auto asked = loop.units.find(below->name); asked != loop.units.end())
    threads = static_cast<std::uint64_t>(asked->second);
  else if (!below->workers.automatic)
    threads = below->workers.count;
  fork(loop, *below, threads);
  if (regions_ != 0 || !outOfMemory_ || !hasHeap(loop.body)) return;
  llvm::BasicBlock *none = s_.block("no_memory"), *done = s_.block("joined");
  Value *flag = b_.CreateAlignedLoad(b_.getInt8Ty(), outOfMemory_, llvm::Align(1));
  b_.CreateCondBr(b_.CreateICmpEQ(flag, b_.getInt8(0)), done, none);
  b_.SetInsertPoint(none);
  end(TANGRAM_OUT_OF_MEMORY);
  b_.SetInsertPoint(done);
}

void HostStatements::fork(const Loop &loop, const hardware::Level &below, std::uint64_t threads) {
  // What the iterations use: by value, as it is now, where they do not change it.
  const std::set<std::string> changed = assignedVariables(loop.body);
  std::map<std::string, const Variable *> used;
  walk(loop.body, [&](const VarRef &v) {
    if (const Variable *known = s_.find(v.name)) used[v.name] = known;
  });
  struct Captured {
    std::string name;
    const Variable *variable;
    bool byValue;
  };
  std::vector<Captured> captured;
  std::vector<Value *> values{e_.value(loop.begin, loop.varType), e_.value(loop.end, loop.varType),
                              outOfMemory_ ? outOfMemory_ : llvm::ConstantPointerNull::get(b_.getPtrTy())};
  for (const auto &[name, variable] : used) {
    if (llvm::isa<llvm::Constant>(variable->value)) continue; // as it stands
    const bool byValue = variable->kind == Variable::Kind::Place && !changed.count(name) && !variable->type.isStruct();
    captured.push_back({name, variable, byValue});
    values.push_back(byValue ? s_.load({variable->value, variable->type}) : variable->value);
  }
  std::vector<llvm::Type *> fields;
  for (Value *v : values) fields.push_back(v->getType());
  auto *shared = llvm::StructType::get(s_.context(), fields);
  llvm::BasicBlock &entry = s_.function.getEntryBlock();
  Value *place = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(shared, nullptr, "shared");
  for (unsigned i = 0; i < values.size(); ++i) b_.CreateStore(values[i], b_.CreateStructGEP(shared, place, i));

  llvm::Module &module = s_.unit.module;
  auto *region = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false),
                                        llvm::GlobalValue::InternalLinkage, s_.function.getName() + ".region", module);
  region->addFnAttr(llvm::Attribute::NoUnwind);
  region->addParamAttr(0, llvm::Attribute::NoAlias);
  region->addParamAttr(0, llvm::Attribute::ReadOnly);
  callInThreads(s_, *region, place, threads);

  Scope inner(s_.unit, *region, *loop.body);
  HostExpressions expressions(inner, host_.unit());
  HostStatements statements(expressions, *this, below);
  llvm::IRBuilder<> &b = inner.build;
  std::vector<Value *> got;
  for (unsigned i = 0; i < values.size(); ++i)
    got.push_back(b.CreateLoad(fields[i], b.CreateStructGEP(shared, region->getArg(0), i)));
  if (outOfMemory_) statements.outOfMemory_ = got[2];
  for (const auto &[name, variable] : used)
    if (llvm::isa<llvm::Constant>(variable->value)) inner.define(name, *variable);
  for (std::size_t i = 0; i < captured.size(); ++i) {
    const Captured &c = captured[i];
    got[i + 3]->setName(c.name);
    if (c.byValue)
      inner.declare(c.name, c.variable->type, got[i + 3]);
    else
      inner.define(c.name, {c.variable->kind, got[i + 3], c.variable->type});
  }
  statements.share(loop, got[0], got[1]);
  b.CreateRetVoid();
}

/// As OpenMP's schedule(static): parts of one length, the first of which have one more.
void HostStatements::share(const Loop &loop, Value *begin, Value *end) {
  llvm::Type *word = b_.getInt64Ty();
  const bool isSigned = loop.varType.isSigned();
  Value *first = b_.CreateIntCast(begin, word, isSigned), *last = b_.CreateIntCast(end, word, isSigned);
  Value *some = isSigned ? b_.CreateICmpSLT(first, last) : b_.CreateICmpULT(first, last);
  Value *total = b_.CreateSelect(some, b_.CreateSub(last, first), b_.getInt64(0));
  Value *threads = b_.CreateZExt(threadCount(s_), word), *thread = b_.CreateZExt(threadNumber(s_), word);
  Value *length = b_.CreateUDiv(total, threads), *more = b_.CreateURem(total, threads);
  Value *longer = b_.CreateICmpULT(thread, more);
  length = b_.CreateSelect(longer, b_.CreateAdd(length, b_.getInt64(1)), length);
  Value *before = b_.CreateAdd(b_.CreateMul(length, thread), b_.CreateSelect(longer, b_.getInt64(0), more));
  auto at = [&](Value *offset) { return b_.CreateIntCast(b_.CreateAdd(first, offset), begin->getType(), isSigned); };
  count(loop, at(before), at(b_.CreateAdd(before, length)), {});
}

} // namespace tangram::llvm_cpu

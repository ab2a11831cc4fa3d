#include "DeviceCode.h"

#include "tangram/ast/Walk.h"
#include "tangram/c-family/WrittenOut.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Checks.h"
#include "tangram/loops/Counted.h"
#include "tangram/loops/Loads.h"

namespace tangram::ptx {

using namespace ast;
using llvm::Value;

namespace {

constexpr DiagnosticKind kVectorStore{"ptx.vectors", DiagnosticClass::Limitation,
                                      "vector code (a store) cannot be made for workers of a device",
                                      "leave out the pass that makes vectors: workers run in step by themselves"};
constexpr DiagnosticKind kMemory{"ptx.memory", DiagnosticClass::Limitation,
                                 "'{}' is to lie in memory '{}', which a launch cannot make",
                                 "a launch has memory of a group, 'scratchpad', and of a worker, 'registers'"};

constexpr const char *kDevice = "device"; // all workers of a launch, as LLVM names them

} // namespace

Value *DeviceExpressions::other(const Expr *e) {
  if (const auto *index = dyn<WorkerIndex>(e)) return device_.index(*index);
  if (const auto *count = dyn<WorkerCount>(e)) return device_.count(*count);
  if (const auto *s = dyn<Shuffle>(e)) {
    Value *operand = value(s->operand);
    return device_.shuffle(*s, operand, value(s->lane));
  }
  if (const auto *product = dyn<MatrixMultiply>(e)) {
    std::vector<llvm_ir::Place> c;
    std::vector<Value *> a, b;
    for (const Expr *operand : product->a) a.push_back(value(operand));
    for (const Expr *operand : product->b) b.push_back(value(operand));
    for (const Expr *target : product->c) c.push_back(place(target));
    device_.multiply(*product, c, a, b);
    return nullptr;
  }
  if (const auto *load = dyn<VectorLoad>(e); load && !load->mask && isa<Aligned>(load->base))
    return b_.CreateAlignedLoad(s_.unit.types.value(e->type), wide(load->base, load->index, e->type.element()),
                                llvm::Align(e->type.bytes()));
  if (const auto *lane = dyn<VectorLane>(e)) {
    Value *vector = value(lane->operand);
    return b_.CreateExtractElement(vector, value(lane->lane, Scalar::U64));
  }
  if (const auto *check = dyn<Check>(e)) {
    Value *index = value(check->index, Scalar::U64), *bound = value(check->bound, Scalar::U64);
    return llvm_ir::inRange(s_, value(check->record), index, bound, check->site, kDevice);
  }
  if (const auto *asked = dyn<Faulted>(e)) return llvm_ir::faulted(s_, value(asked->record));
  if (e->type.isVector() || isa<VectorReduce>(e)) refuseVector(e);
  return Expressions::other(e);
}

Value *DeviceExpressions::wide(const Expr *base, const Expr *index, const Type &element) {
  Value *pointer = value(base), *at = value(index);
  return b_.CreateGEP(s_.unit.types.memory(element), pointer, s_.arithmetic.index(at, index->type));
}

void DeviceExpressions::store(const VectorStore &s) {
  Value *stored = value(s.value);
  b_.CreateAlignedStore(stored, wide(s.base, s.index, s.value->type.element()), llvm::Align(s.value->type.bytes()));
}

void DeviceStatements::other(const Stmt *s) {
  if (const auto *sync = dyn<Sync>(s)) return device_.device().sync(*sync);
  if (const auto *awaits = dyn<Await>(s)) {
    std::optional<Int> pending = known_ ? known_->value(awaits->pending) : literal(awaits->pending);
    if (!pending || *pending < 0) failBug(s->range, "ptx", "an Await of a number that is not known");
    return device_.device().await(static_cast<std::uint64_t>(*pending));
  }
  if (const auto *store = dyn<VectorStore>(s)) {
    if (store->mask || !isa<Aligned>(store->base)) fail(kVectorStore, s->range);
    return device_.store(*store);
  }
  Statements::other(s);
}

void DeviceStatements::alloc(const Alloc &a) {
  if (a.memory == "scratchpad") {
    scratchpad_.insert(a.name);
    return s_.define(a.name, {llvm_ir::Variable::Kind::Array, device_.unit().scratchpad.place(a), a.element});
  }
  if (a.memory != "registers") fail(kMemory, a.range, a.name, a.memory);
  local(a.name, a.element, extents(a.extents, a.name, a.range), nullptr, a.range);
}

void DeviceStatements::counted(const Loop &l) {
  const hardware::LaunchLevels &levels = device_.unit().levels;
  bool workers = l.level == levels.device->name || l.level == levels.group->name || levels.subgroup(l.level);
  if (l.policy == Policy::Distribute && workers) refuse(&l, "distributed Loop");
  count(l, {l.policy != Policy::Serialize && l.policy != Policy::None ? kAllCopies : kNoCopies});
}

/// A loop that reads memory has few loads in flight: more of them where iterations are written out. LLVM by itself is
/// sparing here.
unsigned DeviceStatements::copies(const For &loop) const {
  if (unsigned all = Statements::copies(loop)) return all;
  constexpr unsigned kMost = 4;
  constexpr std::size_t kNodes = 600, kLoads = 2 * loops::kLoadsTogether; // of all copies
  if (known_ && c_family::isWrittenOut(*known_, loop, scratchpad_)) return kAllCopies;
  if (any<Transfer>(loop.body, [](const Transfer &t) { return t.cond != nullptr; })) return kNoCopies;
  const auto *init = dyn<Declare>(loop.init);
  if (init && loops::goesOn(init->init, assigned_)) return kNoCopies;
  if (!loops::isLeaf(loop.body) || contains<Sync>(loop.body) || !contains<Subscript>(loop.body)) return kNoCopies;
  std::size_t fit = std::min(kNodes / nodeCount(loop.body), kLoads / std::max<std::size_t>(1, loops::loads(loop.body)));
  return fit < 2 ? kNoCopies : static_cast<unsigned>(std::min<std::size_t>(kMost, fit));
}

} // namespace tangram::ptx

#include "Device.h"

#include "tangram/diag/Diagnostic.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace tangram::ptx {

using namespace ast;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr DiagnosticKind kSubgroup{
    "ptx.subgroup", DiagnosticClass::Limitation,
    "a unit of level '{}' has {} workers, and is no part of the {} that the device keeps together",
    "let a unit of that level have so many workers, or a power of two below"};

constexpr DiagnosticKind kShuffle{"ptx.shuffle", DiagnosticClass::Limitation,
                                  "lanes of '{}' exchange registers, which the target does not say that they can",
                                  "say 'shuffle: true' at that level of the target, if its devices do"};

constexpr DiagnosticKind kMatrix{
    "ptx.matrix", DiagnosticClass::Limitation,
    "the threads of a unit of level '{0}' are no warp of 32, which multiply matrices together",
    "list the shapes of 'matrix' at the level whose units are warps"};

} // namespace

Value *Device::special(Intrinsic::ID id) { return s_.build.CreateIntrinsic(id, {}, {}); }

/// Workers in a unit of a level; 0 for the device.
std::uint64_t Device::workers(const std::string &level, const SourceRange &range) const {
  const hardware::LaunchLevels &levels = unit_.levels;
  bool known = level == levels.device->name || level == levels.group->name || level == levels.worker->name ||
               levels.subgroup(level);
  if (!known) failBug(range, "ptx", fmt::format("workers of level '{}' are not told apart on a device", level));
  std::uint64_t count = levels.workers(level);
  if (levels.subgroup(level) && (count > kWarp || kWarp % count != 0)) fail(kSubgroup, range, level, count, kWarp);
  return count;
}

Value *Device::index(const WorkerIndex &e) {
  std::uint64_t inner = workers(e.level, e.range), outer = workers(e.within, e.range);
  llvm::IRBuilder<> &b = s_.build;
  std::uint64_t group = unit_.levels.groupWorkers;
  if (inner == group && outer == 0) return special(Intrinsic::nvvm_read_ptx_sreg_ctaid_x);
  Value *worker = special(Intrinsic::nvvm_read_ptx_sreg_tid_x);
  if (outer != 0 && outer != group) worker = b.CreateURem(worker, b.getInt32(static_cast<std::uint32_t>(outer)));
  if (inner > 1) worker = b.CreateUDiv(worker, b.getInt32(static_cast<std::uint32_t>(inner)));
  if (outer == 0) // units of the groups before
    worker = b.CreateAdd(worker, b.CreateMul(special(Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                                             b.getInt32(static_cast<std::uint32_t>(group / inner))));
  return b.CreateIntCast(worker, s_.unit.types.value(e.type), false);
}

Value *Device::count(const WorkerCount &e) {
  std::uint64_t inner = workers(e.level, e.range), outer = workers(e.within, e.range);
  llvm::IRBuilder<> &b = s_.build;
  std::uint64_t group = unit_.levels.groupWorkers;
  Value *units = b.getInt32(static_cast<std::uint32_t>((outer ? outer : group) / inner));
  if (outer == 0) units = b.CreateMul(units, special(Intrinsic::nvvm_read_ptx_sreg_nctaid_x));
  return b.CreateIntCast(units, s_.unit.types.value(e.type), false);
}

void Device::sync(const Sync &sync) {
  std::uint64_t together = workers(sync.level, sync.range);
  if (together == 1) return;
  if (together == 0) failBug(sync.range, "ptx", "a launch synchronises the whole device");
  if (sync.level == unit_.levels.group->name)
    s_.build.CreateIntrinsic(Intrinsic::nvvm_barrier0, {}, {});
  else
    s_.build.CreateIntrinsic(Intrinsic::nvvm_bar_warp_sync, {}, {unitMask(together)});
}

/// Lanes of the warp that are of this worker's unit of so many.
Value *Device::unitMask(std::uint64_t together) {
  llvm::IRBuilder<> &b = s_.build;
  if (together == kWarp) return b.getInt32(~0u);
  const auto count = static_cast<std::uint32_t>(together);
  Value *first = b.CreateAnd(special(Intrinsic::nvvm_read_ptx_sreg_tid_x), b.getInt32((kWarp - 1) & ~(count - 1)));
  return b.CreateShl(b.getInt32((1u << count) - 1), first);
}

/// What the lane of that number of this worker's unit has.
Value *Device::shuffleWord(Value *word, Value *lane, std::uint64_t together) {
  llvm::IRBuilder<> &b = s_.build;
  const auto segment =
      static_cast<std::uint32_t>(kWarp - together); // bits 8 to 12: which bits of a lane are the unit's
  return b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32, {},
                           {unitMask(together), word, lane, b.getInt32(segment << 8 | (kWarp - 1))});
}

Value *Device::shuffle(const Shuffle &e, Value *value, Value *lane) {
  const std::uint64_t together = workers(e.level, e.range);
  if (const hardware::Level *level = unit_.levels.subgroup(e.level); !level || !level->shuffle)
    fail(kShuffle, e.range, e.level);
  llvm::IRBuilder<> &b = s_.build;
  llvm::Type *type = value->getType();
  unsigned bits = e.type.isBool() ? 1 : 8 * e.type.bytes();
  lane = b.CreateIntCast(lane, b.getInt32Ty(), false);
  Value *word = b.CreateBitCast(value, b.getIntNTy(bits));
  if (bits <= 32) {
    word = shuffleWord(b.CreateZExt(word, b.getInt32Ty()), lane, together);
    return b.CreateBitCast(b.CreateTrunc(word, b.getIntNTy(bits)), type);
  }
  Value *low = shuffleWord(b.CreateTrunc(word, b.getInt32Ty()), lane, together);
  Value *high = shuffleWord(b.CreateTrunc(b.CreateLShr(word, 32), b.getInt32Ty()), lane, together);
  word = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()), b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  return b.CreateBitCast(word, type);
}

void Device::multiply(const MatrixMultiply &e, const std::vector<Place> &c, const std::vector<Value *> &a,
                      const std::vector<Value *> &b) {
  if (workers(e.level, e.range) != hardware::MatrixShape::kLanes) fail(kMatrix, e.range, e.level);
  llvm::IRBuilder<> &build = s_.build;
  // LLVM 19 has an intrinsic for the smallest shape alone.
  const bool isDouble = e.operand.bytes() == 8, isFloating = e.operand.isFloating();
  std::vector<Value *> operands;
  auto words = [&](const std::vector<Value *> &elements, std::size_t rows) {
    for (const auto &word : hardware::wordsOfOperand(elements.size(), rows, e.operand.bytes())) {
      Value *all = elements[word[0]];
      if (!isDouble) all = build.CreateZExt(all, build.getInt32Ty());
      for (std::size_t i = 1; i < word.size(); ++i)
        all = build.CreateOr(
            all, build.CreateShl(build.CreateZExt(elements[word[i]], build.getInt32Ty()), 8 * e.operand.bytes() * i));
      operands.push_back(all);
    }
    return operands.size();
  };
  const std::size_t ofA = words(a, static_cast<std::size_t>(e.m) / hardware::MatrixShape::kRows);
  const std::size_t ofB = words(b, 1) - ofA;
  for (const Place &place : c) operands.push_back(s_.load(place));
  unsigned next = 0;
  auto list = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += fmt::format("{}${}", i ? ", " : "", next++);
    return "{" + text + "}";
  };
  const std::string results = list(c.size()), left = list(ofA), right = list(ofB), before = list(c.size());
  const std::string of = isFloating ? e.operand.text() : e.operand.isSigned() ? "s8" : "u8";
  const std::string sum = isDouble ? "f64" : isFloating ? "f32" : "s32", kind = isDouble ? "d" : isFloating ? "f" : "r";
  const std::string text = fmt::format("mma.sync.aligned.m{}n{}k{}.row.col.{}.{}.{}.{} {}, {}, {}, {};", e.m, e.n, e.k,
                                       sum, of, of, sum, results, left, right, before);
  std::string constraints;
  for (std::size_t i = 0; i < c.size(); ++i) constraints += (i ? ",=" : "=") + kind;
  for (std::size_t i = 0; i < ofA + ofB; ++i) constraints += isDouble ? ",d" : ",r";
  for (std::size_t i = 0; i < c.size(); ++i) constraints += "," + kind;
  std::vector<llvm::Type *> types;
  for (Value *operand : operands) types.push_back(operand->getType());
  llvm::Type *all = llvm::StructType::get(build.getContext(), std::vector<llvm::Type *>(c.size(), types.back()));
  auto *type = llvm::FunctionType::get(all, types, false);
  llvm::CallInst *call = build.CreateCall(llvm::InlineAsm::get(type, text, constraints, true), operands);
  call->addFnAttr(llvm::Attribute::Convergent);
  for (unsigned i = 0; i < c.size(); ++i) s_.store(c[i], build.CreateExtractValue(call, i));
}

void Device::transfer(const Transfer &t, const Place &from, const Place &to, Value *cond) {
  llvm::IRBuilder<> &b = s_.build;
  const std::uint64_t each = t.type.bytes(), all = each * static_cast<std::uint64_t>(t.count);
  auto in = [&](const Place &place, unsigned space) {
    Value *address = place.address;
    if (address->getType()->getPointerAddressSpace() != space)
      address = b.CreateAddrSpaceCast(address, llvm::PointerType::get(b.getContext(), space));
    return b.CreatePtrToInt(address, b.getInt64Ty());
  };
  if (each != 4 && each != 8) { // copies of fewer bytes there are none
    llvm::Type *type = s_.unit.types.memory(t.type);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(t.count); ++i) {
      auto at = [&](const Place &place) { return Place{b.CreateConstGEP1_64(type, place.address, i), place.type}; };
      Value *value = nullptr;
      if (cond) {
        llvm::BasicBlock *before = b.GetInsertBlock(), *then = s_.block("then"), *done = s_.block("endif");
        b.CreateCondBr(cond, then, done);
        b.SetInsertPoint(then);
        Value *loaded = s_.load(from);
        then = b.GetInsertBlock();
        s_.enter(done);
        llvm::PHINode *either = b.CreatePHI(loaded->getType(), 2);
        either->addIncoming(loaded, then);
        either->addIncoming(llvm::Constant::getNullValue(loaded->getType()), before);
        value = either;
      } else {
        value = s_.load(at(from));
      }
      s_.store(at(to), value);
    }
    return;
  }
  Value *target = b.CreateTrunc(in(to, kShared), b.getInt32Ty()), *source = in(from, kGlobal);
  auto one = [&](std::uint64_t offset) {
    const std::string by = offset ? fmt::format("+{}", offset) : "";
    return fmt::format("cp.async.ca.shared.global [$0{0}], [$1{0}], {1}", by, each);
  };
  std::string text = one(0) + ";", constraints = "r,l";
  std::vector<llvm::Type *> types{b.getInt32Ty(), b.getInt64Ty()};
  std::vector<Value *> operands{target, source};
  if (cond) {
    text = one(0) + ", $2;";
    constraints += ",r";
    types.push_back(b.getInt32Ty());
    operands.push_back(b.CreateSelect(cond, b.getInt32(static_cast<std::uint32_t>(each)), b.getInt32(0)));
  } else if (all == 16) { // together, where they lie so
    text = "{ .reg .pred whole; .reg .b64 past; and.b64 past, $1, 15; setp.eq.u64 whole, past, 0; "
           "@whole cp.async.cg.shared.global.L2::128B [$0], [$1], 16;";
    for (std::uint64_t offset = 0; offset < all; offset += each) text += " @!whole " + one(offset) + ";";
    text += " }";
  } else {
    for (std::uint64_t offset = each; offset < all; offset += each) text += " " + one(offset) + ";";
  }
  auto *type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  b.CreateCall(llvm::InlineAsm::get(type, text, constraints + ",~{memory}", true), operands);
}

void Device::await(std::uint64_t pending) {
  auto *type = llvm::FunctionType::get(s_.build.getVoidTy(), false);
  const std::string text = fmt::format("cp.async.commit_group; cp.async.wait_group {};", pending);
  s_.build.CreateCall(llvm::InlineAsm::get(type, text, "~{memory}", true), {});
}

// ---- atomics -------------------------------------------------------------------------------------------

Value *Device::atomic(const Atomic &e, const Place &place, const std::vector<Value *> &operands) {
  using Op = llvm::AtomicRMWInst::BinOp;
  bool isSigned = place.type.isSigned(), floating = place.type.isFloating();
  Op op = Op::BAD_BINOP;
  switch (e.op) {
  case AtomicOp::Add: op = floating ? Op::FAdd : Op::Add; break;
  case AtomicOp::Sub: op = floating ? Op::FSub : Op::Sub; break;
  case AtomicOp::Min: op = isSigned ? Op::Min : Op::UMin; break;
  case AtomicOp::Max: op = isSigned ? Op::Max : Op::UMax; break;
  case AtomicOp::And: op = Op::And; break;
  case AtomicOp::Or: op = Op::Or; break;
  case AtomicOp::Xor: op = Op::Xor; break;
  case AtomicOp::Exchange: op = Op::Xchg; break;
  case AtomicOp::CompareExchange:
  case AtomicOp::OrderedAdd: break;
  }
  llvm::IRBuilder<> &b = s_.build;
  bool compares = e.op == AtomicOp::CompareExchange;
  if (place.type.isBool() || (floating && (e.op == AtomicOp::Min || e.op == AtomicOp::Max || compares)))
    return update(e, place, operands);
  llvm::Align align = s_.unit.types.alignment(place.type);
  bool group = place.address->getType()->getPointerAddressSpace() == kShared;
  llvm::SyncScope::ID scope = s_.context().getOrInsertSyncScopeID(group ? "block" : "device");
  constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;
  Value *operand = operands[0];
  auto change = [&]() -> Value * {
    if (compares)
      return b.CreateExtractValue(
          b.CreateAtomicCmpXchg(place.address, operand, operands[1], align, relaxed, relaxed, scope), 0);
    if (op == Op::FSub) { // there is an instruction for the sum only
      op = Op::FAdd;
      operand = b.CreateFNeg(operand);
    }
    return b.CreateAtomicRMW(op, place.address, operand, align, relaxed, scope);
  };
  bool idempotent =
      compares || e.op == AtomicOp::Min || e.op == AtomicOp::Max || e.op == AtomicOp::And || e.op == AtomicOp::Or;
  if (!idempotent || group) return change();
  // All that write one place wait for each other, those that read it do not: what would change nothing only reads.
  llvm::LoadInst *seen = b.CreateAlignedLoad(operand->getType(), place.address, align);
  seen->setVolatile(true);
  Value *changes = nullptr;
  switch (e.op) {
  case AtomicOp::Min: changes = isSigned ? b.CreateICmpSLT(operand, seen) : b.CreateICmpULT(operand, seen); break;
  case AtomicOp::Max: changes = isSigned ? b.CreateICmpSLT(seen, operand) : b.CreateICmpULT(seen, operand); break;
  case AtomicOp::And: changes = b.CreateICmpNE(b.CreateAnd(seen, operand), seen); break;
  case AtomicOp::Or: changes = b.CreateICmpNE(b.CreateOr(seen, operand), seen); break;
  case AtomicOp::CompareExchange:
  case AtomicOp::Add:
  case AtomicOp::Sub:
  case AtomicOp::Xor:
  case AtomicOp::Exchange:
  case AtomicOp::OrderedAdd: changes = b.CreateICmpEQ(seen, operand); break;
  }
  llvm::BasicBlock *before = b.GetInsertBlock(), *write = s_.block("change"), *done = s_.block("changed");
  b.CreateCondBr(changes, write, done);
  b.SetInsertPoint(write);
  Value *changed = change();
  s_.enter(done);
  llvm::PHINode *result = b.CreatePHI(operand->getType(), 2);
  result->addIncoming(seen, before);
  result->addIncoming(changed, write);
  return result;
}

/// What has no instruction: again until nobody came between.
Value *Device::update(const Atomic &e, const Place &place, const std::vector<Value *> &operands) {
  llvm::IRBuilder<> &b = s_.build;
  llvm::Type *type = s_.unit.types.value(place.type);
  llvm::Type *word = b.getIntNTy(8 * place.type.bytes());
  llvm::Align align = s_.unit.types.alignment(place.type);
  auto toValue = [&](Value *bits) {
    return place.type.isBool() ? b.CreateICmpNE(bits, b.getInt8(0)) : b.CreateBitCast(bits, type);
  };
  auto toBits = [&](Value *value) {
    return place.type.isBool() ? b.CreateZExt(value, word) : b.CreateBitCast(value, word);
  };
  bool group = place.address->getType()->getPointerAddressSpace() == kShared;
  llvm::SyncScope::ID scope = s_.context().getOrInsertSyncScopeID(group ? "block" : "device");
  llvm::LoadInst *first = b.CreateAlignedLoad(word, place.address, align);
  first->setVolatile(true); // others write it
  llvm::BasicBlock *before = b.GetInsertBlock(), *again = s_.block("update"), *done = s_.block("updated");
  s_.enter(again);
  llvm::PHINode *seen = b.CreatePHI(word, 2);
  seen->addIncoming(first, before);
  Value *old = toValue(seen), *next = operands.back();
  switch (e.op) {
  case AtomicOp::Min: next = b.CreateSelect(b.CreateFCmpOLT(next, old), next, old); break;
  case AtomicOp::Max: next = b.CreateSelect(b.CreateFCmpOLT(old, next), next, old); break;
  case AtomicOp::CompareExchange:
    next = b.CreateSelect(s_.arithmetic.binary(BinaryOp::Eq, old, place.type, operands[0], place.type, Scalar::Bool),
                          next, old);
    break;
  case AtomicOp::And: next = b.CreateAnd(old, next); break;
  case AtomicOp::Or: next = b.CreateOr(old, next); break;
  case AtomicOp::Xor: next = b.CreateXor(old, next); break;
  case AtomicOp::Exchange: break;
  case AtomicOp::Add:
  case AtomicOp::Sub:
  case AtomicOp::OrderedAdd: failBug(e.range, "ptx", fmt::format("atomic {} on {}", name(e.op), place.type.text()));
  }
  constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;
  Value *tried = b.CreateAtomicCmpXchg(place.address, seen, toBits(next), align, relaxed, relaxed, scope);
  seen->addIncoming(b.CreateExtractValue(tried, 0), again);
  b.CreateCondBr(b.CreateExtractValue(tried, 1), done, again);
  b.SetInsertPoint(done);
  return old;
}

} // namespace tangram::ptx

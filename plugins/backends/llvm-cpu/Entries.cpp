#include "Entries.h"

#include "Abi.h"
#include "Runtime.h"

#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Functions.h"
#include "tangram/runtime/kernel_abi.h"

#include <map>

namespace tangram::llvm_cpu {

using namespace ast;
using namespace c_family;
using llvm::Value;
using llvm_ir::Variable;

namespace {

constexpr DiagnosticKind kStructAbi{"llvm-cpu.struct-argument", DiagnosticClass::Limitation,
                                    "'{}' of '{}' is a struct by value, which this backend passes on x86-64 only",
                                    "pass it as a container of one element"};

bool isValue(const Argument &a) { return a.rank == 0 && a.access == Access::In; }

std::uint8_t elementNumber(const Type &type) {
  if (type.isStruct()) return TANGRAM_STRUCT;
  switch (type.scalar()) {
  case Scalar::Void: break;
  case Scalar::Bool: return TANGRAM_BOOL;
  case Scalar::I8: return TANGRAM_I8;
  case Scalar::I16: return TANGRAM_I16;
  case Scalar::I32: return TANGRAM_I32;
  case Scalar::I64: return TANGRAM_I64;
  case Scalar::U8: return TANGRAM_U8;
  case Scalar::U16: return TANGRAM_U16;
  case Scalar::U32: return TANGRAM_U32;
  case Scalar::U64: return TANGRAM_U64;
  case Scalar::F32: return TANGRAM_F32;
  case Scalar::F64: return TANGRAM_F64;
  case Scalar::F16: return TANGRAM_F16;
  case Scalar::BF16: return TANGRAM_BF16;
  }
  failBug({}, "llvm-cpu", fmt::format("an element of type {}", type.text()));
}

} // namespace

void defineConstants(const Kernel &kernel, HostExpressions &expressions) {
  for (std::size_t i = 0; i < kernel.constants.size() && i < kernel.defaults.size(); ++i) {
    const Param &constant = *kernel.constants[i];
    expressions.scope().define(
        constant.name, {Variable::Kind::Value, expressions.value(kernel.defaults[i], constant.type), constant.type});
  }
}

Entries::Entries(HostUnit &unit, std::string target)
    : unit_(unit), context_(unit.module.getContext()), pointer_(llvm::PointerType::get(context_, 0)),
      word_(llvm::Type::getInt64Ty(context_)), status_(llvm::Type::getInt32Ty(context_)),
      byte_(llvm::Type::getInt8Ty(context_)), target_(std::move(target)) {}

llvm::Function *Entries::function(const std::string &name, llvm::Type *result, const std::vector<llvm::Type *> &params,
                                  bool isPublic) {
  auto *made = llvm::Function::Create(
      llvm::FunctionType::get(result, params, false),
      isPublic ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage, name, unit_.module);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  // A name that something of the C library has, or another entry.
  if (isPublic && made->getName() != name) failBug({}, "llvm-cpu", fmt::format("two functions are named '{}'", name));
  return made;
}

llvm::Constant *Entries::text(const std::string &text) {
  return llvm::IRBuilder<>(context_).CreateGlobalString(text, "text", 0, &unit_.module);
}

llvm::Constant *Entries::constant(llvm::Type *type, llvm::Constant *value) {
  return new llvm::GlobalVariable(unit_.module, type, true, llvm::GlobalValue::PrivateLinkage, value, "constant");
}

Entry &Entries::begin(const Kernel &kernel) {
  Entry &entry = entries_.emplace_back();
  entry.signature = signatureOf(unit_.program, kernel);
  auto *text = llvm::ArrayType::get(byte_, kErrorBytes);
  entry.lastError = new llvm::GlobalVariable(unit_.module, text, false, llvm::GlobalValue::InternalLinkage,
                                             llvm::Constant::getNullValue(text), kernel.name + ".last_error", nullptr,
                                             llvm::GlobalValue::GeneralDynamicTLSModel);
  std::vector<llvm::Type *> params;
  for (const Param *p : kernel.params) params.push_back(llvm_ir::parameterType(unit_, *p));
  entry.run = function(kernel.name + ".run", status_, params, false);
  entry.run->addFnAttr(llvm::Attribute::NoInline); // its code stays apart from the checks
  return entry;
}

void Entries::define(Entry &entry) {
  defineCall(entry);
  defineTyped(entry);
  defineError(entry);
  llvm::Function *invoke = defineInvoke(entry);
  const Signature &s = entry.signature;
  llvm::Constant *none = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer_));
  auto number = [&](std::uint64_t n) { return llvm::ConstantInt::get(status_, n); };
  auto *type = llvm::StructType::get(context_, {status_, status_, pointer_, pointer_, pointer_, pointer_, status_,
                                                pointer_, pointer_, pointer_, pointer_, pointer_, pointer_});
  if (unit_.module.getDataLayout().getTypeAllocSize(type) != sizeof(tangram_kernel))
    failBug({}, "llvm-cpu", "another layout of tangram_kernel");
  entry.descriptor =
      constant(type, llvm::ConstantStruct::get(type, {number(sizeof(tangram_kernel)), number(TANGRAM_KERNEL_ABI),
                                                      text(s.entry), text(s.spectrum), text(s.kernel->plan),
                                                      text(target_), number(s.arguments.size()), params(s), invoke,
                                                      none, none, none, structs(s)}));
}

void Entries::defineCall(Entry &entry) {
  const Signature &s = entry.signature;
  std::vector<llvm::Type *> types;
  for (const Argument &a : s.arguments) {
    types.push_back(isValue(a) && !a.element.isStruct() ? unit_.types.value(a.element) : pointer_);
    types.insert(types.end(), a.sizes.size() + a.strides.size(), word_);
  }
  entry.call = function(s.entry + ".call", status_, types, false);
  Scope scope(unit_, *entry.call, *s.kernel->body);
  HostExpressions expressions(scope, unit_);
  llvm::IRBuilder<> &b = scope.build;
  unsigned next = 0;
  for (const Argument &a : s.arguments) {
    llvm::Argument *data = entry.call->getArg(next++);
    data->setName(a.data);
    if (isValue(a) && a.element.isStruct())
      scope.define(a.data, {Variable::Kind::Place, data, a.element});
    else
      scope.define(a.data, {Variable::Kind::Value, data, isValue(a) ? a.element : Type::pointer(a.element)});
    for (const auto *names : {&a.sizes, &a.strides})
      for (const std::string &name : *names) {
        entry.call->getArg(next)->setName(name);
        scope.define(name, {Variable::Kind::Value, entry.call->getArg(next++), Scalar::U64});
      }
  }
  defineConstants(*s.kernel, expressions);
  b.CreateAlignedStore(b.getInt8(0), ofThread(b, *entry.lastError), llvm::Align(1));
  check(scope, expressions, entry);
  std::vector<Value *> args;
  for (const Param *p : s.kernel->params) {
    const Variable &v = scope.variable(p->name, p->range);
    args.push_back(v.kind == Variable::Kind::Place ? scope.load({v.value, v.type}) : v.value);
  }
  Value *status = b.CreateCall(entry.run, args);
  llvm::BasicBlock *none = scope.block("no_memory"), *done = scope.block("ran");
  b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(TANGRAM_OUT_OF_MEMORY)), none, done, unlikely(context_));
  b.SetInsertPoint(none);
  print(b, unit_.module, ofThread(b, *entry.lastError), s.entry + ": no memory for temporaries", {});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRet(status);
}

void Entries::check(Scope &scope, HostExpressions &expressions, const Entry &entry) {
  llvm::IRBuilder<> &b = scope.build;
  auto value = [&](const std::string &name) { return scope.variable(name, {}).value; };
  Arena arena;
  for (const EntryCheck &check : entryChecks(entry.signature, arena)) {
    const Argument *a = check.argument;
    Value *wrong = nullptr;
    std::vector<Value *> said;
    std::string format = check.message;
    auto onlyWith = [&](Value *condition) { wrong = wrong ? b.CreateAnd(wrong, condition) : condition; };
    if (a)
      for (const std::string &size : a->sizes) {
        onlyWith(b.CreateICmpNE(value(size), b.getInt64(0)));
        said.push_back(value(size));
      }
    switch (check.what) {
    case EntryCheck::What::Null: onlyWith(b.CreateIsNull(value(a->data))); break;
    case EntryCheck::What::Stride: {
      const std::size_t d = check.dimension;
      Value *extent = value(a->sizes[d + 1]);
      if (d + 1 < a->strides.size()) extent = b.CreateMul(extent, value(a->strides[d + 1]));
      onlyWith(b.CreateICmpUGT(value(a->sizes[d]), b.getInt64(1)));
      onlyWith(b.CreateICmpULT(value(a->strides[d]), extent));
      said = {value(a->strides[d]), extent};
      break;
    }
    case EntryCheck::What::Condition:
      wrong = b.CreateNot(expressions.condition(check.value));
      said = {b.CreateGlobalString(check.message, "text", 0, &unit_.module)};
      format = "%s";
      break;
    case EntryCheck::What::Limit: {
      Value *limited = expressions.value(check.value, Scalar::U64);
      wrong = b.CreateICmpUGT(limited, b.getInt64(check.most));
      said = {limited};
      break;
    }
    }
    llvm::BasicBlock *refused = scope.block("refused"), *done = scope.block("accepted");
    b.CreateCondBr(wrong, refused, done, unlikely(context_));
    b.SetInsertPoint(refused);
    print(b, unit_.module, ofThread(b, *entry.lastError), format, said);
    b.CreateRet(b.getInt32(TANGRAM_BAD_ARGUMENT));
    b.SetInsertPoint(done);
  }
}

void Entries::defineTyped(Entry &entry) {
  const Signature &s = entry.signature;
  const bool x86 = llvm::StringRef(unit_.module.getTargetTriple()).starts_with("x86_64");
  ArgumentRegisters registers(context_);
  std::vector<llvm::Type *> types;
  std::map<std::size_t, PassedStruct> structs; // by number of the argument
  std::vector<std::pair<unsigned, llvm::Type *>> copies;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    if (isValue(a) && a.element.isStruct()) {
      if (!x86) fail(kStructAbi, s.kernel->range, a.name, s.spectrum);
      PassedStruct passed = registers.take(a.fields, a.bytes);
      if (passed.registers.empty()) {
        copies.emplace_back(static_cast<unsigned>(types.size()), unit_.types.memory(a.element));
        types.push_back(pointer_);
      }
      types.insert(types.end(), passed.registers.begin(), passed.registers.end());
      structs[i] = std::move(passed);
    } else {
      registers.take(isValue(a) ? a.element : Type(Scalar::U64));
      types.push_back(isValue(a) ? unit_.types.memory(a.element) : pointer_);
    }
    for (std::size_t n = 0; n < a.sizes.size() + a.strides.size(); ++n) registers.take(Scalar::U64);
    types.insert(types.end(), a.sizes.size() + a.strides.size(), word_);
  }
  llvm::Function *typed = function(s.entry, status_, types, true);
  for (const auto &[number, type] : copies)
    typed->addParamAttr(number, llvm::Attribute::getWithByValType(context_, type));
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "entry", typed));
  std::vector<Value *> args;
  unsigned next = 0;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    if (auto passed = structs.find(i); passed != structs.end() && !passed->second.registers.empty()) {
      Value *copy = b.CreateAlloca(llvm::ArrayType::get(word_, 2), nullptr, a.data);
      for (unsigned n = 0; n < passed->second.registers.size(); ++n)
        b.CreateAlignedStore(typed->getArg(next++), b.CreateConstGEP1_64(word_, copy, n), llvm::Align(8));
      args.push_back(copy);
    } else {
      Value *arg = typed->getArg(next++);
      args.push_back(isValue(a) && a.element.isBool() ? b.CreateICmpNE(arg, b.getInt8(0)) : arg);
    }
    for (std::size_t n = 0; n < a.sizes.size() + a.strides.size(); ++n) args.push_back(typed->getArg(next++));
  }
  b.CreateRet(b.CreateCall(entry.call, args));
}

void Entries::defineError(const Entry &entry) {
  llvm::Function *error = function(entry.signature.entry + "_error", pointer_, {}, true);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "entry", error));
  b.CreateRet(ofThread(b, *entry.lastError));
}

llvm::Function *Entries::defineInvoke(Entry &entry) {
  const Signature &s = entry.signature;
  llvm::Function *invoke = function(s.entry + ".invoke", status_, {pointer_, pointer_}, false);
  llvm::Value *given = invoke->getArg(0), *error = invoke->getArg(1);
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context_, name, invoke); };
  llvm::IRBuilder<> b(block("entry"));
  llvm::BasicBlock *finish = block("finish"), *say = block("say"), *done = block("done");
  std::vector<Value *> args;
  std::vector<std::pair<Value *, std::string>> checks; // what must not be, and what is said then
  constexpr unsigned kSizes = 1, kStrides = 1 + TANGRAM_MAX_RANK;
  for (std::size_t i = 0; i < s.arguments.size(); ++i) {
    const Argument &a = s.arguments[i];
    Value *at = b.CreateLoad(pointer_, b.CreateConstGEP1_64(pointer_, given, i));
    if (a.rank == 0) {
      Value *arg = at;
      if (isValue(a) && !a.element.isStruct()) {
        arg = b.CreateAlignedLoad(unit_.types.memory(a.element), at, unit_.types.alignment(a.element));
        if (a.element.isBool()) arg = b.CreateICmpNE(arg, b.getInt8(0));
      }
      args.push_back(arg);
      continue;
    }
    auto field = [&](unsigned number) { return b.CreateLoad(word_, b.CreateConstGEP1_64(word_, at, number)); };
    args.push_back(b.CreateLoad(pointer_, at));
    for (unsigned d = 0; d < a.rank; ++d) args.push_back(field(kSizes + d));
    for (unsigned d = 0; d + 1 < a.rank; ++d) args.push_back(field(kStrides + d));
    checks.emplace_back(
        b.CreateAnd(b.CreateICmpUGT(field(kSizes + a.rank - 1), b.getInt64(1)),
                    b.CreateICmpNE(field(kStrides + a.rank - 1), b.getInt64(1))),
        fmt::format("{}: the elements of '{}' do not lie side by side in its last dimension", s.entry, a.name));
  }
  std::vector<std::pair<Value *, llvm::BasicBlock *>> results;
  for (const auto &[wrong, text] : checks) {
    llvm::BasicBlock *refused = block("refused"), *more = block("accepted");
    b.CreateCondBr(wrong, refused, more, unlikely(context_));
    b.SetInsertPoint(refused);
    print(b, unit_.module, ofThread(b, *entry.lastError), "%s", {b.CreateGlobalString(text, "text", 0, &unit_.module)});
    results.emplace_back(b.getInt32(TANGRAM_BAD_ARGUMENT), refused);
    b.CreateBr(finish);
    b.SetInsertPoint(more);
  }
  Value *called = b.CreateCall(entry.call, args);
  results.emplace_back(called, b.GetInsertBlock());
  b.CreateBr(finish);
  b.SetInsertPoint(finish);
  llvm::PHINode *status = b.CreatePHI(status_, static_cast<unsigned>(results.size()));
  for (const auto &[value, from] : results) status->addIncoming(value, from);
  b.CreateCondBr(b.CreateIsNull(error), done, say);
  b.SetInsertPoint(say);
  b.CreateAlignedStore(status, error, llvm::Align(4));
  Value *nothing = b.CreateGlobalString("", "text", 0, &unit_.module);
  Value *message =
      b.CreateSelect(b.CreateICmpEQ(status, b.getInt32(TANGRAM_OK)), nothing, ofThread(b, *entry.lastError));
  print(b, unit_.module, b.CreateConstGEP1_64(byte_, error, offsetof(tangram_error, message)), "%s", {message});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRet(status);
  return invoke;
}

llvm::Constant *Entries::params(const Signature &s) {
  llvm::Constant *none = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer_));
  if (s.arguments.empty()) return none;
  auto *type = llvm::StructType::get(context_, {pointer_, byte_, byte_, byte_});
  std::vector<llvm::Constant *> all;
  for (const Argument &a : s.arguments) {
    static constexpr std::uint8_t access[] = {TANGRAM_IN, TANGRAM_INOUT, TANGRAM_OUT};
    all.push_back(
        llvm::ConstantStruct::get(type, {text(a.name), llvm::ConstantInt::get(byte_, elementNumber(a.element)),
                                         llvm::ConstantInt::get(byte_, a.rank),
                                         llvm::ConstantInt::get(byte_, access[static_cast<std::size_t>(a.access)])}));
  }
  auto *array = llvm::ArrayType::get(type, all.size());
  return constant(array, llvm::ConstantArray::get(array, all));
}

/// Which fields the arguments have that are structs.
llvm::Constant *Entries::structs(const Signature &s) {
  llvm::Constant *none = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(pointer_));
  if (s.structs.empty()) return none;
  auto *field = llvm::StructType::get(context_, {pointer_, byte_, word_});
  auto *structure = llvm::StructType::get(context_, {word_, status_, pointer_});
  std::vector<llvm::Constant *> all;
  for (const Argument &a : s.arguments) {
    if (!a.element.isStruct()) {
      all.push_back(none);
      continue;
    }
    if (unit_.types.bytes(a.element) != a.bytes)
      failBug(s.kernel->range, "llvm-cpu",
              fmt::format("{} has {} bytes", a.element.text(), unit_.types.bytes(a.element)));
    std::vector<llvm::Constant *> fields;
    for (const Structs::Leaf &leaf : a.fields)
      fields.push_back(
          llvm::ConstantStruct::get(field, {text(leaf.name()), llvm::ConstantInt::get(byte_, elementNumber(leaf.type)),
                                            llvm::ConstantInt::get(word_, leaf.offset)}));
    auto *list = llvm::ArrayType::get(field, fields.size());
    all.push_back(constant(
        structure, llvm::ConstantStruct::get(structure, {llvm::ConstantInt::get(word_, a.bytes),
                                                         llvm::ConstantInt::get(status_, fields.size()),
                                                         constant(list, llvm::ConstantArray::get(list, fields))})));
  }
  auto *array = llvm::ArrayType::get(pointer_, all.size());
  return constant(array, llvm::ConstantArray::get(array, all));
}

void Entries::table() {
  std::vector<llvm::Constant *> all;
  for (const Entry &entry : entries_) all.push_back(entry.descriptor);
  auto *array = llvm::ArrayType::get(pointer_, all.size());
  llvm::Constant *kernels = constant(array, llvm::ConstantArray::get(array, all));
  llvm::Function *table = function("tangram_kernel_table", pointer_, {pointer_}, true);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "entry", table));
  b.CreateAlignedStore(b.getInt32(static_cast<std::uint32_t>(all.size())), table->getArg(0), llvm::Align(4));
  b.CreateRet(kernels);
}

void Entries::referenceOfWholeNumbers() {
  auto define = [&](const char *name, llvm::Type *result, const std::vector<llvm::Type *> &params) {
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "entry", function(name, result, params, true)));
    if (result->isVoidTy())
      b.CreateRetVoid();
    else
      b.CreateRet(llvm::Constant::getNullValue(result));
  };
  define("tangram_reference_begin", llvm::Type::getVoidTy(context_), {word_});
  define("tangram_reference_end", word_, {});
  define("tangram_reference_number", byte_, {pointer_, status_, pointer_});
}

} // namespace tangram::llvm_cpu

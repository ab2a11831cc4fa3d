#include "Generate.h"

#include "DeviceCode.h"

#include "tangram/ast/Build.h"
#include "tangram/ast/Effects.h"
#include "tangram/ast/Tables.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/Aliases.h"
#include "tangram/c-family/Signature.h"
#include "tangram/diag/Diagnostic.h"
#include "tangram/llvm-ir/Functions.h"

#include <set>

namespace tangram::ptx {

using namespace ast;

namespace {

constexpr DiagnosticKind kThreads{"ptx.threads", DiagnosticClass::Limitation,
                                  "'{}' is launched in groups of {} workers; a device has at most {}",
                                  "let the levels of the target below its groups multiply to fewer workers"};

constexpr Int kMostThreads = 1024;

class Generator {
public:
  Generator(const Module &program, const hardware::LaunchLevels &levels, llvm::Module &module)
      : program_(program), unit_(program, levels, module), context_(module.getContext()) {}

  DeviceCode run() {
    llvm_ir::declareFunctions(unit_, [](llvm::Function &function) {
      function.addFnAttr(llvm::Attribute::AlwaysInline);
      common(function);
    });
    llvm_ir::defineFunctions(unit_, [&](Scope &scope, const Function &f) {
      DeviceExpressions expressions(scope, unit_);
      DeviceStatements(expressions, nullptr).block(*f.body);
    });
    DeviceCode made;
    for (const Kernel *kernel : unit_.program.kernels) {
      KnownValues known(*kernel);
      walk(kernel->body, [&](const Launch &launch) {
        made.functions.push_back(define(*kernel, launch, known));
        return WalkResult::Skip;
      });
    }
    unit_.lines.finish();
    made.wanted = unit_.library.wanted();
    return made;
  }

private:
  static void common(llvm::Function &function) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr(llvm::Attribute::MustProgress);
    function.addFnAttr(llvm::Attribute::Convergent); // it may wait for others
  }

  DeviceFunction define(const Kernel &kernel, const Launch &launch, const KnownValues &known) {
    if (launch.threads < 1 || launch.threads > kMostThreads)
      fail(kThreads, launch.range, launch.name, launch.threads, kMostThreads);
    unit_.levels = unit_.levels.ofGroups(launch.threads);
    std::vector<llvm::Type *> params;
    for (const Param *p : launch.params)
      params.push_back(p->type.isPointer() ? llvm::PointerType::get(context_, kGlobal) : unit_.types.memory(p->type));
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), params, false);
    llvm::Function &function =
        *llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, uniqueName(kernel, launch), unit_.module);
    function.setCallingConv(llvm::CallingConv::PTX_Kernel);
    common(function);
    annotate(function, "kernel", 1);
    annotate(function, "maxntidx", launch.threads);
    if (launch.resident > 1) annotate(function, "minctasm", launch.resident);
    std::string name = function.getName().str();
    unit_.scratchpad.begin(launch, known, name);

    Scope scope(unit_, function, *launch.body);
    unit_.lines.begin(function, launch.range.valid() ? launch.range : kernel.range, scope.build);
    for (std::size_t i = 0; i < launch.params.size(); ++i) {
      const Param &p = *launch.params[i];
      llvm::Argument *arg = function.getArg(static_cast<unsigned>(i));
      arg->setName(p.name);
      if (p.type.isPointer()) describe(*arg, launch, i);
      scope.declare(p.name, p.type, p.type.isBool() ? scope.build.CreateICmpNE(arg, scope.build.getInt8(0)) : arg);
    }
    constantsOf(kernel, scope);
    const std::vector<const Declare *> tables = constantTables(*launch.body);
    const std::set<std::string> alike = readAlike(tables, *launch.body);
    for (const Declare *table : tables) define(*table, alike.count(table->name) ? kConstant : kGlobal, name, scope);
    Arena arena;
    DeviceExpressions expressions(scope, unit_);
    DeviceStatements(expressions, &known, assignedVariables(launch.body))
        .block(*withoutConstantTables(arena, launch.body));
    if (!scope.isClosed()) scope.build.CreateRetVoid();
    return {&kernel, &launch, name, unit_.scratchpad.dynamicBytes()};
  }

  void define(const Declare &table, unsigned memory, const std::string &function, Scope &scope) {
    DeviceExpressions expressions(scope, unit_);
    llvm::GlobalVariable *variable =
        llvm_ir::constantTable(unit_, table, function + "_" + table.name, memory,
                               [&](const Expr *e, const Type &type) { return expressions.value(e, type); });
    scope.define(table.name, {llvm_ir::Variable::Kind::Array, variable, table.type});
  }

  /// The tunables, with the values that they have been given.
  void constantsOf(const Kernel &kernel, Scope &scope) {
    DeviceExpressions expressions(scope, unit_);
    for (std::size_t i = 0; i < kernel.constants.size() && i < kernel.defaults.size(); ++i) {
      const Param &constant = *kernel.constants[i];
      scope.define(constant.name, {llvm_ir::Variable::Kind::Value, expressions.value(kernel.defaults[i], constant.type),
                                   constant.type});
    }
  }

  /// Whether nothing else leads to the memory behind a pointer. Workers that exchange values through it reach it by
  /// pointers of their own: then that is so only for what none of them writes.
  void describe(llvm::Argument &arg, const Launch &launch, std::size_t which) {
    const Param &p = *launch.params[which];
    llvm::Align alignment = unit_.types.alignment(p.type.element());
    if (p.type.element().isStruct())
      alignment = std::max(alignment, llvm::Align(c_family::accessAlignment(unit_.types.bytes(p.type.element()))));
    arg.addAttr(llvm::Attribute::getWithAlignment(context_, alignment));
    const bool readOnly = p.access == Access::In;
    if (readOnly) arg.addAttr(llvm::Attribute::ReadOnly);
    if (c_family::isOnlyPointerTo(launch, which) && (readOnly || !c_family::exchangesValues(program_, launch)))
      arg.addAttr(llvm::Attribute::NoAlias);
  }

  std::string uniqueName(const Kernel &kernel, const Launch &launch) {
    std::string name = launch.name.starts_with(kernel.name) ? launch.name : kernel.name + "_" + launch.name;
    std::string tried = name;
    for (int number = 1; unit_.module.getFunction(tried); ++number) tried = fmt::format("{}_{}", name, number);
    return tried;
  }

  void annotate(llvm::Function &function, const char *what, Int value) {
    llvm::Metadata *entry[] = {llvm::ConstantAsMetadata::get(&function), llvm::MDString::get(context_, what),
                               llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                   llvm::Type::getInt32Ty(context_), static_cast<std::uint64_t>(value)))};
    unit_.module.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(llvm::MDNode::get(context_, entry));
  }

  const Module &program_;
  DeviceUnit unit_;
  llvm::LLVMContext &context_;
};

} // namespace

DeviceCode generate(const Module &program, const hardware::LaunchLevels &levels, llvm::Module &module) {
  return Generator(program, levels, module).run();
}

} // namespace tangram::ptx

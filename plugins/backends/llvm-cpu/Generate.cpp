#include "Generate.h"

#include "Entries.h"
#include "HostStatements.h"

#include "tangram/ast/Tables.h"
#include "tangram/ast/Walk.h"
#include "tangram/c-family/Statements.h"
#include "tangram/llvm-ir/Functions.h"

namespace tangram::llvm_cpu {

using namespace ast;

namespace {

class Generator {
public:
  Generator(const Module &program, const EmitContext &context, const Processor &processor, llvm::Module &module)
      : unit_(program, context.target.hardware, module, processor,
              static_cast<std::uint64_t>(context.options.integer("stack-bytes")), context.options.flag("vector-math")),
        context_(context) {}

  void run() {
    llvm_ir::declareFunctions(
        unit_,
        [](llvm::Function &function) {
          function.addFnAttr(llvm::Attribute::InlineHint);
          function.addFnAttr(llvm::Attribute::NoUnwind);
        },
        kFunctionPrefix);
    llvm_ir::defineFunctions(unit_, [&](Scope &scope, const Function &f) {
      HostExpressions expressions(scope, unit_);
      HostStatements(expressions).block(*f.body);
    });
    Entries entries(unit_, context_.target.name);
    for (const Kernel *kernel : unit_.program.kernels) {
      Entry &entry = entries.begin(*kernel);
      define(*kernel, entry);
      entries.define(entry);
    }
    entries.table();
    if (context_.options.flag("reference")) entries.referenceOfWholeNumbers();
    unit_.lines.finish();
  }

private:
  void define(const Kernel &kernel, Entry &entry) {
    // What nothing reads is not made.
    Arena arena;
    const Block *body = c_family::simplified(kernel.body, arena);
    const std::vector<const Declare *> tables = constantTables(*body);
    body = withoutConstantTables(arena, body);
    const Kernel *written = arena.derive(&kernel, [&](Kernel &copy) { copy.body = body; });
    KnownValues known(*written);
    KernelContext made{written, &known, entry.lastError};

    Scope scope(unit_, *entry.run, *body);
    for (std::size_t i = 0; i < kernel.params.size(); ++i) {
      const Param &p = *kernel.params[i];
      llvm::Argument *arg = entry.run->getArg(static_cast<unsigned>(i));
      arg->setName(p.name);
      if (p.access != Access::In && !p.type.isPointer())
        scope.define(p.name, {llvm_ir::Variable::Kind::Place, arg, p.type});
      else
        scope.declare(p.name, p.type, arg);
    }
    HostExpressions expressions(scope, unit_);
    defineConstants(kernel, expressions);
    for (const Declare *table : tables)
      scope.define(
          table->name,
          {llvm_ir::Variable::Kind::Array,
           llvm_ir::constantTable(unit_, *table, kFunctionPrefix + kernel.name + "." + table->name, llvm_ir::kGeneric,
                                  [&](const Expr *e, const Type &type) { return expressions.value(e, type); }),
           table->type});
    HostStatements(expressions, made).kernel();
  }

  HostUnit unit_;
  const EmitContext &context_;
};

} // namespace

void generate(const Module &program, const EmitContext &context, const Processor &processor, llvm::Module &module) {
  Generator(program, context, processor, module).run();
}

} // namespace tangram::llvm_cpu

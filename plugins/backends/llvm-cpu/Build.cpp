// A shared library of LLVM's code: optimised, made an object file and linked, all in this process.
#include "Backend.h"
#include "Machine.h"
#include "Runtime.h"

#include "tangram/c-family/Processor.h"
#include "tangram/llvm-ir/Optimise.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <lld/Common/Driver.h>

#include <fstream>

LLD_HAS_DRIVER(elf)

namespace tangram::llvm_cpu {

namespace {

constexpr DiagnosticKind kCannotWrite{"llvm-cpu.cannot-write", DiagnosticClass::User, "cannot write '{}'",
                                      "name a folder that exists, can be written and has room"};
constexpr DiagnosticKind kUnreadable{"llvm-cpu.unreadable", DiagnosticClass::User, "{}: {}",
                                     "if it is as it was generated, this is a bug of Tangram: report it with the file"};
constexpr DiagnosticKind kNotLinked{
    "llvm-cpu.not-linked", DiagnosticClass::User, "'{}' cannot be linked:\n{}",
    "check that the folder can be written and has room; if so, this is a bug of Tangram"};

std::string compiled(const OutputFile &file, BuildContext &context) {
  llvm::LLVMContext llvm;
  llvm::SMDiagnostic wrong;
  std::unique_ptr<llvm::Module> module = llvm::parseIR(llvm::MemoryBufferRef(file.text, file.name), wrong, llvm);
  if (!module)
    fail(kUnreadable, {}, fmt::format("{}:{}", (context.folder / file.name).string(), wrong.getLineNo()),
         wrong.getMessage().str());
  const unsigned level = optimisationLevel(context.options);
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(context.options, level);
  llvm_ir::optimise(*module, *machine, level);
  return llvm_ir::object(*module, *machine);
}

void link(const std::filesystem::path &object, const std::filesystem::path &library) {
  // Never unloaded: the idle threads of the OpenMP runtime outlive the last call, and with them what they run in must.
  // What it calls of its own is its own, also where a library of the process has a function of the name.
  std::vector<std::string> words{
      "ld.lld", "-shared",        "-Bsymbolic",   "-z", "nodelete", "--threads=1", "--no-color-diagnostics",
      "-o",     library.string(), object.string()};
  words.emplace_back("--as-needed");
  for (const std::string &needed : runtimeLibraries()) words.push_back(needed);
  std::vector<const char *> args;
  for (const std::string &word : words) args.push_back(word.c_str());
  std::string said;
  llvm::raw_string_ostream stream(said);
  lld::Result result = lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) fail(kNotLinked, {}, library.string(), said);
}

} // namespace

Detection CpuBackend::detect(hardware::Hardware &hardware) { return c_family::detectProcessor(hardware); }

std::filesystem::path CpuBackend::build(const std::vector<OutputFile> &files, BuildContext &context) {
  std::filesystem::path library = context.folder / ("lib" + context.stem + ".so");
  for (const OutputFile &file : files) {
    if (file.role != OutputFile::Role::Source) continue;
    std::filesystem::path object = context.folder / (context.stem + ".o");
    if (std::ofstream out(object, std::ios::binary); !(out << compiled(file, context)).flush())
      fail(kCannotWrite, {}, object.string());
    link(object, library);
    std::error_code ignored;
    std::filesystem::remove(object, ignored);
  }
  return library;
}

} // namespace tangram::llvm_cpu

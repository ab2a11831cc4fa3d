// What the backend llvm-cpu makes computes what the AST says, against the interpreter of the AST.
#include "../passes/RandomArguments.h"
#include "Harness.h"

namespace tangram::test {
namespace {

class RandomCpu : public LlvmCpu, public ::testing::WithParamInterface<unsigned> {};

TEST_P(RandomCpu, ComputesWhatTheInterpreterDoes) {
  RandomProgram source(GetParam());
  Ss body = source.make(70);
  RandomArguments arguments(source, GetParam());
  const ast::Module *module = kernel(arguments.params, body);
  const ast::Kernel *interpreted =
      arena_.derive(module->kernels[0], [&](ast::Kernel &k) { k.params = arguments.asArrays(); });
  run(*module, *interpreted, target_.hardware, arguments.args);

  for (unsigned level : {0u, 3u}) {
    ASSERT_EQ(call(library(module, level), arguments.pointers()), TANGRAM_OK) << said;
    ASSERT_EQ(arguments.difference(), "") << "level " << level << "\n" << ast::print(interpreted->body);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCpu, ::testing::Range(0u, seeds(25)));

} // namespace
} // namespace tangram::test

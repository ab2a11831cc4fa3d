// What the backend ptx generates computes what the AST says: run on this machine, before and after optimisation,
// against the interpreter of the AST.
#include "../passes/RandomArguments.h"
#include "Harness.h"

namespace tangram::test {
namespace {

class RandomPtx : public Ptx, public ::testing::WithParamInterface<unsigned> {};

TEST_P(RandomPtx, ComputesWhatTheInterpreterDoes) {
  RandomProgram source(GetParam());
  Ss body = source.make(70);
  RandomArguments arguments(source, GetParam());
  const ast::Module *module = launching(arguments.params, body);
  const ast::Kernel *kernel = arena_.derive(module->kernels[0], [&](ast::Kernel &k) {
    k.params = arguments.asArrays();
    k.body = block(body);
  });
  run(*module, *kernel, target_.hardware, arguments.args);

  for (const char *when : {"generated", "optimised"}) {
    HostRun host(ir(module, when));
    std::vector<void *> pointers = arguments.pointers(), places;
    for (void *&p : pointers) places.push_back(&p);
    host.launch("k", 1, 1, places);
    ASSERT_EQ(arguments.difference(), "") << when << "\n" << ast::print(kernel->body);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPtx, ::testing::Range(0u, seeds(40)));

} // namespace
} // namespace tangram::test

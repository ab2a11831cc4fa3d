// What the backend ptx generates computes what the AST says: run on this machine, before and after optimisation,
// against the interpreter of the AST.
#include "../passes/RandomProgram.h"
#include "Harness.h"

#include <cmath>
#include <cstdlib>

namespace tangram::test {
namespace {

class RandomPtx : public Ptx, public ::testing::WithParamInterface<unsigned> {};

TEST_P(RandomPtx, ComputesWhatTheInterpreterDoes) {
  RandomProgram source(GetParam());
  Ss body = source.make(70);
  std::mt19937 random(GetParam());
  Ps params;
  std::vector<Value> args;
  std::vector<std::vector<char>> inputs, outputs;
  for (const Type &t : kTypes) {
    std::vector<Scalar> values;
    std::vector<char> bytes;
    for (int i = 0; i < 3; ++i) {
      int v = static_cast<int>(random() % 400) - 200;
      values.push_back(t.isFloating() ? real(t, v * 0.37) : integer(t, t.isBool() ? v & 1 : v));
      std::vector<char> one = bytesOf(values.back());
      bytes.insert(bytes.end(), one.begin(), one.end());
    }
    params.push_back(in("in_" + t.text(), Type::pointer(t)));
    args.push_back(arrayValue(values, {3}));
    inputs.push_back(bytes);
  }
  for (const Type &t : kTypes) {
    int n = source.stored(t);
    Scalar zero = t.isFloating() ? real(t, 0) : integer(t, 0);
    params.push_back(inOut("out_" + t.text(), Type::pointer(t)));
    args.push_back(arrayValue(std::vector<Scalar>(static_cast<std::size_t>(n), zero), {n}));
    outputs.emplace_back(static_cast<std::size_t>(n) * t.bytes());
  }
  const ast::Module *module = launching(params, body);

  // The interpreter knows no pointers as parameters, but arrays as variables of that name.
  Ps asArrays;
  for (const ast::Param *p : params)
    asArrays.push_back(make<ast::Param>(p->name, Type::array(1, p->type.element()), p->access));
  const ast::Kernel *kernel = arena_.derive(module->kernels[0], [&](ast::Kernel &k) {
    k.params = asArrays;
    k.body = block(body);
  });
  run(*module, *kernel, target_.hardware, args);

  for (const char *when : {"generated", "optimised"}) {
    HostRun host(ir(module, when));
    std::vector<void *> pointers, places;
    for (auto &in : inputs) pointers.push_back(in.data());
    for (auto &out : outputs) pointers.push_back(out.data());
    for (void *&p : pointers) places.push_back(&p);
    host.launch("k", 1, 1, places);
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      const std::vector<Scalar> &expected = *args[kTypes.size() + i].array.storage;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        Scalar got = scalarAt(outputs[i].data() + k * kTypes[i].bytes(), kTypes[i]);
        ASSERT_TRUE(bytesOf(got) == bytesOf(expected[k]) || (std::isnan(got.d) && std::isnan(expected[k].d)))
            << when << ", " << kTypes[i].text() << " " << k << ": " << got.i << " " << got.d << " instead of "
            << expected[k].i << " " << expected[k].d << "\n"
            << ast::print(kernel->body);
      }
      std::fill(outputs[i].begin(), outputs[i].end(), 0);
    }
  }
}

/// TANGRAM_FUZZ=N tries as many.
unsigned seeds() {
  const char *count = std::getenv("TANGRAM_FUZZ");
  return count ? static_cast<unsigned>(std::atoi(count)) : 40;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPtx, ::testing::Range(0u, seeds()));

} // namespace
} // namespace tangram::test

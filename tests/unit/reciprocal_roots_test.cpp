// Divisions by square roots on a device: the class of special values stays, and so do all but the last bits.
#include "passes/Harness.h"
#include "tangram/runtime/error_analysis.h"

#include <cmath>
#include <random>

using namespace tangram;
using namespace tangram::test;
using namespace tangram::test::program;

namespace {

class ReciprocalRoots : public PassHarness {
protected:
  static void SetUpTestSuite() {
    PassHarness::SetUpTestSuite();
    loader_->load(TANGRAM_BINARY_DIR "/lib/tangram/plugins/libtangram-reciprocal-roots.so", *registry_);
  }

  static E root(E x) { return make<ast::Call>(F32, std::string("sqrtf"), raw({x})); }

  /// A kernel of one number, `c`, and another one, `x`, that launches what returns `body`'s.
  const ast::Module *launching(const Ss &body) {
    std::vector<const ast::Expr *> none;
    const ast::Launch *launch =
        make<ast::Launch>(std::string(), std::string("grid"), lit(U64, 1).e, std::int64_t{1}, std::int64_t{0},
                          std::vector<const ast::Param *>{}, none, block(body));
    const ast::Kernel *kernel =
        make<ast::Kernel>(std::string("k"), std::string("k"), std::string("plan"), F32, Ps{in("c", F32), in("x", F32)},
                          none, std::vector<const ast::Param *>{}, none, block({launch}));
    return make<ast::Module>(std::vector<const ast::Struct *>{}, std::vector<const ast::Function *>{},
                             std::vector<const ast::Spectrum *>{}, std::vector<const ast::Kernel *>{kernel});
  }

  /// What the device does, done by the host.
  float launched(const ast::Module *module, float c, float x) {
    const ast::Kernel *kernel = module->kernels[0];
    kernel = arena_.derive(kernel,
                           [&](ast::Kernel &copy) { copy.body = ast::as<ast::Launch>(kernel->body->stmts[0])->body; });
    return static_cast<float>(
        run(*module, *kernel, target_.hardware, {scalarValue(real(F32, c)), scalarValue(real(F32, x))}).d);
  }
};

TEST_F(ReciprocalRoots, KeepSpecialValues) {
  E c = var("c", F32), x = var("x", F32), r = var("r", F32);
  const float infinity = INFINITY, least = 1e-45f, most = 3.4e38f;
  const float specials[] = {0, -0.0f, 1, -1, infinity, -infinity, NAN, least, -least, 1e-40f, most, -most};
  for (const Ss &body : {Ss{ret(c / root(x))}, Ss{let("r", F32, root(x), true), ret(c / r)}}) {
    const ast::Module *before = launching(body), *after = apply("reciprocal-roots", before);
    EXPECT_NE(ast::print(after).find("rsqrtf"), std::string::npos);
    EXPECT_EQ(ast::print(after).find("\"sqrtf\""), std::string::npos);
    for (float number : specials)
      for (float of : specials) {
        const float was = launched(before, number, of), is = launched(after, number, of);
        EXPECT_EQ(std::isnan(was), std::isnan(is)) << number << " " << of;
        if (std::isnan(was)) continue;
        EXPECT_EQ(std::signbit(was), std::signbit(is)) << number << " " << of;
        if (std::isinf(was) || was == 0)
          EXPECT_EQ(was, is) << number << " " << of;
        else
          EXPECT_NEAR(is / was, 1, 1e-6) << number << " " << of;
      }
  }
}

TEST_F(ReciprocalRoots, AreWithinTheBoundOfTheReference) {
  using reference::Real;
  const double u = Real<float>::u;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-80, 80);
  for (int i = 0; i < 1000; ++i) {
    const float x = std::exp(exponent(random)), c = std::exp(exponent(random) / 4);
    const double exact = c / std::sqrt(static_cast<double>(x));
    const tangram_reference_element e = reference::describe(Real<float>(c) / reference::sqrt(Real<float>(x)));
    EXPECT_GT(e.bound, 5 * u * exact); // 2 ulp of the function, and the product's rounding
    EXPECT_LT(e.bound, 13 * u * exact);
  }
}

TEST_F(ReciprocalRoots, NotWherePlansMustAgreeToTheBit) {
  const ast::Module *module = launching({ret(var("c", F32) / root(var("x", F32)))});
  for (auto [name, value, changes] : {std::tuple{"order", "preserve", false},
                                      {"order", "any", true},
                                      {"determinism", "everywhere", false},
                                      {"determinism", "run", true}}) {
    target_.promises = {{name, value, {}}};
    EXPECT_EQ(apply("reciprocal-roots", module) != module, changes) << name << " " << value;
  }
}

} // namespace

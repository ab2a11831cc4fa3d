// std::min, std::max and std::clamp in programs for tests, as frontends make them.
#pragma once

#include "Program.h"

namespace tangram::test::program {

/// T min_T(T a, T b) { return b < a ? b : a; }, and max_T: std::min and std::max of what is no variable.
inline const ast::Function *chooser(bool smaller, const Type &t) {
  E a = var("a", t), b = var("b", t);
  return function((smaller ? "min_" : "max_") + t.text(), t, {in("a", t), in("b", t)},
                  {ret(select(smaller ? b < a : a < b, b, a))});
}
inline E least(E a, E b) { return make<ast::Call>(a.e->type, "min_" + a.e->type.text(), raw({a, b})); }
inline E most(E a, E b) { return make<ast::Call>(a.e->type, "max_" + a.e->type.text(), raw({a, b})); }
inline E clamp(E a, E lo, E hi) { return least(most(a, lo), hi); }

} // namespace tangram::test::program

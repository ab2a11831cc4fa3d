#include "Program.h"

#include <algorithm>

namespace tangram::hidp {

bool same(const Expr *a, const Expr *b) {
  return a->kind == b->kind && a->text == b->text && a->type == b->type && a->variable == b->variable &&
         std::equal(a->args.begin(), a->args.end(), b->args.begin(), b->args.end(), same);
}

} // namespace tangram::hidp

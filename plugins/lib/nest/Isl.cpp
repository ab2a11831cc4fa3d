#include "tangram/nest/Isl.h"

#include <isl/ast_build.h>

namespace tangram::nest {

IslContext::IslContext() : ctx_(isl_ctx_alloc(), isl_ctx_free) {
  isl_options_set_on_error(ctx_.get(), ISL_ON_ERROR_CONTINUE);
  isl_options_set_ast_build_detect_min_max(ctx_.get(), 1);
}

IslContext::Limit::Limit(const IslContext &context, unsigned long operations) : any_(context.ctx_.get()) {
  if (isl_ctx_get_max_operations(any_) != 0) return;
  ctx_ = any_;
  isl_ctx_reset_operations(ctx_);
  isl_ctx_set_max_operations(ctx_, operations);
}

IslContext::Limit::~Limit() {
  if (!ctx_) return;
  isl_ctx_set_max_operations(ctx_, 0);
  isl_ctx_reset_error(ctx_);
}

bool IslContext::Limit::exceeded() const { return isl_ctx_last_error(any_) == isl_error_quota; }

} // namespace tangram::nest

// isl as the nest library uses it: its own C++ interface, with a context that is owned, quiet and limited.
//
// Questions about integer sets may take exponential time. Each is asked with a limit of operations; past it the answer
// is "not known", which every caller has to take care of. Nothing waits forever.
#pragma once

#include <isl/cpp.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace tangram::nest {

/// Owns an isl_ctx. Lives longer than every isl object that was made with it.
class IslContext {
public:
  IslContext();
  isl::ctx get() const { return isl::ctx(ctx_.get()); }

  /// f(), or nothing where isl needs more operations than the limit. What else isl objects to is a bug of ours and
  /// passes as its exception. Calls may stand in each other; the outermost sets the limit.
  template <class F> auto limited(F &&f) const -> std::optional<std::invoke_result_t<F>> {
    return limited(exceeded_ < kPatience ? operations_ : operations_ / 100, std::forward<F>(f));
  }
  template <class F> auto limited(unsigned long operations, F &&f) const -> std::optional<std::invoke_result_t<F>> {
    Limit limit(*this, operations);
    try {
      return std::forward<F>(f)();
    } catch (const isl::exception_quota &) {
    } catch (const isl::exception &) {
      if (!limit.exceeded()) throw;
    }
    ++exceeded_;
    return std::nullopt;
  }
  /// Operations that one question may take.
  void setLimit(unsigned long operations) { operations_ = operations; }

private:
  class Limit {
  public:
    Limit(const IslContext &context, unsigned long operations);
    ~Limit();
    Limit(const Limit &) = delete;
    Limit &operator=(const Limit &) = delete;
    bool exceeded() const;

  private:
    isl_ctx *ctx_ = nullptr; // null: another one around it has set the limit
    isl_ctx *any_;
  };

  /// Where so many questions about one nest were too hard, the others are asked with a hundredth of the limit: a nest
  /// of hundreds of them took minutes.
  static constexpr unsigned kPatience = 2;

  std::shared_ptr<isl_ctx> ctx_;
  unsigned long operations_ = 2'000'000;
  mutable unsigned exceeded_ = 0; // questions
};

} // namespace tangram::nest

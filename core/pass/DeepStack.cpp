#include "tangram/pass/DeepStack.h"

#include <csignal>
#include <exception>
#include <pthread.h>
#include <sys/mman.h>

namespace tangram {
namespace {

constexpr std::size_t kStackBytes = std::size_t{512} << 20; // address space; pages are used when touched

thread_local bool isDeep = false;

struct Work {
  const std::function<void()> &work;
  std::exception_ptr error;
  stack_t signals; // that of the thread we came from
};

/// Where that thread has a stack for signals, so has this one: a stack that is full is told of on another.
class SignalStack {
public:
  explicit SignalStack(const stack_t &like) {
    if ((like.ss_flags & SS_DISABLE) || !like.ss_size) return;
    void *memory =
        mmap(nullptr, like.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    own_.ss_sp = memory;
    own_.ss_size = like.ss_size;
    sigaltstack(&own_, &previous_);
  }
  ~SignalStack() {
    if (!own_.ss_sp) return;
    sigaltstack(&previous_, nullptr);
    munmap(own_.ss_sp, own_.ss_size);
  }
  SignalStack(const SignalStack &) = delete;

private:
  stack_t own_{}, previous_{};
};

void *run(void *argument) {
  auto &work = *static_cast<Work *>(argument);
  isDeep = true;
  SignalStack signals(work.signals);
  try {
    work.work();
  } catch (...) {
    work.error = std::current_exception();
  }
  return nullptr;
}

} // namespace

void onDeepStack(const std::function<void()> &work) {
  if (isDeep) return work();
  Work here{work, nullptr, {}};
  sigaltstack(nullptr, &here.signals);
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
              pthread_create(&thread, &attributes, run, &here) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (!started) return work();
  pthread_join(thread, nullptr);
  if (here.error) std::rethrow_exception(here.error);
}

} // namespace tangram

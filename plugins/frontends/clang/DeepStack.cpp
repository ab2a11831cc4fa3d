#include "DeepStack.h"

#include <pthread.h>

namespace tangram::frontend {
namespace {

constexpr std::size_t kStackBytes = std::size_t{512} << 20; // address space; pages are used when touched

void *run(void *work) {
  (*static_cast<const std::function<void()> *>(work))();
  return nullptr;
}

} // namespace

void onDeepStack(const std::function<void()> &work) {
  pthread_attr_t attributes;
  pthread_t thread;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
              pthread_create(&thread, &attributes, run, const_cast<std::function<void()> *>(&work)) == 0;
    pthread_attr_destroy(&attributes);
  }
  if (started)
    pthread_join(thread, nullptr);
  else
    work();
}

} // namespace tangram::frontend

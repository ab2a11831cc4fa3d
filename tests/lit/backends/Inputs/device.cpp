// Runs `sum` of a library through tangram/runtime/kernel_abi.h with data that stays on the device, several threads at a
// time, and times it by the device's clock. The same for every backend with a device.
#include <tangram/runtime/kernel_abi.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <thread>
#include <vector>

static const tangram_kernel *kernel;

static bool ok(int status, const tangram_error &error) {
  if (status != TANGRAM_OK) std::printf("status %d: %s\n", status, error.message);
  return status == TANGRAM_OK;
}

struct Call {
  void *args[2], *workspace;
  tangram_error error;
};

static int launch(void *context) {
  Call &call = *static_cast<Call *>(context);
  return kernel->launch(call.args, call.workspace, &call.error);
}

/// The sum of n ones, timed; -1 where something failed.
static int sum(size_t n, double &milliseconds) {
  const tangram_device &device = *kernel->device;
  std::vector<int> ones(n + 1, 1);
  int result = -1;
  void *in = nullptr, *out = nullptr;
  Call call{};
  tangram_error error{};
  if (!ok(device.open(&error), error) || !ok(device.allocate(&in, 4 * n + 4, &error), error) ||
      !ok(device.allocate(&out, 4, &error), error) || !ok(device.upload(in, ones.data(), 4 * n, &error), error))
    return -1;
  tangram_array array{in, {n}, {1}};
  call.args[0] = &array;
  call.args[1] = out;
  uint64_t bytes = kernel->workspace(call.args);
  if (!ok(device.allocate(&call.workspace, bytes, &error), error)) return -1;
  int status = device.time(launch, &call, &milliseconds, &error);
  if (!ok(status, *call.error.message ? call.error : error)) return -1;
  if (!ok(device.wait(&error), error) || !ok(device.download(&result, out, 4, &error), error)) return -1;
  device.release(in);
  device.release(out);
  device.release(call.workspace);
  return result;
}

int main(int, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) return std::printf("%s\n", dlerror()), 1;
  uint32_t count = 0;
  kernel = reinterpret_cast<tangram_kernel_table_fn>(dlsym(library, "tangram_kernel_table"))(&count)[0];
  tangram_error error{};
  if (!ok(kernel->device->open(&error), error)) return 1;
  char name[200] = "";
  if (!ok(kernel->device->describe(name, sizeof name, &error), error) || !*name) return 1;

  int results[4];
  double times[4];
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) threads.emplace_back([&, t] { results[t] = sum(1000 * t + 9, times[t]); });
  for (std::thread &thread : threads) thread.join();
  bool good = true;
  for (int t = 0; t < 4; ++t) good &= results[t] == 1000 * t + 9 && times[t] >= 0;
  double once = 0;
  good &= sum(4000000, once) == 4000000 && once > 0;

  // What is wrong is said.
  Call none{};
  tangram_array array{nullptr, {5}, {1}};
  none.args[0] = &array;
  none.args[1] = &array;
  good &= launch(&none) == TANGRAM_BAD_ARGUMENT && std::strstr(none.error.message, "'in' is null, but it has 5");
  array.size[0] = 0;
  good &= launch(&none) == TANGRAM_BAD_ARGUMENT && std::strstr(none.error.message, "the workspace has 0 bytes");
  std::printf("%s\n", good ? "all right" : "wrong");
  return !good;
}

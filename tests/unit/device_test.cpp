// Kernels on a device as the runtime sees them: data stays there between runs, and goes back whole.
#include "tangram/runtime/host_call.h"
#include "tangram/verify/DeviceArguments.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

using namespace tangram::runtime;

namespace {

/// A device that is host memory behind handles, and counts what is done with it.
struct Fake {
  int allocated = 0, uploads = 0, downloads = 0, launches = 0, failAllocation = -1;
  bool there = true, launchFails = false;
} fake;

int say(tangram_error *error, int status, const char *text) {
  if (error) std::snprintf(error->message, sizeof error->message, "%s", text);
  return status;
}
int fakeOpen(tangram_error *error) { return fake.there ? TANGRAM_OK : say(error, TANGRAM_FAILED, "it is not there"); }
int fakeDescribe(char *text, size_t size, tangram_error *) {
  std::snprintf(text, size, "a fake");
  return TANGRAM_OK;
}
int fakeAllocate(void **memory, uint64_t bytes, tangram_error *error) {
  if (fake.failAllocation-- == 0) return say(error, TANGRAM_OUT_OF_MEMORY, "no memory");
  ++fake.allocated;
  *memory = std::malloc(bytes);
  std::memset(*memory, 0x5a, bytes);
  return TANGRAM_OK;
}
void fakeRelease(void *memory) {
  if (memory) --fake.allocated;
  std::free(memory);
}
int fakeUpload(void *memory, const void *from, uint64_t bytes, tangram_error *) {
  ++fake.uploads;
  std::memcpy(memory, from, bytes);
  return TANGRAM_OK;
}
int fakeDownload(void *to, void *memory, uint64_t bytes, tangram_error *) {
  ++fake.downloads;
  std::memcpy(to, memory, bytes);
  return TANGRAM_OK;
}
int fakeWait(tangram_error *) { return TANGRAM_OK; }
int fakeTime(int (*work)(void *), void *context, double *milliseconds, tangram_error *) {
  *milliseconds = 250;
  return work(context);
}
constexpr tangram_device kDevice = {sizeof(tangram_device), fakeOpen,    fakeDescribe,
                                    fakeAllocate,           fakeRelease, fakeUpload,
                                    fakeDownload,           fakeWait,    fakeTime};

/// a(i, j) += 1, and the number of elements as the result; the workspace must be there.
int addOne(void *const *args, void *workspace, tangram_error *error) {
  ++fake.launches;
  if (fake.launchFails || !workspace) return say(error, TANGRAM_FAILED, "the launch failed");
  const tangram_array &a = *static_cast<const tangram_array *>(args[0]);
  for (uint64_t i = 0; i < a.size[0]; ++i)
    for (uint64_t j = 0; j < a.size[1]; ++j) static_cast<int *>(a.data)[i * a.stride[0] + j] += 1;
  *static_cast<int *>(args[1]) = static_cast<int>(a.size[0] * a.size[1]);
  return TANGRAM_OK;
}
uint64_t workspaceOf(void *const *args) { return 8 * static_cast<const tangram_array *>(args[0])->size[0] + 8; }
int onHost(void *const *, tangram_error *) { return TANGRAM_FAILED; }

constexpr tangram_param kParams[] = {{"a", TANGRAM_I32, 2, TANGRAM_INOUT}, {"result", TANGRAM_I32, 0, TANGRAM_OUT}};
tangram_kernel kernel() {
  return {sizeof(tangram_kernel),
          TANGRAM_KERNEL_ABI,
          "one",
          "one",
          "p",
          "t",
          2,
          kParams,
          onHost,
          &kDevice,
          workspaceOf,
          addOne};
}

std::vector<Value> arguments(std::uint64_t rows, std::uint64_t columns) {
  std::vector<Value> values;
  values.push_back(Value::array(TANGRAM_I32, {rows, columns}, {3, 1}));
  for (std::uint64_t i = 0; i < rows * columns; ++i) values[0].setInteger(i, static_cast<std::int64_t>(i));
  values.push_back(Value::scalar(TANGRAM_I32));
  return values;
}

} // namespace

TEST(Device, DataStaysThereAndComesBackWhole) {
  fake = {};
  tangram_kernel one = kernel();
  ASSERT_EQ(deviceOf(one), &kDevice);
  EXPECT_EQ(describe(kDevice), "a fake");
  std::vector<Value> values = arguments(5, 7);
  {
    DeviceArguments device(one, values);
    ASSERT_TRUE(device.status().ok());
    int uploads = fake.uploads;
    double seconds = 0;
    for (int run = 0; run < 3; ++run) ASSERT_TRUE(device.time(seconds).ok());
    EXPECT_EQ(seconds, 0.25);
    EXPECT_EQ(fake.uploads, uploads);
    EXPECT_EQ(fake.downloads, 0);
    EXPECT_EQ(values[0].integer(34), 34); // the host's are as they were
    ASSERT_TRUE(device.restore().ok());
    ASSERT_TRUE(device.time(seconds).ok());
    ASSERT_TRUE(device.download().ok());
    EXPECT_EQ(values[0].integer(34), 35);
    EXPECT_EQ(values[1].integer(0), 35);
    EXPECT_EQ(values[0].strayWrite(), "");
  }
  EXPECT_EQ(fake.allocated, 0);
}

TEST(Device, FailuresAreToldAndLeaveNothingBehind) {
  tangram_kernel one = kernel();
  for (int failing = 0; failing < 3; ++failing) { // a, result, workspace
    fake = {};
    fake.failAllocation = failing;
    std::vector<Value> values = arguments(2, 2);
    {
      DeviceArguments device(one, values);
      EXPECT_EQ(device.status().status, TANGRAM_OUT_OF_MEMORY);
      EXPECT_EQ(device.status().message, "no memory");
    }
    EXPECT_EQ(fake.allocated, 0) << failing;
  }
  fake = {};
  fake.launchFails = true;
  std::vector<Value> values = arguments(0, 4);
  DeviceArguments device(one, values);
  double seconds = 0;
  CallResult result = device.time(seconds);
  EXPECT_EQ(result.status, TANGRAM_FAILED);
  EXPECT_EQ(result.message, "the launch failed");
}

TEST(Device, WhatIsNotThereIsNotUsed) {
  fake = {};
  tangram_kernel one = kernel();
  fake.there = false;
  EXPECT_EQ(deviceOf(one), nullptr);
  fake.there = true;
  one.struct_size = offsetof(tangram_kernel, device); // made before there were devices
  EXPECT_EQ(deviceOf(one), nullptr);
}

TEST(HostCall, ExtentsAndFailures) {
  EXPECT_EQ(tangram_entry::bytes(4, {10}, {}), 40u);
  EXPECT_EQ(tangram_entry::bytes(8, {3, 5}, {7}), 8u * (2 * 7 + 5));
  EXPECT_EQ(tangram_entry::bytes(8, {3, 0}, {7}), 0u);
  fake = {};
  char message[1024] = "";
  int data[4] = {1, 2, 3, 4}, result = 0;
  {
    tangram_entry::HostCall call(kDevice, "k", message);
    void *in = call.inout(data, sizeof data), *out = call.out(&result, sizeof result);
    ASSERT_TRUE(call.ok());
    static_cast<int *>(in)[3] = 9;
    *static_cast<int *>(out) = 5;
    EXPECT_EQ(call.in(data, 0), nullptr);
    EXPECT_EQ(call.finish(TANGRAM_OK), TANGRAM_OK);
  }
  EXPECT_EQ(data[3], 9);
  EXPECT_EQ(result, 5);
  EXPECT_EQ(fake.allocated, 0);
  fake.failAllocation = 1;
  {
    tangram_entry::HostCall call(kDevice, "k", message);
    call.in(data, sizeof data);
    EXPECT_EQ(call.out(&result, sizeof result), nullptr);
    EXPECT_EQ(call.finish(), TANGRAM_OUT_OF_MEMORY);
    EXPECT_STREQ(message, "k: no memory");
  }
  EXPECT_EQ(fake.allocated, 0);
  EXPECT_EQ(fake.downloads, 2); // of the first call only
}

/* A library of plans that no compiler makes: sums that are right, wrong, endless, or crash. The environment's PLANS
 * says which of them it has, by their first letters; "x" is one with other parameters. */
#include <stdlib.h>
#include <tangram/runtime/kernel_abi.h>

static int right(void *const *args, tangram_error *error) {
  const tangram_array *in = args[0];
  int *result = args[1];
  (void)error;
  *result = 0;
  for (uint64_t i = 0; i < in->size[0]; ++i) *result += ((const int *)in->data)[i];
  return TANGRAM_OK;
}

static int wrong(void *const *args, tangram_error *error) {
  int *result = args[1];
  right(args, error);
  *result += 1;
  return TANGRAM_OK;
}

static int endless(void *const *args, tangram_error *error) {
  volatile int going = 1;
  (void)args, (void)error;
  while (going) continue;
  return TANGRAM_OK;
}

static int crashing(void *const *args, tangram_error *error) {
  (void)args, (void)error;
  abort();
}

static const tangram_param params[] = {{"in", TANGRAM_I32, 1, TANGRAM_IN}, {"result", TANGRAM_I32, 0, TANGRAM_OUT}};

#define KERNEL(INVOKE, COUNT)                                                                                          \
  {sizeof(tangram_kernel),                                                                                             \
   TANGRAM_KERNEL_ABI,                                                                                                 \
   #INVOKE,                                                                                                            \
   "sum<int>",                                                                                                         \
   "sum<int> on cpu-openmp: " #INVOKE,                                                                                 \
   "cpu-openmp",                                                                                                       \
   COUNT,                                                                                                              \
   params,                                                                                                             \
   INVOKE,                                                                                                             \
   0,                                                                                                                  \
   0,                                                                                                                  \
   0}
static const tangram_kernel all[] = {KERNEL(right, 2), KERNEL(wrong, 2), KERNEL(endless, 2), KERNEL(crashing, 2),
                                     KERNEL(right, 1)};

const tangram_kernel *const *tangram_kernel_table(uint32_t *count) {
  static const tangram_kernel *chosen[16];
  static const char letters[] = "rwecx";
  *count = 0;
  for (const char *name = getenv("PLANS"); name && *name && *count < 16; ++name)
    for (int i = 0; letters[i]; ++i)
      if (letters[i] == *name) chosen[(*count)++] = &all[i];
  return chosen;
}

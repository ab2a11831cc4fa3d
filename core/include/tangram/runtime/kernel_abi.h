/* The contract between generated code and whatever calls it without knowing its signature: plain C.
 *
 * A kernel library exports `const tangram_kernel *const *tangram_kernel_table(uint32_t *count)`. Typed entries are in
 * the generated header; `invoke` is for callers that read the signature at run time. */
#ifndef TANGRAM_RUNTIME_KERNEL_ABI_H
#define TANGRAM_RUNTIME_KERNEL_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TANGRAM_KERNEL_ABI 1u
#define TANGRAM_MAX_RANK 4

typedef enum tangram_element {
  TANGRAM_BOOL = 1,
  TANGRAM_I8,
  TANGRAM_I16,
  TANGRAM_I32,
  TANGRAM_I64,
  TANGRAM_U8,
  TANGRAM_U16,
  TANGRAM_U32,
  TANGRAM_U64,
  TANGRAM_F32,
  TANGRAM_F64,
  TANGRAM_STRUCT, /* of the fields that tangram_kernel::structs lists */
  TANGRAM_F16,    /* IEEE 754 binary16 */
  TANGRAM_BF16    /* the upper half of a binary32 */
} tangram_element;

typedef struct tangram_field {
  const char *name;
  uint8_t element; /* tangram_element, but no struct: fields of a struct within are listed, "position.x" */
  uint64_t offset; /* in bytes */
} tangram_field;

/* A struct as C lays it out. */
typedef struct tangram_struct {
  uint64_t bytes; /* padding included */
  uint32_t num_fields;
  const tangram_field *fields;
} tangram_struct;

typedef enum tangram_access { TANGRAM_IN = 0, TANGRAM_INOUT = 1, TANGRAM_OUT = 2 } tangram_access;

/* An array argument. Element (i, j) is data[i * stride[0] + j * stride[1]]; a dense row-major matrix of leading
 * dimension ld has stride {ld, 1}. Sizes and strides in elements. */
typedef struct tangram_array {
  void *data;
  uint64_t size[TANGRAM_MAX_RANK];
  uint64_t stride[TANGRAM_MAX_RANK];
} tangram_array;

typedef struct tangram_param {
  const char *name;
  uint8_t element; /* tangram_element */
  uint8_t rank;    /* 0: a scalar */
  uint8_t access;  /* tangram_access */
} tangram_param;

/* What an entry returns. */
typedef enum tangram_status {
  TANGRAM_OK = 0,
  TANGRAM_BAD_ARGUMENT = 1, /* a condition of the spectrum does not hold, a null pointer, a size out of range */
  TANGRAM_OUT_OF_MEMORY = 2,
  TANGRAM_FAILED = 3,      /* the device or the runtime below reported an error */
  TANGRAM_OUT_OF_RANGE = 4 /* checked code would have left a container: the message begins with file:line:column */
} tangram_status;

typedef struct tangram_error {
  int status;
  char message[512]; /* says which argument or condition; empty where status is 0 */
} tangram_error;

/* The device that the kernels of a library run on, for callers that keep data there. All are callable from any thread;
 * those that return an int return a tangram_status and say why in `error`, which may be null. */
typedef struct tangram_device {
  uint32_t struct_size;
  /* Finds the device and makes it ready; calling it again costs nothing. The others may be called once it was
   * TANGRAM_OK. */
  int (*open)(tangram_error *error);
  /* What the device calls itself, cut to `size` bytes with the final zero. */
  int (*describe)(char *text, size_t size, tangram_error *error);
  /* A handle of memory on the device: what kernels take as a pointer to data. Never null where it is TANGRAM_OK. */
  int (*allocate)(void **memory, uint64_t bytes, tangram_error *error);
  void (*release)(void *memory); /* null: nothing */
  int (*upload)(void *memory, const void *from, uint64_t bytes, tangram_error *error);
  int (*download)(void *to, void *memory, uint64_t bytes, tangram_error *error);
  /* Until all that was launched is done; reports what went wrong meanwhile. */
  int (*wait)(tangram_error *error);
  /* How long the device took for what `work` launched, by its own clock. Waits for it. */
  int (*time)(int (*work)(void *context), void *context, double *milliseconds, tangram_error *error);
} tangram_device;

#ifdef __cplusplus
#define TANGRAM_ABSENT = nullptr
#else
#define TANGRAM_ABSENT
#endif

typedef struct tangram_kernel {
  uint32_t struct_size; /* members behind it are not there */
  uint32_t abi;         /* TANGRAM_KERNEL_ABI */
  const char *name;     /* of the entry */
  const char *spectrum;
  const char *plan; /* its one-line key */
  const char *target;
  uint32_t num_params;
  const tangram_param *params; /* the spectrum's parameters, then its result (name "result") unless void */
  /* args[i]: a tangram_array * where params[i].rank > 0, else a pointer to the scalar. All in host memory. */
  int (*invoke)(void *const *args, tangram_error *error);
  /* Null for a kernel that runs on the host, as are the two below. */
  const tangram_device *device TANGRAM_ABSENT;
  /* Bytes of device memory that `launch` needs for itself with these arguments, of which it reads sizes and scalars. */
  uint64_t (*workspace)(void *const *args) TANGRAM_ABSENT;
  /* Starts the kernel and does not wait for it. args as for invoke, but the data of a tangram_array is a handle of
   * memory on the device, and so is args[i] of the result. `workspace` has the bytes that the function above says, may
   * be null where that is 0, and must not be shared by kernels that run at the same time. */
  int (*launch)(void *const *args, void *workspace, tangram_error *error) TANGRAM_ABSENT;
  /* structs[i]: what params[i] is made of where its element is TANGRAM_STRUCT, else null. Null: no parameter is one. */
  const tangram_struct *const *structs TANGRAM_ABSENT;
} tangram_kernel;

#undef TANGRAM_ABSENT

typedef const tangram_kernel *const *(*tangram_kernel_table_fn)(uint32_t *count);

/* What a reference (error_analysis.h) says of a number that its kernel has written. */
typedef struct tangram_reference_element {
  double value; /* the result, in a wider type */
  double bound; /* how far from it a right plan may be: 0 exactly this, infinity nothing can be said */
} tangram_reference_element;

#ifdef __cplusplus
}
#endif
#endif

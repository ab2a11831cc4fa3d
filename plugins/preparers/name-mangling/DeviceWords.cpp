// Words of OpenCL C and CUDA, in which the names of a program are written too.
#include "ReservedWords.h"

#include <set>

namespace tangram {
namespace {

const std::set<std::string_view> &deviceWords() {
  static const std::set<std::string_view> all{
      // OpenCL C: qualifiers, types, macros
      "kernel", "global", "local", "constant", "private", "generic", "pipe", "uniform", "read_only", "write_only",
      "read_write", "half", "quad", "complex", "imaginary", "uchar", "ushort", "uint", "ulong", "event_t", "sampler_t",
      "image1d_t", "image2d_t", "image3d_t", "image1d_array_t", "image2d_array_t", "image1d_buffer_t", "queue_t",
      "ndrange_t", "clk_event_t", "reserve_id_t", "MAXFLOAT", "NULL", "NAN",
      // functions of OpenCL C
      "get_work_dim", "get_global_size", "get_global_id", "get_local_size", "get_local_id", "get_num_groups",
      "get_group_id", "get_global_offset", "get_enqueued_local_size", "get_global_linear_id", "get_local_linear_id",
      "barrier", "mem_fence", "read_mem_fence", "write_mem_fence", "work_group_barrier", "async_work_group_copy",
      "async_work_group_strided_copy", "wait_group_events", "prefetch", "printf", "shuffle", "shuffle2", "vec_step",
      "abs_diff", "add_sat", "hadd", "rhadd", "clamp", "clz", "ctz", "mad", "mad_hi", "mad_sat", "mad24", "mul24",
      "mul_hi", "max", "min", "rotate", "sub_sat", "upsample", "popcount", "degrees", "radians", "mix", "step",
      "smoothstep", "sign", "cross", "dot", "distance", "length", "normalize", "fast_distance", "fast_length",
      "fast_normalize", "isequal", "isnotequal", "isgreater", "isgreaterequal", "isless", "islessequal",
      "islessgreater", "isnormal", "isordered", "isunordered", "any", "all", "bitselect", "select", "acospi", "asinpi",
      "atanpi", "atan2pi", "cospi", "sinpi", "tanpi", "exp10", "fract", "frexp", "ilogb", "ldexp", "logb", "maxmag",
      "minmag", "modf", "nan", "nextafter", "pown", "powr", "remainder", "remquo", "rootn", "rsqrt", "sincos",
      // CUDA: built-in variables, types, functions of every translation unit
      "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "umin", "umax", "llmin", "llmax", "ullmin",
      "ullmax", "clock", "clock64", "norm", "norm3d", "norm4d", "rnorm", "rnorm3d", "rnorm4d", "rhypot", "rcbrt",
      "normcdf", "normcdfinv", "erfcinv", "erfcx", "erfinv", "cyl_bessel_i0", "cyl_bessel_i1", "saturate", "isinff",
      "isnanf", "finite", "finitef"};
  return all;
}

/// float4, uchar16, double4_16a, ...
bool isVectorType(std::string_view name) {
  for (std::string_view element : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                                   "ulonglong", "float", "double", "half", "bool"}) {
    if (!name.starts_with(element)) continue;
    std::string_view rest = name.substr(element.size());
    if (rest.ends_with("_16a") || rest.ends_with("_32a")) rest.remove_suffix(4);
    for (std::string_view width : {"1", "2", "3", "4", "8", "16"})
      if (rest == width) return true;
  }
  return false;
}

/// `prefix` and behind it a capital: cudaMalloc, clBuildProgram, but not clear.
bool isCamel(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= 'A' &&
         name[prefix.size()] <= 'Z';
}

} // namespace

bool isWordOfDevices(std::string_view name) {
  if (deviceWords().count(name) || isVectorType(name)) return true;
  for (std::string_view prefix : {"cuda", "cu", "cl", "CU", "atomic"})
    if (isCamel(name, prefix)) return true;
  for (std::string_view prefix :
       {"cl_",    "CL_",        "CLK_",        "cuda_",      "CUDA_",       "CU_",       "nv_", "nvcuda",
        "make_",  "native_",    "half_",       "atomic_",    "atom_",       "convert_",  "as_", "vload",
        "vstore", "read_image", "write_image", "get_image_", "work_group_", "sub_group_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

} // namespace tangram

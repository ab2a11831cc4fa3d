// Words of OpenCL C, and of the C++ that launches it.
#include "Backend.h"

#include "tangram/c-family/Words.h"

namespace tangram::opencl {

bool isReservedOnHost(std::string_view word) {
  static const c_family::Words api{{}, {"cl_", "CL_", "CLK_"}, {"cl"}};
  return c_family::isWordOfCpp(word) || api.contains(word);
}

bool isReserved(std::string_view word) {
  static const std::set<std::string_view> names{
      // qualifiers, types
      "kernel", "global", "local", "constant", "generic", "pipe", "uniform", "read_only", "write_only", "read_write",
      "half", "quad", "uchar", "event_t", "sampler_t", "image1d_t", "image2d_t", "image3d_t", "image1d_array_t",
      "image2d_array_t", "image1d_buffer_t", "queue_t", "ndrange_t", "clk_event_t", "reserve_id_t",
      // functions
      "get_work_dim", "get_global_size", "get_global_id", "get_local_size", "get_local_id", "get_num_groups",
      "get_group_id", "get_global_offset", "get_enqueued_local_size", "get_global_linear_id", "get_local_linear_id",
      "barrier", "mem_fence", "read_mem_fence", "write_mem_fence", "work_group_barrier", "async_work_group_copy",
      "async_work_group_strided_copy", "wait_group_events", "prefetch", "shuffle", "shuffle2", "vec_step", "abs_diff",
      "add_sat", "hadd", "rhadd", "clamp", "clz", "ctz", "mad", "mad_hi", "mad_sat", "mad24", "mul24", "mul_hi", "max",
      "min", "rotate", "sub_sat", "upsample", "popcount", "degrees", "radians", "mix", "step", "smoothstep", "sign",
      "cross", "dot", "distance", "length", "normalize", "fast_distance", "fast_length", "fast_normalize", "isequal",
      "isnotequal", "isordered", "any", "all", "bitselect", "acospi", "asinpi", "atanpi", "atan2pi", "cospi", "sinpi",
      "tanpi", "fract", "maxmag", "minmag", "pown", "powr", "rootn", "rsqrt"};
  static const c_family::Words all{names,
                                   {"native_", "half_", "atomic_", "atom_", "convert_", "as_", "vload", "vstore",
                                    "read_image", "write_image", "get_image_", "work_group_", "sub_group_"},
                                   {}};
  return isReservedOnHost(word) || c_family::isVectorType(word) || all.contains(word);
}

} // namespace tangram::opencl

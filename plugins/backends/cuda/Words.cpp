// Words of CUDA C++.
#include "Backend.h"

#include "tangram/c-family/Words.h"

namespace tangram::cuda {

bool isReserved(std::string_view word) {
  static const std::set<std::string_view> names{
      // built-in variables, types, functions of every translation unit
      "half",     "min",     "max",        "rsqrt",   "sinpi",  "cospi",  "mul24",         "threadIdx",     "blockIdx",
      "blockDim", "gridDim", "warpSize",   "dim3",    "umin",   "umax",   "llmin",         "llmax",         "ullmin",
      "ullmax",   "clock64", "norm",       "norm3d",  "norm4d", "rnorm",  "rnorm3d",       "rnorm4d",       "rhypot",
      "rcbrt",    "normcdf", "normcdfinv", "erfcinv", "erfcx",  "erfinv", "cyl_bessel_i0", "cyl_bessel_i1", "saturate"};
  static const c_family::Words all{
      names, {"cuda_", "CUDA_", "CU_", "nv_", "nvcuda", "make_"}, {"cuda", "cu", "CU", "atomic"}};
  return c_family::isWordOfCpp(word) || c_family::isVectorType(word) || all.contains(word);
}

} // namespace tangram::cuda

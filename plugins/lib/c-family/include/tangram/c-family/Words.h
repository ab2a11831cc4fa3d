// Words that C and its relatives keep for themselves: a backend says which of them its output has.
#pragma once

#include <set>
#include <string_view>
#include <vector>

namespace tangram::c_family {

/// Words, by themselves and by how they begin.
struct Words {
  std::set<std::string_view> words;
  std::vector<std::string_view> prefixes;      // omp_get_num_threads
  std::vector<std::string_view> camelPrefixes; // with a capital behind: clBuildProgram, but not clear
  bool contains(std::string_view word) const;
};

/// Keywords of C and C++ (all standards), alternative operators, types, macros, functions and objects of the headers
/// that generated code includes, and what the standards and Tangram's own headers keep.
bool isWordOfCpp(std::string_view word);

/// float4, uchar16, double4_16a, ...: vector types of OpenCL C and CUDA.
bool isVectorType(std::string_view word);

} // namespace tangram::c_family

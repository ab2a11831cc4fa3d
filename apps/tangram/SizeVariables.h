// `--sizes N=1K,64K`: names that stand for sizes in `--arg in=random:N`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tangram::driver {

/// Each point of the grid that `texts` ("N=1K,64K") span, in their order, the last name changing fastest. Throws where
/// a name is none, stands twice, is one of `parameters`, or is in no argument, and where there are too many points.
std::vector<std::map<std::string, std::uint64_t>> readSizes(const std::vector<std::string> &texts,
                                                            const std::vector<std::string> &arguments,
                                                            const std::vector<std::string> &parameters);

/// `NAME=SPEC` with numbers in the place of names: of sizes ("random:MxN"), of what indices point into, of a scalar.
std::string withSizes(const std::string &argument, const std::map<std::string, std::uint64_t> &values);

} // namespace tangram::driver

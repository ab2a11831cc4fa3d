// What a user of a GPU would call instead: CUB and cuBLAS, on data of their own on the device.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bench {

struct Peer {
  std::string name;
  std::function<double()> seconds; // of one run, by events
  std::function<std::vector<double>()> result;
};

std::vector<Peer> sumPeers(const std::vector<float> &in);
std::vector<Peer> sumPeers(const std::vector<int> &in);
std::vector<Peer> scanPeers(const std::vector<int> &in, bool inclusive);
/// y = A x, A row-major.
std::vector<Peer> gemvPeers(const std::vector<float> &a, std::size_t rows, std::size_t columns,
                            const std::vector<float> &x);
/// Bytes read and written a second, by copies within the device; the median.
double copyBandwidth();

} // namespace bench

// What a user of a GPU would call instead: CUB, cuBLAS, cuSPARSE, Rodinia's algorithms; on data of their own on the
// device. For nvcc, too.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

struct Peer {
  std::string name;
  std::function<double()> seconds; // of one run, by events
  std::function<std::vector<double>()> result;
};

/// Elements in memory of the host.
template <class T> struct View {
  const T *data;
  std::size_t size;
};

/// In compressed rows.
struct SparseView {
  View<unsigned> row, column;
  View<double> value;
};

std::vector<Peer> sumPeers(View<float> in);
std::vector<Peer> sumPeers(View<int> in);
std::vector<Peer> scanPeers(View<int> in, bool inclusive);
std::vector<Peer> dotPeers(View<float> a, View<float> b);
/// y = A x, A row-major.
std::vector<Peer> gemvPeers(View<float> a, std::size_t rows, std::size_t columns, View<float> x);
/// C = A B^T, all n x n and row-major.
std::vector<Peer> gemmPeers(View<double> a, View<double> b, std::size_t n);
std::vector<Peer> spmvPeers(const SparseView &a, View<double> x);
/// The nearest of the centers for each point; both have `features` a row.
std::vector<Peer> membershipPeers(View<float> points, View<float> centers, std::size_t features);
std::vector<Peer> bfsPeers(View<unsigned> row, View<unsigned> column, std::size_t source);
/// Bytes read and written a second, by copies within the device; the median.
double copyBandwidth();

} // namespace bench

// The library of segmented primitives, as codelets use it.
#include <tangram/segmented/reduce.tg.h>
#include <tangram/segmented/reverse.tg.h>
#include <tangram/segmented/scan.tg.h>
#include <tangram/segmented/sort.tg.h>

__spectrum int segmented(const Array<1, signed char> in, const Array<1, int> low, const Array<1, int> high, Array<1, int> sums,
                         Array<1, signed char> least, Array<1, signed char> most, Array<1, signed char> scans,
                         Array<1, signed char> back, Array<1, signed char> sorted)
    __requires(low.size() == high.size()) __requires(low.size() == sums.size()) __requires(low.size() == least.size())
    __requires(low.size() == most.size()) __requires(in.size() == scans.size()) __requires(in.size() == back.size())
    __requires(in.size() == sorted.size());
__codelet int segmented(const Array<1, signed char> in, const Array<1, int> low, const Array<1, int> high, Array<1, int> sums,
                        Array<1, signed char> least, Array<1, signed char> most, Array<1, signed char> scans,
                        Array<1, signed char> back, Array<1, signed char> sorted) {
  segments_sum(in, low, high, sums);
  segments_least(in, low, high, least);
  segments_most(in, low, high, most);
  segments_scan(in, low, high, scans);
  segments_reverse(in, low, high, back);
  segment_reverse(in, 0, (long long)in.size(), sorted);
  segment_reverse_inplace(sorted, 0, (long long)in.size());
  segment_sort(sorted, 0, (long long)in.size(), 1);
  return elements_sum(in) + elements_least(in) + elements_most(in);
}

__instance(segments_product<double, float, int>);
__instance(elements_product<float>);
__instance(segment_scan_inclusive<int>);
__instance(segment_sort_values<float, int>);

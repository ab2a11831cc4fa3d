// Structs wherever values are: in variables, temporaries, results, shared arrays, parameters.
#include <limits>
#include <tangram/tangram.h>

struct Candidate {
  float distance;
  unsigned index;
};

template <class T> struct Pair {
  T low, high;
};

struct Sample { // of fields of several sizes, with gaps between them
  unsigned char kind;
  Pair<float> range;
  double weight;
  short rank;
};

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr Candidate kNone{kFar, 0xffffffffu};
constexpr Pair<int> kSteps[] = {{1, 2}, {3, -4}, {5}};

Candidate better(Candidate a, Candidate b) {
  if (b.distance < a.distance) return b;
  if (b.distance == a.distance && b.index < a.index) return b;
  return a;
}

template <class T> Pair<T> joined(Pair<T> a, Pair<T> b) {
  if (b.low < a.low) a.low = b.low;
  a.high = a.high < b.high ? b.high : a.high;
  return a;
}

// ---- a container of structs, to one of them ----------------------------------------------------------------------

__spectrum Candidate best(const Array<1, Candidate> in);

__codelet __tag(serial) Candidate best(const Array<1, Candidate> in) {
  Candidate result = kNone;
  for (unsigned i = 0; i < in.size(); ++i)
    if (in[i].distance < result.distance || (in[i].distance == result.distance && in[i].index < result.index))
      result = in[i];
  return result;
}

__codelet __coop __tag(tree) Candidate best(const Array<1, Candidate> in) {
  __shared Candidate tmp[coopDim()];
  unsigned id = coopIdx();
  tmp[id] = id < in.size() ? in[id] : kNone;
  for (unsigned s = 1; s < coopDim(); s *= 2)
    if (id + s < coopDim() && id % (2 * s) == 0) tmp[id] = better(tmp[id], tmp[id + s]);
  return tmp[0];
}

__codelet __tag(tiled) Candidate best(const Array<1, Candidate> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return best(map(best, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

__codelet __tag(strided) Candidate best(const Array<1, Candidate> in) {
  __tunable unsigned p;
  unsigned len = in.size();
  return best(map(best, partition(in, p, sequence(0, 1, p), sequence(p), sequence(len))));
}

// ---- value and place of the least element, by a temporary of structs ---------------------------------------------

__spectrum Candidate candidate(float value, unsigned index);
__codelet __tag(plain) Candidate candidate(float value, unsigned index) { return {value, index}; }

/// `number` has the numbers of the elements.
__spectrum unsigned argleast(const Array<1, float> in, const Array<1, unsigned> number)
    __requires(in.size() == number.size());

__codelet __tag(serial) unsigned argleast(const Array<1, float> in, const Array<1, unsigned> number) {
  Candidate least = kNone;
  for (unsigned i = 0; i < in.size(); ++i) least = better(least, {in[i], number[i]});
  return least.index;
}

__codelet __tag(candidates) unsigned argleast(const Array<1, float> in, const Array<1, unsigned> number) {
  Array<1, Candidate> all = map(candidate, in, number);
  return best(all).index;
}

// ---- least and greatest in one pass -------------------------------------------------------------------------------

template <class T> __spectrum Pair<T> widest(const Array<1, Pair<T>> in);

template <class T> __codelet __tag(serial) Pair<T> widest(const Array<1, Pair<T>> in) {
  Pair<T> all{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  for (unsigned i = 0; i < in.size(); ++i) all = joined(all, in[i]);
  return all;
}

template <class T> __spectrum Pair<T> extremes(const Array<1, T> in);

template <class T> __codelet __tag(serial) Pair<T> extremes(const Array<1, T> in) {
  Pair<T> all{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  for (unsigned i = 0; i < in.size(); ++i) all = joined(all, Pair<T>{in[i], in[i]});
  return all;
}

template <class T> __codelet __coop __tag(tree) Pair<T> extremes(const Array<1, T> in) {
  __shared Pair<T> tmp[coopDim()];
  unsigned id = coopIdx();
  Pair<T> own{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  if (id < in.size()) own = {in[id], in[id]};
  tmp[id] = own;
  for (unsigned s = 1; s < coopDim(); s *= 2)
    if (id >= s) tmp[id] = joined(tmp[id], tmp[id - s]);
  return tmp[coopDim() - 1];
}

template <class T> __codelet __tag(tiled) Pair<T> extremes(const Array<1, T> in) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  return widest<T>(map(extremes<T>, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len))));
}

__instance(extremes<int>);
__instance(extremes<float>);

// ---- structs that are changed where they lie -----------------------------------------------------------------------

__spectrum Sample moved(Sample sample, Pair<int> by);

__codelet __tag(plain) Sample moved(Sample sample, Pair<int> by) {
  Sample result = sample;
  result.range = {sample.range.high, sample.range.low}; // the one's new value is not the other's old one
  result.range.low += by.low;
  result.range.high *= by.high;
  result.rank += kSteps[sample.kind % 3].low;
  result.weight = sample.kind % 2 ? sample.weight : -sample.weight;
  ++result.kind;
  return result;
}

__spectrum void move(Array<1, Sample> samples, Pair<int> by);

__codelet __tag(serial) void move(Array<1, Sample> samples, Pair<int> by) {
  for (unsigned i = 0; i < samples.size(); ++i) samples[i] = moved(samples[i], by);
}

__spectrum Sample itself(const Sample sample);
__codelet __tag(plain) Sample itself(const Sample sample) { return sample; }

__codelet __tag(copied) void move(Array<1, Sample> samples, Pair<int> by) {
  Array<1, Sample> before = map(itself, samples);
  samples = map(moved, before, by);
}

// ---- fields that many write at once --------------------------------------------------------------------------------

struct Bin {
  unsigned count;
  int least, greatest;
};

__spectrum void tally(const Array<1, int> in, Array<1, Bin> bins);

__codelet __tag(serial) void tally(const Array<1, int> in, Array<1, Bin> bins) {
  for (unsigned i = 0; i < in.size() && bins.size() > 0; ++i) {
    unsigned at = static_cast<unsigned>(in[i]) % bins.size();
    atomicAdd(bins[at].count, 1u);
    atomicMin(bins[at].least, in[i]);
    atomicMax(bins[at].greatest, in[i]);
  }
}

__codelet __tag(tiled) void tally(const Array<1, int> in, Array<1, Bin> bins) {
  __tunable unsigned p;
  unsigned len = in.size(), tile = (len + p - 1) / p;
  map(tally, partition(in, p, sequence(0, tile, len), sequence(1), sequence(tile, tile, len)), bins);
}

// ---- rows of structs -----------------------------------------------------------------------------------------------

__spectrum void nearest(const Array<2, Candidate> rows, Array<1, Candidate> out) __requires(rows.size(0) == out.size());

__codelet __tag(serial) void nearest(const Array<2, Candidate> rows, Array<1, Candidate> out) {
  for (unsigned i = 0; i < rows.size(0); ++i) {
    Candidate two[2] = {kNone, kNone}; // of even columns, of odd ones
    for (unsigned j = 0; j < rows.size(1); ++j) two[j % 2] = better(two[j % 2], rows[i][j]);
    out[i] = better(two[0], two[1]);
  }
}

__codelet __tag(mapped) void nearest(const Array<2, Candidate> rows, Array<1, Candidate> out) {
  out = map(best, rows);
}

// Names that mean something to OpenCL C, CUDA or the C library, in every place where a program can use one.
#include <tangram/tangram.h>

int barrier(int half) { return half; }
int max(int get_global_id, int gridDim) { return get_global_id > gridDim ? get_global_id : gridDim; }
int umin(int clock, int warpSize) { return clock < warpSize ? clock : warpSize; }

// Figure 4.3's codelets.
__spectrum int kernel(const Array<1, int> global);

__codelet __tag(warpSize) int kernel(const Array<1, int> global) {
  int constant = 0;
  unsigned uint4 = global.size();
  for (unsigned threadIdx = 0; threadIdx < uint4; ++threadIdx) {
    int get_local_id = global[threadIdx];
    constant += umin(max(barrier(get_local_id), get_local_id), get_local_id);
  }
  return constant;
}

__codelet __coop __tag(half) int kernel(const Array<1, int> global) {
  __shared int local[coopDim()];
  unsigned blockIdx = coopIdx();
  local[blockIdx] = blockIdx < global.size() ? barrier(global[blockIdx]) : 0;
  for (unsigned step = 1; step < coopDim(); step *= 2) {
    if (blockIdx >= step) local[blockIdx] += local[blockIdx - step];
  }
  return local[coopDim() - 1];
}

__codelet __tag(float4) int kernel(const Array<1, int> global) {
  __tunable unsigned blockDim;
  unsigned min = global.size(), cl_mem = (min + blockDim - 1) / blockDim;
  return kernel(map(kernel, partition(global, blockDim, sequence(0, cl_mem, min), sequence(1),
                                      sequence(cl_mem, cl_mem, min + 1))));
}

__spectrum float threadIdx(const Array<1, float> float4, float half);
__codelet float threadIdx(const Array<1, float> float4, float half) {
  float clamp = 0;
  for (unsigned atomicAdd = 0; atomicAdd < float4.size(); ++atomicAdd) clamp += float4[atomicAdd] * half;
  return clamp;
}

// Of the C library too.
__spectrum void index(const Array<1, int> restrict, Array<1, int> private_);
__codelet void index(const Array<1, int> restrict, Array<1, int> private_) {
  for (unsigned cudaMalloc = 0; cudaMalloc < private_.size() && cudaMalloc < restrict.size(); ++cudaMalloc)
    private_[cudaMalloc] = restrict[cudaMalloc] + 1;
}

__spectrum int min(const Array<1, int> work_group_barrier);
__codelet __tag(dim3) int min(const Array<1, int> work_group_barrier) {
  int select = 1000000;
  for (unsigned vload4 = 0; vload4 < work_group_barrier.size(); ++vload4)
    select = work_group_barrier[vload4] < select ? work_group_barrier[vload4] : select;
  return select;
}

// What entries call their own variables by; a parameter of its spectrum's name.
__spectrum void put(const Array<1, int> call, const Array<1, int> bytes, const Array<1, int> workspace,
                    Array<1, int> needed, Array<1, int> put, int status, int stream)
    __requires(call.size() == put.size()) __requires(bytes.size() == put.size())
    __requires(workspace.size() == put.size()) __requires(needed.size() == put.size());
__codelet void put(const Array<1, int> call, const Array<1, int> bytes, const Array<1, int> workspace,
                   Array<1, int> needed, Array<1, int> put, int status, int stream) {
  for (unsigned args = 0; args < put.size(); ++args) {
    needed[args] = call[args] + (status & 15);
    put[args] = bytes[args] + workspace[args] + (stream & 15);
  }
}

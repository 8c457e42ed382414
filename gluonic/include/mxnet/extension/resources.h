/* What the framework lends an operator or a pass: memory, random states, new parameters. */
#ifndef MXNET_EXTENSION_RESOURCES_H_
#define MXNET_EXTENSION_RESOURCES_H_

#include <stdint.h>

#include <new>
#include <random>
#include <string>
#include <vector>

#include "tensor.h"

#if defined(__NVCC__)
#include <cuda_runtime.h>
#include <curand_kernel.h>
#endif

#define MX_NUM_CPU_RANDOM_STATES 1024
#define MX_NUM_GPU_RANDOM_STATES 32768

namespace mxnet {
namespace ext {

typedef void* (*xpu_malloc_t)(void*, int);
typedef void (*sparse_malloc_t)(void*, int, int, int, void**, int64_t**, int64_t**);
typedef void (*nd_malloc_t)(const void*, const int64_t*, int, const char*, int, int, const char*,
                            int, void**);

#if defined(__NVCC__)
typedef cudaStream_t mx_stream_t;
typedef curandStatePhilox4_32_10_t mx_gpu_rand_t;
#else
typedef void* mx_stream_t;
typedef void* mx_gpu_rand_t;
#endif
typedef std::mt19937 mx_cpu_rand_t;

/* For operators. */
class OpResource {
 public:
  OpResource(xpu_malloc_t cpu_malloc, void* cpu_alloc, xpu_malloc_t gpu_malloc, void* gpu_alloc,
             void* stream, sparse_malloc_t sparse_malloc, void* sparse_alloc, void* cpu_states,
             void* gpu_states)
      : cpu_malloc_(cpu_malloc), cpu_alloc_(cpu_alloc), gpu_malloc_(gpu_malloc),
        gpu_alloc_(gpu_alloc), stream_(stream), sparse_malloc_(sparse_malloc),
        sparse_alloc_(sparse_alloc), cpu_states_(cpu_states), gpu_states_(gpu_states) {}

  /* Workspace of so many bytes, valid until the operator returns. */
  void* alloc_cpu(int size) const { return granted(cpu_malloc_, cpu_alloc_, size); }
  void* alloc_gpu(int size) const { return granted(gpu_malloc_, gpu_alloc_, size); }
  void* alloc(int size) const { return alloc_cpu(size); }

  /* Make room for a sparse output; without an indptr it is row_sparse. */
  void alloc_sparse(MXSparse* sparse, int index, int indices_len, int indptr_len = 0) const {
    sparse_malloc_(sparse_alloc_, index, indices_len, indptr_len, &sparse->data, &sparse->indices,
                   &sparse->indptr);
  }

  mx_stream_t get_cuda_stream() const { return static_cast<mx_stream_t>(stream_); }

  /* MX_NUM_CPU_RANDOM_STATES generators, seeded by mx.random.seed; they go on from call to call. */
  mx_cpu_rand_t* get_cpu_rand_states() const { return static_cast<mx_cpu_rand_t*>(cpu_states_); }
  mx_gpu_rand_t* get_gpu_rand_states() const { return static_cast<mx_gpu_rand_t*>(gpu_states_); }

 private:
  static void* granted(xpu_malloc_t allocate, void* self, int size) {
    void* memory = allocate == nullptr ? nullptr : allocate(self, size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }

  xpu_malloc_t cpu_malloc_;
  void* cpu_alloc_;
  xpu_malloc_t gpu_malloc_;
  void* gpu_alloc_;
  void* stream_;
  sparse_malloc_t sparse_malloc_;
  void* sparse_alloc_;
  void* cpu_states_;
  void* gpu_states_;
};

/* For graph passes: new parameters, which the framework keeps. */
class PassResource {
 public:
  PassResource(NamedTensors* new_args, NamedTensors* new_aux, nd_malloc_t nd_malloc,
               const void* nd_alloc)
      : args_(new_args), aux_(new_aux), nd_malloc_(nd_malloc), nd_alloc_(nd_alloc) {}

  MXTensor* alloc_arg(const std::string& name, const std::vector<int64_t>& shape,
                      const MXContext& context, MXDType dtype) const {
    return allocate(args_, 1, name, shape, context, dtype);
  }

  MXTensor* alloc_aux(const std::string& name, const std::vector<int64_t>& shape,
                      const MXContext& context, MXDType dtype) const {
    return allocate(aux_, 0, name, shape, context, dtype);
  }

 private:
  MXTensor* allocate(NamedTensors* made, int is_arg, const std::string& name,
                     const std::vector<int64_t>& shape, const MXContext& context,
                     MXDType dtype) const {
    void* data = nullptr;
    nd_malloc_(nd_alloc_, shape.data(), static_cast<int>(shape.size()), context.dev_type.c_str(),
               context.dev_id, static_cast<int>(dtype), name.c_str(), is_arg, &data);
    if (data == nullptr) throw std::bad_alloc();
    MXTensor& tensor = (*made)[name];
    tensor = MXTensor(data, shape, dtype, 0, context);
    return &tensor;
  }

  NamedTensors* args_;
  NamedTensors* aux_;
  nd_malloc_t nd_malloc_;
  const void* nd_alloc_;
};

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_RESOURCES_H_

/* The C functions that concern the library and its operators; part of abi.h. */
#ifndef MXNET_EXTENSION_ABI_OPERATORS_H_
#define MXNET_EXTENSION_ABI_OPERATORS_H_

MX_EXT_API int _opVersion() { return MX_LIBRARY_VERSION; }

MX_EXT_API int _msgSize() { return mxnet::ext::MXerrorMsgs::get()->size(); }

MX_EXT_API void _msgGet(int index, const char** message) {
  *message = mxnet::ext::MXerrorMsgs::get()->get(index)->c_str();
}

MX_EXT_API int _opRegSize() { return mxnet::ext::Registry<mxnet::ext::CustomOp>::get()->size(); }

MX_EXT_API void _opRegGet(int index, const char** name, int* is_subgraph_op,
                          const char*** forward_contexts, void*** forward, int* forward_count,
                          const char*** backward_contexts, void*** backward, int* backward_count,
                          const char*** create_contexts, void*** create, int* create_count,
                          void** parse_attrs, void** infer_type, void** infer_storage_type,
                          void** infer_shape, void** mutate_inputs) {
  using mxnet::ext::abi::handle;
  mxnet::ext::CustomOp& op = mxnet::ext::Registry<mxnet::ext::CustomOp>::get()->get(index);
  *name = op.name;
  *is_subgraph_op = op.isSGop;
  op.forward.expose(forward_contexts, forward, forward_count);
  op.backward.expose(backward_contexts, backward, backward_count);
  op.create_state.expose(create_contexts, create, create_count);
  *parse_attrs = handle(op.parse_attrs);
  *infer_type = handle(op.infer_type);
  *infer_storage_type = handle(op.infer_storage_type);
  *infer_shape = handle(op.infer_shape);
  *mutate_inputs = handle(op.mutate_inputs);
}

MX_EXT_API void _opCallFree(void* memory) { free(memory); }

MX_EXT_API int _opCallParseAttrs(const void* function, const char* const* keys,
                                 const char* const* values, int count, int* num_in, int* num_out) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes given = abi::attributes(keys, values, count);
    return abi::as<adapt::ParseAttrs::Function>(function)(&given, num_in, num_out);
  });
}

MX_EXT_API int _opCallInferShape(const void* function, const char* const* keys,
                                 const char* const* values, int count, unsigned int** in_shapes,
                                 int* in_ranks, int num_in, unsigned int*** new_in_shapes,
                                 int** new_in_ranks, unsigned int*** out_shapes, int** out_ranks,
                                 int num_out) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes given = abi::attributes(keys, values, count);
    Shapes in = abi::import_shapes(in_shapes, in_ranks, num_in), out(num_out);
    if (!abi::as<adapt::InferShape::Function>(function)(&given, &in, &out)) return MX_FAIL;
    if (in.size() != static_cast<size_t>(num_in) || out.size() != static_cast<size_t>(num_out)) {
      abi::fail("inferShape changed the number of shapes");
      return MX_FAIL;
    }
    abi::export_shapes(in, new_in_shapes, new_in_ranks);
    abi::export_shapes(out, out_shapes, out_ranks);
    return MX_SUCCESS;
  });
}

namespace mxnet {
namespace ext {
namespace abi {

/* inferType and inferSType: lists of numbers, changed in place. */
inline int infer_numbers(const void* function, Strings keys, Strings values, int count, int* in,
                         int num_in, int* out, int num_out) {
  return guarded([=] {
    const Attributes given = attributes(keys, values, count);
    std::vector<int> in_list(in, in + num_in), out_list(num_out, -1);
    if (!as<adapt::InferType::Function>(function)(&given, &in_list, &out_list)) return MX_FAIL;
    if (in_list.size() != static_cast<size_t>(num_in) ||
        out_list.size() != static_cast<size_t>(num_out)) {
      fail("the function changed the number of types");
      return MX_FAIL;
    }
    std::copy(in_list.begin(), in_list.end(), in);
    std::copy(out_list.begin(), out_list.end(), out);
    return MX_SUCCESS;
  });
}

}  // namespace abi
}  // namespace ext
}  // namespace mxnet

MX_EXT_API int _opCallInferType(const void* function, const char* const* keys,
                                const char* const* values, int count, int* in, int num_in, int* out,
                                int num_out) {
  return mxnet::ext::abi::infer_numbers(function, keys, values, count, in, num_in, out, num_out);
}

MX_EXT_API int _opCallInferSType(const void* function, const char* const* keys,
                                 const char* const* values, int count, int* in, int num_in,
                                 int* out, int num_out) {
  return mxnet::ext::abi::infer_numbers(function, keys, values, count, in, num_in, out, num_out);
}

MX_EXT_API int _opCallFCompute(
    const void* function, const char* const* keys, const char* const* values, int count,
    const int64_t** in_shapes, int* in_ranks, void** in_data, int* in_dtypes, size_t* in_versions,
    const char** in_devices, int* in_device_ids, int num_in, const int64_t** out_shapes,
    int* out_ranks, void** out_data, int* out_dtypes, size_t* out_versions,
    const char** out_devices, int* out_device_ids, int num_out,
    mxnet::ext::xpu_malloc_t cpu_malloc, void* cpu_alloc, mxnet::ext::xpu_malloc_t gpu_malloc,
    void* gpu_alloc, void* stream, mxnet::ext::sparse_malloc_t sparse_malloc, void* sparse_alloc,
    int* in_storage, int* out_storage, void** in_indices, void** out_indices, void** in_indptr,
    void** out_indptr, int64_t* in_index_counts, int64_t* out_index_counts,
    int64_t* in_indptr_counts, int64_t* out_indptr_counts, void* cpu_states, void* gpu_states) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes given = abi::attributes(keys, values, count);
    abi::TensorGroup in(in_shapes, in_ranks, in_data, in_dtypes, in_versions, in_devices,
                        in_device_ids, num_in, in_storage, in_indices, in_indptr, in_index_counts,
                        in_indptr_counts);
    abi::TensorGroup out(out_shapes, out_ranks, out_data, out_dtypes, out_versions, out_devices,
                         out_device_ids, num_out, out_storage, out_indices, out_indptr,
                         out_index_counts, out_indptr_counts);
    const OpResource resource(cpu_malloc, cpu_alloc, gpu_malloc, gpu_alloc, stream, sparse_malloc,
                              sparse_alloc, cpu_states, gpu_states);
    return abi::as<adapt::Compute::Function>(function)(&given, &in.tensors, &out.tensors,
                                                       &resource);
  });
}

MX_EXT_API int _opCallMutateInputs(const void* function, const char* const* keys,
                                   const char* const* values, int count, int** indices,
                                   int* num_indices) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes given = abi::attributes(keys, values, count);
    std::vector<int> mutated;
    if (!abi::as<adapt::MutateInputs::Function>(function)(&given, &mutated)) return MX_FAIL;
    *indices = abi::allocate<int>(mutated.size());
    std::copy(mutated.begin(), mutated.end(), *indices);
    *num_indices = static_cast<int>(mutated.size());
    return MX_SUCCESS;
  });
}

MX_EXT_API int _opCallCreateOpState(const void* function, const char* const* keys,
                                    const char* const* values, int count, const char* device,
                                    int device_id, unsigned int** in_shapes, int* in_ranks,
                                    int num_in, const int* in_dtypes, void** state) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes given = abi::attributes(keys, values, count);
    const MXContext context(device, device_id);
    const Shapes shapes = abi::import_shapes(in_shapes, in_ranks, num_in);
    const std::vector<int> dtypes(in_dtypes, in_dtypes + num_in);
    CustomStatefulOp* made = nullptr;
    const MXReturnValue result =
        abi::as<adapt::CreateState::Function>(function)(&given, &context, &shapes, &dtypes, &made);
    *state = made;
    return result;
  });
}

MX_EXT_API void _opCallDestroyOpState(void* state) {
  delete static_cast<mxnet::ext::CustomStatefulOp*>(state);
}

MX_EXT_API int _opCallFStatefulCompute(
    int is_forward, void* state, const int64_t** in_shapes, int* in_ranks, void** in_data,
    int* in_dtypes, size_t* in_versions, const char** in_devices, int* in_device_ids, int num_in,
    const int64_t** out_shapes, int* out_ranks, void** out_data, int* out_dtypes,
    size_t* out_versions, const char** out_devices, int* out_device_ids, int num_out,
    mxnet::ext::xpu_malloc_t cpu_malloc, void* cpu_alloc, mxnet::ext::xpu_malloc_t gpu_malloc,
    void* gpu_alloc, void* stream, mxnet::ext::sparse_malloc_t sparse_malloc, void* sparse_alloc,
    int* in_storage, int* out_storage, void** in_indices, void** out_indices, void** in_indptr,
    void** out_indptr, int64_t* in_index_counts, int64_t* out_index_counts,
    int64_t* in_indptr_counts, int64_t* out_indptr_counts, void* cpu_states, void* gpu_states) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    abi::TensorGroup in(in_shapes, in_ranks, in_data, in_dtypes, in_versions, in_devices,
                        in_device_ids, num_in, in_storage, in_indices, in_indptr, in_index_counts,
                        in_indptr_counts);
    abi::TensorGroup out(out_shapes, out_ranks, out_data, out_dtypes, out_versions, out_devices,
                         out_device_ids, num_out, out_storage, out_indices, out_indptr,
                         out_index_counts, out_indptr_counts);
    const OpResource resource(cpu_malloc, cpu_alloc, gpu_malloc, gpu_alloc, stream, sparse_malloc,
                              sparse_alloc, cpu_states, gpu_states);
    CustomStatefulOp* op = static_cast<CustomStatefulOp*>(state);
    return is_forward ? op->Forward(&in.tensors, &out.tensors, resource)
                      : op->Backward(&in.tensors, &out.tensors, resource);
  });
}

#endif  // MXNET_EXTENSION_ABI_OPERATORS_H_

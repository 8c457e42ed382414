/* The C functions that concern partitioners and passes; part of abi.h. */
#ifndef MXNET_EXTENSION_ABI_PARTITION_H_
#define MXNET_EXTENSION_ABI_PARTITION_H_

MX_EXT_API int _partRegSize() {
  return mxnet::ext::Registry<mxnet::ext::CustomPartitioner>::get()->size();
}

MX_EXT_API int _partRegGetCount(int index, const char** name) {
  using namespace mxnet::ext;
  const CustomPartitioner& partitioner = Registry<CustomPartitioner>::get()->get(index);
  *name = partitioner.name;
  return static_cast<int>(partitioner.strategies.size());
}

MX_EXT_API void _partRegGet(int index, int strategy_index, const char** strategy,
                            void** supported_ops, void** create_selector, void** review_subgraph,
                            const char** op_name) {
  using namespace mxnet::ext;
  CustomPartitioner::Strategy& found =
      *Registry<CustomPartitioner>::get()->get(index).strategies.at(strategy_index);
  *strategy = found.name.c_str();
  *op_name = found.op_name.c_str();
  *supported_ops = abi::handle(found.supported_ops);
  *create_selector = abi::handle(found.create_selector);
  *review_subgraph = abi::handle(found.review_subgraph);
}

MX_EXT_API int _partCallSupportedOps(const void* function, const char* json, int num_ids, int* ids,
                                     const char* const* keys, const char* const* values,
                                     int count) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes options = abi::attributes(keys, values, count);
    adapt::GraphSource source(json);
    std::vector<int> chosen(ids, ids + num_ids);
    if (!abi::as<adapt::SupportedOps::Function>(function)(&source, &chosen, &options)) {
      return MX_FAIL;
    }
    if (chosen.size() != static_cast<size_t>(num_ids)) {
      abi::fail("supportedOps changed the number of nodes");
      return MX_FAIL;
    }
    std::copy(chosen.begin(), chosen.end(), ids);
    return MX_SUCCESS;
  });
}

MX_EXT_API int _partCallCreateSelector(const void* function, const char* json, void** selector,
                                       const char* const* keys, const char* const* values,
                                       int count) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes options = abi::attributes(keys, values, count);
    std::unique_ptr<abi::SelectorInstance> instance(new abi::SelectorInstance(json));
    CustomOpSelector* made = nullptr;
    const MXReturnValue result = abi::as<adapt::CreateSelector::Function>(function)(
        &instance->source, &made, &options);
    instance->selector.reset(made);
    if (result == MX_SUCCESS && made == nullptr) {
      abi::fail("createSelector made no selector");
      return MX_FAIL;
    }
    *selector = instance.release();
    return result;
  });
}

MX_EXT_API void _partCallSelect(void* instance, int node, int* selected) {
  *selected = mxnet::ext::abi::selector(instance).Select(node);
}

MX_EXT_API void _partCallSelectInput(void* instance, int node, int input, int* selected) {
  *selected = mxnet::ext::abi::selector(instance).SelectInput(node, input);
}

MX_EXT_API void _partCallSelectOutput(void* instance, int node, int output, int* selected) {
  *selected = mxnet::ext::abi::selector(instance).SelectOutput(node, output);
}

MX_EXT_API void _partCallFilter(void* instance, int* candidates, int num_candidates, int** keep,
                                int* num_keep) {
  std::vector<int> kept;
  mxnet::ext::abi::selector(instance).Filter(
      std::vector<int>(candidates, candidates + num_candidates), &kept);
  *keep = mxnet::ext::abi::allocate<int>(kept.size());
  std::copy(kept.begin(), kept.end(), *keep);
  *num_keep = static_cast<int>(kept.size());
}

MX_EXT_API void _partCallReset(void* instance) { mxnet::ext::abi::selector(instance).Reset(); }

MX_EXT_API int _partCallReviewSubgraph(
    const void* function, const char* json, int subgraph_id, int* accept, const char* const* keys,
    const char* const* values, int count, char*** attr_keys, char*** attr_values, int* num_attrs,
    const char* const* arg_names, int num_args, void* const* arg_data,
    const int64_t* const* arg_shapes, const int* arg_ranks, const int* arg_dtypes,
    const size_t* arg_versions, const char* const* arg_devices, const int* arg_device_ids,
    const char* const* aux_names, int num_aux, void* const* aux_data,
    const int64_t* const* aux_shapes, const int* aux_ranks, const int* aux_dtypes,
    const size_t* aux_versions, const char* const* aux_devices, const int* aux_device_ids) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes options = abi::attributes(keys, values, count);
    NamedTensors args = abi::named_tensors(arg_names, num_args, arg_data, arg_shapes, arg_ranks,
                                           arg_dtypes, arg_versions, arg_devices, arg_device_ids);
    NamedTensors aux = abi::named_tensors(aux_names, num_aux, aux_data, aux_shapes, aux_ranks,
                                          aux_dtypes, aux_versions, aux_devices, aux_device_ids);
    adapt::GraphSource source(json);
    source.graph()->_setParams(&args, &aux);
    bool accepted = true;
    Attributes made;
    if (!abi::as<adapt::ReviewSubgraph::Function>(function)(&source, &subgraph_id, &accepted,
                                                            &options, &made, &args, &aux)) {
      return MX_FAIL;
    }
    *accept = accepted;
    *num_attrs = static_cast<int>(made.size());
    *attr_keys = abi::allocate<char*>(made.size());
    *attr_values = abi::allocate<char*>(made.size());
    int i = 0;
    for (const auto& item : made) {
      (*attr_keys)[i] = abi::copy(item.first);
      (*attr_values)[i++] = abi::copy(item.second);
    }
    return MX_SUCCESS;
  });
}

MX_EXT_API int _passRegSize() {
  return mxnet::ext::Registry<mxnet::ext::CustomPass>::get()->size();
}

MX_EXT_API void _passRegGet(int index, void** pass, const char** name) {
  using namespace mxnet::ext;
  CustomPass& found = Registry<CustomPass>::get()->get(index);
  *pass = abi::handle(found.pass);
  *name = found.name;
}

MX_EXT_API int _passCallGraphPass(
    const void* function, const char* json, char** new_json, const char* const* keys,
    const char* const* values, int count, const char* /* pass_name */,
    const char* const* arg_names, int num_args, void* const* arg_data,
    const int64_t* const* arg_shapes, const int* arg_ranks, const int* arg_dtypes,
    const size_t* arg_versions, const char* const* arg_devices, const int* arg_device_ids,
    const char* const* aux_names, int num_aux, void* const* aux_data,
    const int64_t* const* aux_shapes, const int* aux_ranks, const int* aux_dtypes,
    const size_t* aux_versions, const char* const* aux_devices, const int* aux_device_ids,
    mxnet::ext::nd_malloc_t nd_malloc, const void* nd_alloc) {
  using namespace mxnet::ext;
  return abi::guarded([=] {
    const Attributes options = abi::attributes(keys, values, count);
    const NamedTensors args =
        abi::named_tensors(arg_names, num_args, arg_data, arg_shapes, arg_ranks, arg_dtypes,
                           arg_versions, arg_devices, arg_device_ids);
    const NamedTensors aux =
        abi::named_tensors(aux_names, num_aux, aux_data, aux_shapes, aux_ranks, aux_dtypes,
                           aux_versions, aux_devices, aux_device_ids);
    NamedTensors new_args, new_aux;
    const PassResource resource(&new_args, &new_aux, nd_malloc, nd_alloc);
    const std::string text(json);
    const std::string* result = nullptr;
    if (!abi::as<adapt::TextPass::Function>(function)(&text, &result, &options, &args, &aux,
                                                      &resource)) {
      return MX_FAIL;
    }
    const std::unique_ptr<const std::string> made(result);
    if (!made) {
      abi::fail("the pass made no graph");
      return MX_FAIL;
    }
    *new_json = abi::copy(*made);
    return MX_SUCCESS;
  });
}

#endif  // MXNET_EXTENSION_ABI_PARTITION_H_

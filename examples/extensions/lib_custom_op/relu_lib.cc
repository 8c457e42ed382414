// Two activations: my_relu for float32 and float64, my_noisy_relu with noise from the lent random states.

#include <algorithm>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

MXReturnValue parseAttrs(const Attributes&, int* num_in, int* num_out) {
  *num_in = 1;
  *num_out = 1;
  return MX_SUCCESS;
}

MXReturnValue inferType(const Attributes&, std::vector<int>* in, std::vector<int>* out) {
  if (in->at(0) != kFloat32 && in->at(0) != kFloat64) {
    MX_ERROR_MSG << "relu takes float32 and float64";
    return MX_FAIL;
  }
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}

MXReturnValue inferShape(const Attributes&, Shapes* in, Shapes* out) {
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}

// y = max(x, 0)
template <typename T>
void relu(const T* x, T* y, int64_t size) {
  for (int64_t i = 0; i < size; ++i) y[i] = std::max(x[i], T(0));
}

// dx = dy where x > 0
template <typename T>
void relu_gradient(const T* dy, const T* x, T* dx, int64_t size) {
  for (int64_t i = 0; i < size; ++i) dx[i] = x[i] > 0 ? dy[i] : T(0);
}

MXReturnValue forward(const Attributes&, Tensors* inputs, Tensors* outputs, const OpResource&) {
  MXTensor &x = inputs->at(0), &y = outputs->at(0);
  if (x.dtype == kFloat32) {
    relu(x.data<float>(), y.data<float>(), x.size());
  } else {
    relu(x.data<double>(), y.data<double>(), x.size());
  }
  return MX_SUCCESS;
}

// inputs: the gradient of y, then x, y
MXReturnValue backward(const Attributes&, Tensors* inputs, Tensors* outputs, const OpResource&) {
  MXTensor &dy = inputs->at(0), &x = inputs->at(1), &dx = outputs->at(0);
  if (x.dtype == kFloat32) {
    relu_gradient(dy.data<float>(), x.data<float>(), dx.data<float>(), x.size());
  } else {
    relu_gradient(dy.data<double>(), x.data<double>(), dx.data<double>(), x.size());
  }
  return MX_SUCCESS;
}

REGISTER_OP(my_relu)
    .setForward(forward, "cpu")
    .setBackward(backward, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape);

// y = max(x + noise, 0) with noise uniform in [0, sigma); mx.random.seed fixes it
MXReturnValue noisyForward(const Attributes& attrs, Tensors* inputs, Tensors* outputs,
                           const OpResource& resource) {
  const auto given = attrs.find("sigma");
  const float sigma = given == attrs.end() ? 1.0f : std::stof(given->second);
  MXTensor &x = inputs->at(0), &y = outputs->at(0);
  if (x.dtype != kFloat32) {
    MX_ERROR_MSG << "my_noisy_relu takes float32 only";
    return MX_FAIL;
  }
  mx_cpu_rand_t& random = resource.get_cpu_rand_states()[0];
  float* noisy = static_cast<float*>(resource.alloc_cpu(static_cast<int>(x.size() * sizeof(float))));
  for (int64_t i = 0; i < x.size(); ++i) {
    noisy[i] = x.data<float>()[i] + sigma * static_cast<float>(random() >> 8) / (1 << 24);
  }
  relu(noisy, y.data<float>(), x.size());
  return MX_SUCCESS;
}

REGISTER_OP(my_noisy_relu)
    .setForward(noisyForward, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape);

MXReturnValue initialize(int version) { return version >= 10700 ? MX_SUCCESS : MX_FAIL; }

// Two operators: my_gemm multiplies matrices, state_gemm does so too and counts its calls.

#include <iostream>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

// C (rows x columns) = A (rows x inner) times B (inner x columns), where A and B are read with strides:
// a transposed matrix is the same memory with its two strides exchanged.
struct Matrix {
  const float* data;
  int64_t row_stride, column_stride;

  float at(int64_t i, int64_t j) const { return data[i * row_stride + j * column_stride]; }
};

static void multiply(const Matrix& a, const Matrix& b, float* c, int64_t rows, int64_t inner,
                     int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum += a.at(i, k) * b.at(k, j);
      c[i * columns + j] = sum;
    }
  }
}

static Matrix matrix(MXTensor& tensor) { return {tensor.data<float>(), tensor.shape[1], 1}; }
static Matrix transposed(MXTensor& tensor) { return {tensor.data<float>(), 1, tensor.shape[1]}; }

// inputs: A, B; outputs: C
MXReturnValue forward(const Attributes&, Tensors* inputs, Tensors* outputs, const OpResource&) {
  MXTensor &a = inputs->at(0), &b = inputs->at(1);
  multiply(matrix(a), matrix(b), outputs->at(0).data<float>(), a.shape[0], a.shape[1], b.shape[1]);
  return MX_SUCCESS;
}

// inputs: the gradient of C, then A, B, C; outputs: the gradients of A and B
MXReturnValue backward(const Attributes&, Tensors* inputs, Tensors* outputs, const OpResource&) {
  MXTensor &dc = inputs->at(0), &a = inputs->at(1), &b = inputs->at(2);
  const int64_t rows = a.shape[0], inner = a.shape[1], columns = b.shape[1];
  multiply(matrix(dc), transposed(b), outputs->at(0).data<float>(), rows, columns, inner);
  multiply(transposed(a), matrix(dc), outputs->at(1).data<float>(), inner, rows, columns);
  return MX_SUCCESS;
}

MXReturnValue parseAttrs(const Attributes&, int* num_in, int* num_out) {
  *num_in = 2;
  *num_out = 1;
  return MX_SUCCESS;
}

MXReturnValue inferType(const Attributes&, std::vector<int>* in, std::vector<int>* out) {
  for (int type : *in) {
    if (type != kFloat32) {
      MX_ERROR_MSG << "gemm multiplies float32 only";
      return MX_FAIL;
    }
  }
  out->at(0) = kFloat32;
  return MX_SUCCESS;
}

MXReturnValue inferShape(const Attributes&, Shapes* in, Shapes* out) {
  const std::vector<unsigned int> &a = in->at(0), &b = in->at(1);
  if (a.size() != 2 || b.size() != 2) {
    MX_ERROR_MSG << "gemm multiplies matrices, not " << a.size() << "-d by " << b.size() << "-d";
    return MX_FAIL;
  }
  if (a[1] != b[0]) {
    MX_ERROR_MSG << "the first matrix has " << a[1] << " columns, the second " << b[0] << " rows";
    return MX_FAIL;
  }
  out->at(0) = {a[0], b[1]};
  return MX_SUCCESS;
}

REGISTER_OP(my_gemm)
    .setForward(forward, "cpu")
    .setBackward(backward, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape);

// A stateful operator is an object: made once, then asked for forward and backward.
class CountingGemm : public CustomStatefulOp {
 public:
  explicit CountingGemm(int begin) : calls_(begin) {}

  MXReturnValue Forward(Tensors* inputs, Tensors* outputs, const OpResource& resource) override {
    std::cout << "Info: keyword + number of forward: " << ++calls_ << std::endl;
    return forward(Attributes(), inputs, outputs, resource);
  }

  MXReturnValue Backward(Tensors* inputs, Tensors* outputs, const OpResource& resource) override {
    return backward(Attributes(), inputs, outputs, resource);
  }

 private:
  int calls_;
};

MXReturnValue createOpState(const Attributes& attrs, const MXContext&, const Shapes&,
                            const std::vector<int>&, CustomStatefulOp** state) {
  const auto begin = attrs.find("test_kw");
  *state = CustomStatefulOp::create<CountingGemm>(begin == attrs.end() ? 0 : std::stoi(begin->second));
  return MX_SUCCESS;
}

REGISTER_OP(state_gemm)
    .setCreateOpState(createOpState, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape);

MXReturnValue initialize(int version) {
  if (version >= 10700) return MX_SUCCESS;
  MX_ERROR_MSG << "MXNet version " << version << " is too old for this library";
  return MX_FAIL;
}

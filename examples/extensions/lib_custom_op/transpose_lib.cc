// Transposes sparse matrices: my_transposecsr, my_transposerowsp, and both with a count of their calls.
// A sparse tensor's data are an MXSparse, and room for a sparse output is asked for where its size is known.

#include <iostream>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

static void transposeCsr(MXTensor& source, MXTensor& target, const OpResource& resource) {
  const MXSparse& a = *source.data<MXSparse>();
  MXSparse& b = *target.data<MXSparse>();
  const int64_t rows = source.shape[0], columns = source.shape[1];
  const float* elements = static_cast<const float*>(a.data);
  resource.alloc_sparse(&b, 0, a.data_len, columns + 1);
  float* moved = static_cast<float*>(b.data);
  std::vector<int64_t> next(columns + 1, 0);  // where the next element of each column goes
  for (int64_t k = 0; k < a.data_len; ++k) ++next[a.indices[k] + 1];
  for (int64_t column = 0; column < columns; ++column) next[column + 1] += next[column];
  std::copy(next.begin(), next.end(), b.indptr);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t k = a.indptr[row]; k < a.indptr[row + 1]; ++k) {
      const int64_t place = next[a.indices[k]]++;
      b.indices[place] = row;
      moved[place] = elements[k];
    }
  }
}

static void transposeRows(MXTensor& source, MXTensor& target, const OpResource& resource) {
  const MXSparse& a = *source.data<MXSparse>();
  MXSparse& b = *target.data<MXSparse>();
  const int64_t rows = source.shape[0], columns = source.shape[1];
  const float* elements = static_cast<const float*>(a.data);
  std::vector<int64_t> kept;  // the columns that have an element
  for (int64_t column = 0; column < columns; ++column) {
    for (int64_t k = 0; k < a.indices_len; ++k) {
      if (elements[k * columns + column] != 0) {
        kept.push_back(column);
        break;
      }
    }
  }
  resource.alloc_sparse(&b, 0, kept.size());
  float* moved = static_cast<float*>(b.data);
  std::fill(moved, moved + kept.size() * rows, 0.f);
  for (size_t i = 0; i < kept.size(); ++i) {
    b.indices[i] = kept[i];
    for (int64_t k = 0; k < a.indices_len; ++k) {
      moved[i * rows + a.indices[k]] = elements[k * columns + kept[i]];
    }
  }
}

static MXReturnValue forward(const std::unordered_map<std::string, std::string>&,
                             std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                             const OpResource& resource) {
  MXTensor &source = inputs->at(0), &target = outputs->at(0);
  if (source.stype == kCSRStorage) {
    transposeCsr(source, target, resource);
  } else {
    transposeRows(source, target, resource);
  }
  return MX_SUCCESS;
}

static MXReturnValue parseAttrs(const std::unordered_map<std::string, std::string>&, int* num_in,
                                int* num_out) {
  *num_in = *num_out = 1;
  return MX_SUCCESS;
}

static MXReturnValue inferType(const std::unordered_map<std::string, std::string>&,
                               std::vector<int>* in, std::vector<int>* out) {
  if (in->at(0) != kFloat32) {
    MX_ERROR_MSG << "only float32 is transposed";
    return MX_FAIL;
  }
  out->at(0) = kFloat32;
  return MX_SUCCESS;
}

static MXReturnValue inferShape(const std::unordered_map<std::string, std::string>&,
                                std::vector<std::vector<unsigned int>>* in,
                                std::vector<std::vector<unsigned int>>* out) {
  if (in->at(0).size() != 2) {
    MX_ERROR_MSG << "only matrices are transposed";
    return MX_FAIL;
  }
  out->at(0) = {in->at(0)[1], in->at(0)[0]};
  return MX_SUCCESS;
}

// The storage type of the output follows from that of the input; others than `wanted` are refused.
template <int wanted>
static MXReturnValue inferSType(const std::unordered_map<std::string, std::string>&,
                                std::vector<int>* in, std::vector<int>* out) {
  if (in->at(0) != wanted) {
    MX_ERROR_MSG << "storage type " << in->at(0) << " is given where " << wanted << " is needed";
    return MX_FAIL;
  }
  out->at(0) = wanted;
  return MX_SUCCESS;
}

class CountingTranspose : public CustomStatefulOp {
 public:
  explicit CountingTranspose(int begin) : calls_(begin) {}

  MXReturnValue Forward(std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                        const OpResource& resource) override {
    std::cout << "Info: keyword + number of forward: " << ++calls_ << std::endl;
    return forward({}, inputs, outputs, resource);
  }

 private:
  int calls_;
};

static MXReturnValue createOpState(const std::unordered_map<std::string, std::string>& attrs,
                                   const MXContext&, const std::vector<std::vector<unsigned int>>&,
                                   const std::vector<int>, CustomStatefulOp** state) {
  const auto begin = attrs.find("test_kw");
  const int calls = begin == attrs.end() ? 0 : std::stoi(begin->second);
  *state = CustomStatefulOp::create<CountingTranspose>(calls);
  return MX_SUCCESS;
}

REGISTER_OP(my_transposecsr)
    .setForward(forward, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferSType(inferSType<kCSRStorage>)
    .setInferShape(inferShape);

REGISTER_OP(my_transposerowsp)
    .setForward(forward, "cpu")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferSType(inferSType<kRowSparseStorage>)
    .setInferShape(inferShape);

REGISTER_OP(my_state_transposecsr)
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferSType(inferSType<kCSRStorage>)
    .setInferShape(inferShape)
    .setCreateOpState(createOpState, "cpu");

REGISTER_OP(my_state_transposerowsp)
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferSType(inferSType<kRowSparseStorage>)
    .setInferShape(inferShape)
    .setCreateOpState(createOpState, "cpu");

MXReturnValue initialize(int version) {
  if (version >= 10700) return MX_SUCCESS;
  MX_ERROR_MSG << "MXNet version " << version << " is too old for this library";
  return MX_FAIL;
}

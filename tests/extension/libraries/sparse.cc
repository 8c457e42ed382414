// Operators that take and make sparse arrays.

#include "mxnet/lib_api.h"
using namespace mxnet::ext;
typedef std::unordered_map<std::string, std::string> Attributes_;

// An operator that makes csr matrices with wrong parts, as its attributes say.
MXReturnValue wrongParts(const Attributes_& attrs, std::vector<MXTensor>*, std::vector<MXTensor>* outputs,
                      const OpResource& resource) {
  const int index = std::stoi(attrs.at("index")), starts = std::stoi(attrs.at("starts"));
  MXSparse* made = outputs->at(0).data<MXSparse>();
  resource.alloc_sparse(made, index, 2, starts);
  made->indices[0] = 0;
  made->indices[1] = std::stoi(attrs.at("column"));
  for (int i = 1; i < starts; ++i) made->indptr[i] = 2;
  return MX_SUCCESS;
}
MXReturnValue alwaysCsr(const Attributes_&, std::vector<int>*, std::vector<int>* out) {
  out->at(0) = kCSRStorage;
  return MX_SUCCESS;
}

// Doubles what is stored, in any storage type; the backward doubles the gradient in the kind that it has.
// Where `refuses` is set, the backward takes csr gradients alone.
static int64_t width(const MXTensor& x) {
  return x.stype == kRowSparseStorage ? x.shape[1] : 1;
}

static void twice(const MXTensor& x, MXTensor* y, int number, const OpResource& resource) {
  if (x.stype == kDefaultStorage) {
    for (int64_t i = 0; i < x.size(); ++i) y->data<float>()[i] = 2 * x.data<float>()[i];
    return;
  }
  const MXSparse* from = x.data<MXSparse>();
  MXSparse* to = y->data<MXSparse>();
  const int rows = x.stype == kCSRStorage ? from->indptr_len : 0;
  const int64_t count = x.stype == kCSRStorage ? from->data_len : from->indices_len;
  resource.alloc_sparse(to, number, count, rows);
  for (int64_t i = 0; i < count * width(x); ++i)
    static_cast<float*>(to->data)[i] = 2 * static_cast<float*>(from->data)[i];
  for (int64_t i = 0; i < count; ++i) to->indices[i] = from->indices[i];
  for (int i = 0; i < rows; ++i) to->indptr[i] = from->indptr[i];
}

MXReturnValue forward(const Attributes_&, std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                      const OpResource& resource) {
  twice(inputs->at(0), &outputs->at(0), 0, resource);
  return MX_SUCCESS;
}

MXReturnValue backward(const Attributes_&, std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                       const OpResource& resource) {
  twice(inputs->at(0), &outputs->at(0), 0, resource);
  return MX_SUCCESS;
}

MXReturnValue parseAttrs(const Attributes_&, int* in, int* out) { *in = *out = 1; return MX_SUCCESS; }

MXReturnValue inferType(const Attributes_&, std::vector<int>* in, std::vector<int>* out) {
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}

MXReturnValue inferSType(const Attributes_& attrs, std::vector<int>* in, std::vector<int>* out) {
  if (in->size() == 3 && attrs.count("refuses") && in->at(0) != kCSRStorage) {
    MX_ERROR_MSG << "the gradient of the output must be csr";
    return MX_FAIL;
  }
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}

MXReturnValue inferShape(const Attributes_&, std::vector<std::vector<unsigned int>>* in,
                         std::vector<std::vector<unsigned int>>* out) {
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}

class State : public CustomStatefulOp {
 public:
  MXReturnValue Forward(std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                        const OpResource& resource) override {
    return forward(Attributes_(), inputs, outputs, resource);
  }
  MXReturnValue Backward(std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                         const OpResource& resource) override {
    return backward(Attributes_(), inputs, outputs, resource);
  }
};

MXReturnValue createState(const Attributes_&, const MXContext&, const std::vector<std::vector<unsigned int>>&,
                          const std::vector<int>&, CustomStatefulOp** made) {
  *made = new State();
  return MX_SUCCESS;
}

REGISTER_OP(faulty_csr).setForward(wrongParts, "cpu").setParseAttrs(parseAttrs).setInferType(inferType)
    .setInferSType(alwaysCsr).setInferShape(inferShape);
REGISTER_OP(doubled).setForward(forward, "cpu").setBackward(backward, "cpu").setParseAttrs(parseAttrs)
    .setInferType(inferType).setInferSType(inferSType).setInferShape(inferShape);
REGISTER_OP(doubled_with_state).setCreateOpState(createState, "cpu").setParseAttrs(parseAttrs)
    .setInferType(inferType).setInferSType(inferSType).setInferShape(inferShape);
MXReturnValue initialize(int) { return MX_SUCCESS; }

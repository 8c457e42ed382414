// An operator that makes csr matrices with wrong parts, as its attributes say.

#include "mxnet/lib_api.h"
using namespace mxnet::ext;
typedef std::unordered_map<std::string, std::string> Attributes_;
MXReturnValue forward(const Attributes_& attrs, std::vector<MXTensor>*, std::vector<MXTensor>* outputs,
                      const OpResource& resource) {
  const int index = std::stoi(attrs.at("index")), starts = std::stoi(attrs.at("starts"));
  MXSparse* made = outputs->at(0).data<MXSparse>();
  resource.alloc_sparse(made, index, 2, starts);
  made->indices[0] = 0;
  made->indices[1] = std::stoi(attrs.at("column"));
  for (int i = 1; i < starts; ++i) made->indptr[i] = 2;
  return MX_SUCCESS;
}
MXReturnValue parseAttrs(const Attributes_&, int* in, int* out) { *in = *out = 1; return MX_SUCCESS; }
MXReturnValue inferType(const Attributes_&, std::vector<int>* in, std::vector<int>* out) {
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}
MXReturnValue inferSType(const Attributes_&, std::vector<int>*, std::vector<int>* out) {
  out->at(0) = kCSRStorage;
  return MX_SUCCESS;
}
MXReturnValue inferShape(const Attributes_&, std::vector<std::vector<unsigned int>>* in,
                         std::vector<std::vector<unsigned int>>* out) {
  out->at(0) = in->at(0);
  return MX_SUCCESS;
}
REGISTER_OP(faulty_csr).setForward(forward, "cpu").setParseAttrs(parseAttrs).setInferType(inferType)
    .setInferSType(inferSType).setInferShape(inferShape);
MXReturnValue initialize(int) { return MX_SUCCESS; }

// Operators that show, each, one thing that the loader must do right.

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

static const char* text(const Attributes& attrs, const char* name, const char* otherwise) {
  const auto found = attrs.find(name);
  return found == attrs.end() ? otherwise : found->second.c_str();
}

MXReturnValue oneToOne(const Attributes&, int* in, int* out) {
  *in = *out = 1;
  return MX_SUCCESS;
}

MXReturnValue sameType(const Attributes&, std::vector<int>* in, std::vector<int>* out) {
  for (int& type : *out) type = in->at(0);
  return MX_SUCCESS;
}

MXReturnValue sameShape(const Attributes&, Shapes* in, Shapes* out) {
  for (auto& shape : *out) shape = in->at(0);
  return MX_SUCCESS;
}

MXReturnValue copyBytes(const Attributes&, Tensors* in, Tensors* out, const OpResource&) {
  const size_t bytes = in->at(0).size() * in->at(0).dltensor.dtype.bits / 8;
  memcpy(out->at(0).data_ptr, in->at(0).data_ptr, bytes);
  return MX_SUCCESS;
}

// Copies any dtype; has no gradient.
REGISTER_OP(probe_copy).setForward(copyBytes).setParseAttrs(oneToOne).setInferType(sameType).setInferShape(sameShape);

// As many inputs as `inputs=` says; the outputs are their sum and their maximum.
REGISTER_OP(probe_sum_max)
    .setForward([](const Attributes&, Tensors* in, Tensors* out, const OpResource& resource) {
      float* workspace = static_cast<float*>(resource.alloc_cpu(in->at(0).size() * sizeof(float)));
      float* another = static_cast<float*>(resource.alloc_cpu(16));
      if (workspace == another || reinterpret_cast<uintptr_t>(workspace) % 64 != 0) return MX_FAIL;
      for (int64_t i = 0; i < in->at(0).size(); ++i) {
        float sum = 0, most = in->at(0).data<float>()[i];
        for (MXTensor& x : *in) {
          sum += x.data<float>()[i];
          most = std::max(most, x.data<float>()[i]);
        }
        workspace[i] = sum;
        out->at(1).data<float>()[i] = most;
      }
      memcpy(out->at(0).data_ptr, workspace, out->at(0).size() * sizeof(float));
      return MX_SUCCESS;
    })
    .setBackward([](const Attributes&, Tensors* in, Tensors* out, const OpResource&) {
      const size_t count = out->size();  // in: two gradients, the inputs, the two outputs
      for (size_t k = 0; k < count; ++k) {
        for (int64_t i = 0; i < out->at(k).size(); ++i) {
          const bool is_most = in->at(2 + k).data<float>()[i] == in->at(3 + count).data<float>()[i];
          out->at(k).data<float>()[i] = in->at(0).data<float>()[i] + (is_most ? in->at(1).data<float>()[i] : 0);
        }
      }
      return MX_SUCCESS;
    })
    .setParseAttrs([](const Attributes& attrs, int* in, int* out) {
      *in = std::stoi(text(attrs, "inputs", "2"));
      *out = 2;
      return MX_SUCCESS;
    })
    .setInferType(sameType)
    .setInferShape(sameShape);

// The characters of the attribute `text`, as numbers.
REGISTER_OP(probe_attribute)
    .setForward([](const Attributes& attrs, Tensors*, Tensors* out) {
      const std::string value = text(attrs, "text", "");
      for (size_t i = 0; i < value.size(); ++i) out->at(0).data<float>()[i] = value[i];
      return MX_SUCCESS;
    })
    .setParseAttrs(oneToOne)
    .setInferType(sameType)
    .setInferShape([](const Attributes& attrs, Shapes*, Shapes* out) {
      out->at(0) = {static_cast<unsigned>(strlen(text(attrs, "text", "")))};
      return MX_SUCCESS;
    });

// data and weight: y = data * weight along the last axis; the weight's shape follows from the data.
REGISTER_OP(probe_scale)
    .setForward([](const Attributes&, Tensors* in, Tensors* out, const OpResource&) {
      const int64_t channels = in->at(1).size();
      for (int64_t i = 0; i < in->at(0).size(); ++i) {
        out->at(0).data<float>()[i] = in->at(0).data<float>()[i] * in->at(1).data<float>()[i % channels];
      }
      return MX_SUCCESS;
    })
    .setBackward([](const Attributes&, Tensors* in, Tensors* out, const OpResource&) {
      MXTensor &head = in->at(0), &data = in->at(1), &weight = in->at(2);
      const int64_t channels = weight.size();
      std::fill_n(out->at(1).data<float>(), channels, 0.0f);
      for (int64_t i = 0; i < data.size(); ++i) {
        out->at(0).data<float>()[i] = head.data<float>()[i] * weight.data<float>()[i % channels];
        out->at(1).data<float>()[i % channels] += head.data<float>()[i] * data.data<float>()[i];
      }
      return MX_SUCCESS;
    })
    .setParseAttrs([](const Attributes&, int* in, int* out) {
      *in = 2;
      *out = 1;
      return MX_SUCCESS;
    })
    .setInferType([](const Attributes&, std::vector<int>* in, std::vector<int>* out) {
      in->at(1) = in->at(0);
      out->at(0) = in->at(0);
      return MX_SUCCESS;
    })
    .setInferShape([](const Attributes&, Shapes* in, Shapes* out) {
      if (in->at(0).empty()) {
        MX_ERROR_MSG << "the data's shape is not known";
        return MX_FAIL;
      }
      in->at(1) = {in->at(0).back()};
      out->at(0) = in->at(0);
      return MX_SUCCESS;
    });

// Input 1 counts the calls: an auxiliary state.
REGISTER_OP(probe_count)
    .setForward([](const Attributes&, Tensors* in, Tensors* out, const OpResource&) {
      in->at(1).data<float>()[0] += 1;
      memcpy(out->at(0).data_ptr, in->at(0).data_ptr, in->at(0).size() * sizeof(float));
      return MX_SUCCESS;
    })
    .setParseAttrs([](const Attributes&, int* in, int* out) {
      *in = 2;
      *out = 1;
      return MX_SUCCESS;
    })
    .setMutateInputs([](const Attributes& attrs, std::vector<int>* inputs) {
      inputs->push_back(std::stoi(text(attrs, "which", "1")));
      return MX_SUCCESS;
    })
    .setInferType(sameType)
    .setInferShape([](const Attributes&, Shapes* in, Shapes* out) {
      in->at(1) = {1};
      out->at(0) = in->at(0);
      return MX_SUCCESS;
    });

// The first numbers of the lent random states.
REGISTER_OP(probe_random)
    .setForward([](const Attributes&, Tensors*, Tensors* out, const OpResource& resource) {
      for (int64_t i = 0; i < out->at(0).size(); ++i) {
        out->at(0).data<int64_t>()[i] = resource.get_cpu_rand_states()[i % 2 ? 1023 : 0]();
      }
      return MX_SUCCESS;
    })
    .setParseAttrs(oneToOne)
    .setInferType(sameType)
    .setInferShape(sameShape);

// Whether the input is the same tensor, unchanged, as at the call before.
static MXTensor seen;
REGISTER_OP(probe_same)
    .setForward([](const Attributes&, Tensors* in, Tensors* out, const OpResource&) {
      out->at(0).data<float>()[0] = in->at(0).isSame(seen);
      seen = in->at(0);
      return MX_SUCCESS;
    })
    .setParseAttrs(oneToOne)
    .setInferType(sameType)
    .setInferShape(sameShape);

// Fails where the attribute `at` says, in the way `how` says.
static MXReturnValue fail(const Attributes& attrs, const char* here) {
  if (strcmp(text(attrs, "at", "nowhere"), here) != 0) return MX_SUCCESS;
  const std::string how = text(attrs, "how", "message");
  if (how == "throw") throw std::out_of_range("thrown in " + std::string(here));
  if (how == "throw-int") throw 5;
  MX_ERROR_MSG << "failed in " << here;
  return MX_FAIL;
}

REGISTER_OP(probe_fail)
    .setForward([](const Attributes& attrs, Tensors* in, Tensors* out, const OpResource& resource) {
      const MXReturnValue result = fail(attrs, "forward");
      return result == MX_SUCCESS ? copyBytes(attrs, in, out, resource) : result;
    })
    .setBackward([](const Attributes& attrs, Tensors* in, Tensors* out, const OpResource& resource) {
      const MXReturnValue result = fail(attrs, "backward");
      return result == MX_SUCCESS ? copyBytes(attrs, in, out, resource) : result;
    })
    .setParseAttrs([](const Attributes& attrs, int* in, int* out) {
      *in = 1;
      *out = std::stoi(text(attrs, "outputs", "1"));
      return fail(attrs, "parse");
    })
    .setInferType([](const Attributes& attrs, std::vector<int>* in, std::vector<int>* out) {
      out->at(0) = std::stoi(text(attrs, "type", std::to_string(in->at(0)).c_str()));
      return fail(attrs, "type");
    })
    .setInferSType([](const Attributes& attrs, std::vector<int>*, std::vector<int>* out) {
      out->at(0) = std::stoi(text(attrs, "storage", "0"));
      return fail(attrs, "storage");
    })
    .setInferShape([](const Attributes& attrs, Shapes* in, Shapes* out) {
      if (text(attrs, "drop_shape", nullptr) == nullptr) out->at(0) = in->at(0);
      if (text(attrs, "more_shapes", nullptr) != nullptr) out->push_back({1});
      return fail(attrs, "shape");
    });

// The number of live states is the last element of the output; the first is how often this one was run.
static int live = 0;

class Counting : public CustomStatefulOp {
 public:
  Counting() { ++live; }
  ~Counting() override { --live; }

  MXReturnValue Forward(Tensors* in, Tensors* out, const OpResource&) override {
    float* y = out->at(0).data<float>();
    memcpy(y, in->at(0).data_ptr, in->at(0).size() * sizeof(float));
    y[0] = ++runs_;
    y[in->at(0).size() - 1] = live;
    return MX_SUCCESS;
  }

  MXReturnValue Backward(Tensors*, Tensors* out, const OpResource&) override {
    std::fill_n(out->at(0).data<float>(), out->at(0).size(), static_cast<float>(runs_));
    return MX_SUCCESS;
  }

 private:
  int runs_ = 0;
};

REGISTER_OP(probe_state)
    .setCreateOpState([](const Attributes& attrs, const MXContext& context, const Shapes& shapes,
                         const std::vector<int>& types, CustomStatefulOp** state) {
      if (context.dev_type != "cpu" || shapes.size() != 1 || types.at(0) != kFloat32) return MX_FAIL;
      if (text(attrs, "none", nullptr) == nullptr) *state = CustomStatefulOp::create<Counting>();
      return MX_SUCCESS;
    })
    .setParseAttrs(oneToOne)
    .setInferType(sameType)
    .setInferShape(sameShape);

// A state without a gradient, in the oldest style: everything by value, three and two parameters.
typedef std::map<std::string, std::string> Map;

class Old : public CustomStatefulOp {
 public:
  explicit Old(float factor) : factor_(factor) {}

  MXReturnValue Forward(std::vector<MXTensor> in, std::vector<MXTensor> out, OpResource res) {
    float* doubled = static_cast<float*>(res.alloc(in[0].size() * sizeof(float)));
    for (int64_t i = 0; i < in[0].size(); ++i) doubled[i] = factor_ * in[0].data<float>()[i];
    memcpy(out[0].data_ptr, doubled, in[0].size() * sizeof(float));
    return MX_SUCCESS;
  }

 private:
  float factor_;
};

MXReturnValue oldParse(Map, int* in, int* out) { return oneToOne(Attributes(), in, out); }
MXReturnValue oldType(Map, std::vector<int>& in, std::vector<int>& out) {
  out[0] = in[0];
  return MX_SUCCESS;
}
MXReturnValue oldShape(Map, Shapes& in, Shapes& out) {
  out[0] = in[0];
  return MX_SUCCESS;
}
MXReturnValue oldCreate(Map attrs, CustomStatefulOp** state) {
  *state = new Old(std::stof(attrs["factor"]));
  return MX_SUCCESS;
}
MXReturnValue oldForward(Map attrs, std::vector<MXTensor> in, std::vector<MXTensor> out) {
  for (int64_t i = 0; i < in[0].size(); ++i) {
    out[0].data<float>()[i] = std::stof(attrs["factor"]) * in[0].data<float>()[i];
  }
  return MX_SUCCESS;
}

REGISTER_OP(probe_old_state).setCreateOpState(oldCreate).setParseAttrs(oldParse).setInferType(oldType).setInferShape(oldShape);
REGISTER_OP(probe_old).setForward(oldForward).setParseAttrs(oldParse).setInferType(oldType).setInferShape(oldShape);

// Only for another device.
REGISTER_OP(probe_gpu).setForward(copyBytes, "gpu").setParseAttrs(oneToOne).setInferType(sameType).setInferShape(sameShape);

// Takes the place of an operator that is there already.
REGISTER_OP(sign).setForward(copyBytes).setParseAttrs(oneToOne).setInferType(sameType).setInferShape(sameShape);

// Names that begin with an underscore.
REGISTER_OP(_contrib_probe).setForward(copyBytes).setParseAttrs(oneToOne).setInferType(sameType).setInferShape(sameShape);

MXReturnValue initialize(int version) { return version == 10901 ? MX_SUCCESS : MX_FAIL; }

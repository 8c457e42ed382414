/* Operators: what REGISTER_OP makes, and the base class of those with a state. */
#ifndef MXNET_EXTENSION_OPERATORS_H_
#define MXNET_EXTENSION_OPERATORS_H_

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "adapt.h"
#include "messages.h"
#include "resources.h"
#include "tensor.h"

namespace mxnet {
namespace ext {

/*
 * An operator that remembers something between calls. Derive from it, override Forward and Backward in
 * whichever style you prefer, and make one in the function given to setCreateOpState.
 */
class CustomStatefulOp {
  // The framework reads the two flags at fixed places: behind the pointer to the virtual functions.
 public:
  bool ignore_warn = false;

 private:
  bool created = false;

 public:
  virtual ~CustomStatefulOp() {}

  template <class Derived, class... Arguments>
  static CustomStatefulOp* create(Arguments... arguments) {
    CustomStatefulOp* made = new Derived(arguments...);
    made->created = true;
    return made;
  }

  bool wasCreated() const { return created; }

  virtual MXReturnValue Forward(Tensors* inputs, Tensors* outputs, const OpResource& resource) {
    return Forward(*inputs, *outputs, resource);
  }

  virtual MXReturnValue Backward(Tensors* inputs, Tensors* outputs, const OpResource& resource) {
    return Backward(*inputs, *outputs, resource);
  }

  virtual MXReturnValue Forward(Tensors inputs, Tensors outputs, OpResource) {
    return Forward(inputs, outputs);
  }

  virtual MXReturnValue Backward(Tensors inputs, Tensors outputs, OpResource) {
    return Backward(inputs, outputs);
  }

  virtual MXReturnValue Forward(Tensors, Tensors) {
    MX_ERROR_MSG << "the operator does not override Forward";
    return MX_FAIL;
  }

  virtual MXReturnValue Backward(Tensors, Tensors) {
    MX_ERROR_MSG << "Error! Operator does not support backward";
    return MX_FAIL;
  }
};

// The styles of MXNet 1.9; others do as well.
typedef MXReturnValue (*fcomp_t)(const Attributes&, Tensors*, Tensors*, const OpResource&);
typedef MXReturnValue (*parseAttrs_t)(const Attributes&, int*, int*);
typedef MXReturnValue (*inferType_t)(const Attributes&, std::vector<int>*, std::vector<int>*);
typedef inferType_t inferSType_t;
typedef MXReturnValue (*inferShape_t)(const Attributes&, Shapes*, Shapes*);
typedef MXReturnValue (*mutateInputs_t)(const Attributes&, std::vector<int>*);
typedef MXReturnValue (*createOpState_t)(const Attributes&, const MXContext&, const Shapes&,
                                         const std::vector<int>, CustomStatefulOp**);

namespace adapt {
typedef Functions<const Attributes, Tensors, Tensors, const OpResource> Compute;
typedef Functions<const Attributes, int, int> ParseAttrs;
typedef Functions<const Attributes, std::vector<int>, std::vector<int> > InferType;
typedef Functions<const Attributes, Shapes, Shapes> InferShape;
typedef Functions<const Attributes, std::vector<int> > MutateInputs;
typedef Functions<const Attributes, const MXContext, const Shapes, const std::vector<int>,
                  CustomStatefulOp*> CreateState;
typedef Functions<const Attributes, CustomStatefulOp*> CreateStateBriefly;
}  // namespace adapt

/* A function for each kind of device. */
template <class Function>
struct ByContext {
  void add(const char* op, const char* context, Function function) {
    for (const std::string& known : names) {
      if (known == context) {
        throw std::runtime_error("operator " + std::string(op) +
                                 ": two functions for the same purpose on " + context);
      }
    }
    names.push_back(context);
    functions.push_back(std::move(function));
  }

  /* The form in which the framework reads it; valid until the next `add`. */
  void expose(const char*** contexts, void*** pointers, int* count) {
    name_pointers.clear();
    function_pointers.clear();
    for (size_t i = 0; i < names.size(); ++i) {
      name_pointers.push_back(names[i].c_str());
      function_pointers.push_back(&functions[i]);
    }
    *contexts = name_pointers.data();
    *pointers = function_pointers.data();
    *count = static_cast<int>(names.size());
  }

  std::vector<std::string> names;
  std::vector<Function> functions;
  std::vector<const char*> name_pointers;
  std::vector<void*> function_pointers;
};

/* An operator under registration: setters return the operator, to be chained. */
class CustomOp {
 public:
  explicit CustomOp(const char* op_name) : name(op_name) {}

  /* What to compute; not for stateful operators. */
  template <class F>
  CustomOp& setForward(F function, const char* context = "cpu") {
    forward.add(name, context, adapt::Compute::of(function));
    return *this;
  }
  CustomOp& setForward(fcomp_t function, const char* context = "cpu") {
    return setForward<fcomp_t>(function, context);
  }

  /* The gradients of the inputs, from those of the outputs, the inputs and the outputs. */
  template <class F>
  CustomOp& setBackward(F function, const char* context = "cpu") {
    backward.add(name, context, adapt::Compute::of(function));
    return *this;
  }
  CustomOp& setBackward(fcomp_t function, const char* context = "cpu") {
    return setBackward<fcomp_t>(function, context);
  }

  /* How many inputs and outputs there are. */
  template <class F>
  CustomOp& setParseAttrs(F function) {
    parse_attrs = adapt::ParseAttrs::of(function);
    return *this;
  }
  CustomOp& setParseAttrs(parseAttrs_t function) { return setParseAttrs<parseAttrs_t>(function); }

  /* The dtypes of the outputs; an unknown one is -1. */
  template <class F>
  CustomOp& setInferType(F function) {
    infer_type = adapt::InferType::of(function);
    return *this;
  }
  CustomOp& setInferType(inferType_t function) { return setInferType<inferType_t>(function); }

  /* The storage types of the outputs; without it, all tensors are dense. */
  template <class F>
  CustomOp& setInferSType(F function) {
    infer_storage_type = adapt::InferType::of(function);
    return *this;
  }
  CustomOp& setInferSType(inferSType_t function) { return setInferSType<inferSType_t>(function); }

  /* The shapes of the outputs; an unknown shape is empty, and may be filled in for inputs as well. */
  template <class F>
  CustomOp& setInferShape(F function) {
    infer_shape = adapt::InferShape::of(function);
    return *this;
  }
  CustomOp& setInferShape(inferShape_t function) { return setInferShape<inferShape_t>(function); }

  /* The numbers of inputs that the operator changes: auxiliary states. */
  template <class F>
  CustomOp& setMutateInputs(F function) {
    mutate_inputs = adapt::MutateInputs::of(function);
    return *this;
  }
  CustomOp& setMutateInputs(mutateInputs_t function) {
    return setMutateInputs<mutateInputs_t>(function);
  }

  /* How to make the operator's state; instead of setForward. */
  template <class F>
  CustomOp& setCreateOpState(F function, const char* context = "cpu") {
    create_state.add(name, context, creation(function, adapt::Parameters<adapt::Arity<F>::value>()));
    return *this;
  }
  CustomOp& setCreateOpState(createOpState_t function, const char* context = "cpu") {
    return setCreateOpState<createOpState_t>(function, context);
  }

  /* The operator stands for whole subgraphs. */
  CustomOp& setIsSubgraphOp() {
    isSGop = true;
    return *this;
  }

  const char* name;
  bool isSGop = false;
  ByContext<adapt::Compute::Function> forward, backward;
  ByContext<adapt::CreateState::Function> create_state;
  adapt::ParseAttrs::Function parse_attrs;
  adapt::InferType::Function infer_type, infer_storage_type;
  adapt::InferShape::Function infer_shape;
  adapt::MutateInputs::Function mutate_inputs;

 private:
  template <class F>
  static adapt::CreateState::Function creation(F function, adapt::Parameters<5>) {
    return adapt::CreateState::of(function);
  }

  template <class F>
  static adapt::CreateState::Function creation(F function, adapt::Parameters<2>) {
    const adapt::CreateStateBriefly::Function brief = adapt::CreateStateBriefly::of(function);
    return [brief](const Attributes* attributes, const MXContext*, const Shapes*,
                   const std::vector<int>*,
                   CustomStatefulOp** made) { return brief(attributes, made); };
  }
};

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_OPERATORS_H_

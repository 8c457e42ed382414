// Partitioners and passes that show, each, one thing that the framework must do right.

#include <algorithm>
#include <cstring>
#include <memory>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

// Computes relu and negative, in any order; also the sum of all inputs for batch norm's sake.
class Runner : public CustomStatefulOp {
 public:
  explicit Runner(const std::string& json) : graph_(Graph::fromString(json)) {}

  MXReturnValue Forward(Tensors* in, Tensors* out, const OpResource&) override {
    std::vector<std::vector<float> > values;
    std::unordered_map<const Node*, size_t> where;
    size_t next = 0;
    for (size_t i = 0; i < graph_->size(); ++i) {
      const Node* node = graph_->getNode(i);
      where[node] = i;
      if (node->op == "null") {
        MXTensor& tensor = in->at(next++);
        values.emplace_back(tensor.data<float>(), tensor.data<float>() + tensor.size());
        continue;
      }
      values.push_back(values[where[node->inputs[0].node]]);
      for (float& x : values.back()) {
        if (node->op == "relu") x = std::max(x, 0.0f);
        if (node->op == "negative") x = -x;
      }
      if (node->op == "elemwise_add") {
        const std::vector<float>& other = values[where[node->inputs[1].node]];
        for (size_t k = 0; k < other.size(); ++k) values.back()[k] += other[k];
      }
    }
    for (size_t i = 0; i < graph_->outputs.size(); ++i) {
      const std::vector<float>& result = values[where[graph_->outputs[i].node]];
      std::copy(result.begin(), result.end(), out->at(i).data<float>());
    }
    return MX_SUCCESS;
  }

 private:
  std::unique_ptr<Graph> graph_;
};

MXReturnValue create(const Attributes& attrs, CustomStatefulOp** state) {
  *state = CustomStatefulOp::create<Runner>(attrs.at(MX_STR_SUBGRAPH_SYM_JSON));
  return MX_SUCCESS;
}

REGISTER_OP(_run_graph).setIsSubgraphOp().setCreateOpState(create);

static bool runs(const std::string& op) {
  return op == "relu" || op == "negative" || op == "elemwise_add";
}

// Numbers in the attribute `group` of nodes say which subgraph they belong to.
REGISTER_PARTITIONER(groups)
    .addStrategy("numbered", "_run_graph")
    .setSupportedOps("numbered", [](const Graph* graph, std::vector<int>* ids, const Attributes& options) {
      for (size_t i = 0; i < graph->size(); ++i) {
        const Node* node = graph->getNode(i);
        if (!runs(node->op)) continue;
        const auto group = node->attrs.find("__group__");
        ids->at(i) = group == node->attrs.end() ? -1 : std::stoi(group->second);
      }
      if (options.count("wrong")) ids->at(graph->size() - 1) = -7;
      if (options.count("fail")) {
        MX_ERROR_MSG << "asked to fail";
        return MX_FAIL;
      }
      return MX_SUCCESS;
    });

// The 1.7 style: JSON in, everything by reference; accepts subgraphs whose argument `w` is all ones.
MXReturnValue supportedText(const std::string& json, std::vector<int>* ids, const Attributes&) {
  JsonParser parser;
  JsonVal nodes = parser.parse_to_json(json).map[JsonVal("nodes")];
  for (size_t i = 0; i < nodes.list.size(); ++i) {
    if (runs(nodes.list[i].map[JsonVal("op")].str)) ids->at(i) = -1;
  }
  return MX_SUCCESS;
}

MXReturnValue reviewText(const std::string& json, int id, bool* accept, const Attributes&, Attributes* attrs,
                         const NamedTensors& args, const NamedTensors& aux) {
  const auto weight = args.find("w");
  *accept = weight != args.end() && weight->second.data<float>()[0] == 1.0f;
  (*attrs)["reviewed"] = std::to_string(id) + " of " + std::to_string(args.size()) + "+" +
                         std::to_string(aux.size());
  (*attrs)["has_shape"] = json.find("__ext_shape__") == std::string::npos ? "no" : "yes";
  return MX_SUCCESS;
}

REGISTER_PARTITIONER(reviewing)
    .addStrategy("text", "_run_graph")
    .setSupportedOps("text", supportedText)
    .setReviewSubgraph("text", reviewText);

// A selector that keeps what the option `keep` says.
class Keeping : public CustomOpSelector {
 public:
  Keeping(const Graph* graph, const Attributes& options) : graph_(graph), options_(options) {}
  bool Select(int id) override {
    if (options_.count("throw")) throw std::runtime_error("thrown while selecting");
    return runs(graph_->getNode(id)->op);
  }
  bool SelectInput(int, int id) override { return runs(graph_->getNode(id)->op); }
  bool SelectOutput(int, int id) override { return runs(graph_->getNode(id)->op); }
  void Filter(const std::vector<int>& candidates, std::vector<int>* keep) override {
    const auto how = options_.find("keep");
    if (how == options_.end()) {
      *keep = candidates;
    } else if (how->second == "ends" && candidates.size() > 1) {
      *keep = {candidates.front(), candidates.back()};
    } else if (how->second == "unknown") {
      *keep = {1000};
    }
  }

 private:
  const Graph* graph_;
  Attributes options_;
};

REGISTER_PARTITIONER(keeping)
    .addStrategy("selector", "_run_graph")
    .setCreateSelector("selector", [](const Graph* graph, CustomOpSelector** made, const Attributes& options) {
      if (options.count("none") == 0) *made = new Keeping(graph, options);
      return MX_SUCCESS;
    });

// Gives back what the option `text` says.
MXReturnValue textPass(const std::string& in, const std::string** out, const Attributes& options,
                       const NamedTensors& args, const NamedTensors& aux, const PassResource& resource) {
  const auto given = options.find("text");
  if (options.count("make")) {
    resource.alloc_arg("made_arg", {2, 3}, MXContext::CPU(0), kInt32)->data<int>()[5] = 7;
    resource.alloc_aux("made_aux", {}, MXContext::CPU(0), kFloat64);
  }
  if (options.count("count")) MX_ERROR_MSG << args.size() << " and " << aux.size();
  *out = new std::string(given == options.end() ? in : given->second);
  return options.count("count") ? MX_FAIL : MX_SUCCESS;
}

REGISTER_PASS(text_pass).setBody(textPass);

// Sets an attribute that needs escaping, and one of every node.
REGISTER_PASS(mark_pass).setBody([](Graph* graph, const Attributes&) {
  for (Node* node : graph->topological_sort()) node->attrs["__mark__"] = "a \"quoted\" \\ line\nand ü";
  return MX_SUCCESS;
});

// Doubles the argument `w` in place.
REGISTER_PASS(double_pass).setBody([](Graph* graph, const Attributes&) {
  for (Node* input : graph->inputs) {
    if (input->name != "w" || input->tensor == nullptr) continue;
    for (int64_t i = 0; i < input->tensor->size(); ++i) input->tensor->data<float>()[i] *= 2;
  }
  return MX_SUCCESS;
});

MXReturnValue initialize(int) { return MX_SUCCESS; }

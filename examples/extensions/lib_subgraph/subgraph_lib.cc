// A backend for chains of element-wise operators: two partitioners choose them, one operator runs them.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

typedef std::vector<float> Values;

static const std::map<std::string, float (*)(float, float)>& functions() {
  static const std::map<std::string, float (*)(float, float)> all = {
      {"exp", [](float a, float) { return std::exp(a); }},
      {"log", [](float a, float) { return std::log(a); }},
      {"elemwise_add", [](float a, float b) { return a + b; }},
      {"elemwise_mul", [](float a, float b) { return a * b; }},
  };
  return all;
}

// Runs its subgraph node by node. A compiler would do better; an example need not.
class ElementwiseOp : public CustomStatefulOp {
 public:
  explicit ElementwiseOp(const std::string& json) : graph_(Graph::fromString(json)) {
    order_ = graph_->topological_sort();
    std::reverse(order_.begin(), order_.end());  // inputs first
  }

  MXReturnValue Forward(Tensors* inputs, Tensors* outputs, const OpResource&) override {
    std::map<const Node*, Values> results;
    for (size_t i = 0; i < graph_->inputs.size(); ++i) {
      MXTensor& tensor = inputs->at(i);
      results[graph_->inputs[i]].assign(tensor.data<float>(), tensor.data<float>() + tensor.size());
    }
    for (const Node* node : order_) {
      if (node->op == "null") continue;
      const auto function = functions().find(node->op);
      if (function == functions().end()) {
        MX_ERROR_MSG << "no function for the operator " << node->op;
        return MX_FAIL;
      }
      const Values& left = results.at(node->inputs[0].node);
      const Values& right = results.at(node->inputs.back().node);
      Values& result = results[node];
      result.resize(left.size());
      for (size_t i = 0; i < left.size(); ++i) result[i] = function->second(left[i], right[i]);
    }
    for (size_t i = 0; i < graph_->outputs.size(); ++i) {
      const Values& result = results.at(graph_->outputs[i].node);
      std::copy(result.begin(), result.end(), outputs->at(i).data<float>());
    }
    return MX_SUCCESS;
  }

 private:
  std::unique_ptr<Graph> graph_;
  std::vector<Node*> order_;
};

MXReturnValue createOpState(const Attributes& attrs, const MXContext&, const Shapes&,
                            const std::vector<int>&, CustomStatefulOp** state) {
  *state = CustomStatefulOp::create<ElementwiseOp>(attrs.at(MX_STR_SUBGRAPH_SYM_JSON));
  return MX_SUCCESS;
}

REGISTER_OP(_elementwise_subgraph).setIsSubgraphOp().setCreateOpState(createOpState, "cpu");

static bool supported(const Node& node) { return functions().count(node.op) > 0; }

// The first way: say which nodes are supported, all of them in any subgraph.
MXReturnValue supportedOps(const Graph* graph, std::vector<int>* ids, const Attributes&) {
  for (size_t i = 0; i < graph->size(); ++i) {
    if (supported(*graph->getNode(i))) ids->at(i) = -1;
  }
  return MX_SUCCESS;
}

// The second way: choose step by step. This one only follows chains, from a node to what reads it.
class ChainSelector : public CustomOpSelector {
 public:
  explicit ChainSelector(const Graph* graph) : graph_(graph) {}

  bool Select(int node) override { return supported(*graph_->getNode(node)); }
  bool SelectInput(int, int) override { return false; }
  bool SelectOutput(int, int reader) override { return supported(*graph_->getNode(reader)); }

 private:
  const Graph* graph_;
};

MXReturnValue createSelector(const Graph* graph, CustomOpSelector** selector, const Attributes&) {
  *selector = new ChainSelector(graph);
  return MX_SUCCESS;
}

// Subgraphs of fewer nodes than the option `min_nodes` are not worth it.
MXReturnValue reviewSubgraph(const Graph* subgraph, int, bool* accept, const Attributes& options,
                             Attributes* attrs) {
  const auto option = options.find("min_nodes");
  const size_t least = option == options.end() ? 1 : std::stoul(option->second);
  const size_t nodes = subgraph->size() - subgraph->inputs.size();
  *accept = nodes >= least;
  (*attrs)["nodes"] = std::to_string(nodes);
  return MX_SUCCESS;
}

REGISTER_PARTITIONER(elementwise)
    .addStrategy("all", "_elementwise_subgraph")
    .setSupportedOps("all", supportedOps)
    .setReviewSubgraph("all", reviewSubgraph);

REGISTER_PARTITIONER(chains)
    .addStrategy("chain", "_elementwise_subgraph")
    .setCreateSelector("chain", createSelector)
    .setReviewSubgraph("chain", reviewSubgraph);

MXReturnValue initialize(int version) { return version >= 10700 ? MX_SUCCESS : MX_FAIL; }

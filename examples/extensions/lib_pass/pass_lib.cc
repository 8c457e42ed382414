// Two graph passes: cancelExpLog removes log(exp(x)), addShift adds a parameter to every output.

#include <algorithm>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

// Let everything that reads output 0 of `old` read `replacement` instead.
static void redirect(Graph* graph, Node* old, const NodeEntry& replacement) {
  for (const NodeEntry& reader : old->outputs) {
    reader.node->inputs[reader.entry] = replacement;
    replacement.node->outputs.push_back(reader);
  }
  old->outputs.clear();
  for (NodeEntry& output : graph->outputs) {
    if (output.node == old) output = replacement;
  }
}

MXReturnValue cancelExpLog(Graph* graph, const Attributes&) {
  for (size_t i = 0; i < graph->size(); ++i) {
    Node* node = graph->getNode(i);
    if (node->op != "log" || node->inputs[0].node->op != "exp") continue;
    redirect(graph, node, node->inputs[0].node->inputs[0]);  // unread nodes vanish
  }
  return MX_SUCCESS;
}

REGISTER_PASS(cancelExpLog).setBody(cancelExpLog);

// The option `shift` is the first value of the new parameters.
MXReturnValue addShift(Graph* graph, const Attributes& options) {
  const auto given = options.find("shift");
  const float shift = given == options.end() ? 0.0f : std::stof(given->second);
  for (NodeEntry& output : graph->outputs) {
    Node* parameter = graph->addNode(output.node->name + "_shift", "null");
    graph->inputs.push_back(parameter);
    parameter->alloc_arg({1}, MXContext::CPU(), kFloat32);
    parameter->tensor->data<float>()[0] = shift;
    Node* sum = graph->addNode(output.node->name + "_shifted", "broadcast_add");
    sum->inputs = {output, NodeEntry{parameter, 0}};
    output.node->outputs.push_back(NodeEntry{sum, 0});
    parameter->outputs.push_back(NodeEntry{sum, 1});
    output = NodeEntry{sum, 0};
  }
  return MX_SUCCESS;
}

REGISTER_PASS(addShift).setBody(addShift);

MXReturnValue initialize(int version) { return version >= 10700 ? MX_SUCCESS : MX_FAIL; }

/* The graph that partitioners and passes see: nodes that know what they read and who reads them. */
#ifndef MXNET_EXTENSION_GRAPH_H_
#define MXNET_EXTENSION_GRAPH_H_

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "json.h"
#include "resources.h"
#include "tensor.h"

#define MX_STR_SUBGRAPH_SYM_JSON "subgraph_sym_json"
#define SUBGRAPH_SYM_JSON MX_STR_SUBGRAPH_SYM_JSON
#define MX_STR_DTYPE "__ext_dtype__"
#define MX_STR_SHAPE "__ext_shape__"
#define MX_STR_EXTRA_INPUTS "__ext_extra_inputs__"

namespace mxnet {
namespace ext {

/* The shape of one output in the value of MX_STR_SHAPE: "[2,3]" is number 1 of "[[4],[2,3]]". */
inline std::string getShapeAt(const std::string& shapes, unsigned index) {
  size_t begin = shapes.find('[', 1);
  for (unsigned i = 0; i < index && begin != std::string::npos; ++i) {
    begin = shapes.find('[', begin + 1);
  }
  if (begin == std::string::npos) return "";
  return shapes.substr(begin, shapes.find(']', begin) - begin + 1);
}

/* The dtype of one output in the value of MX_STR_DTYPE: "4" is number 1 of "[0,4]". */
inline std::string getDtypeAt(const std::string& dtypes, unsigned index) {
  size_t begin = 1;
  for (unsigned i = 0; i < index; ++i) {
    begin = dtypes.find(',', begin);
    if (begin++ == std::string::npos) return "";
  }
  return dtypes.substr(begin, dtypes.find_first_of(",]", begin) - begin);
}

class Graph;
class Node;

/* One end of an edge: among a node's inputs, output `entry` of `node`; among its outputs, input. */
struct NodeEntry {
  Node* node;
  int entry;
};

class Node {
 public:
  Node() : tensor(nullptr), resource_(nullptr) {}

  /* Give an input that a pass has made an array, filled by the pass through `tensor`. */
  void alloc_arg(const std::vector<int64_t>& shape, const MXContext& context, MXDType dtype) {
    tensor = resource().alloc_arg(name, shape, context, dtype);
  }

  void alloc_aux(const std::vector<int64_t>& shape, const MXContext& context, MXDType dtype) {
    tensor = resource().alloc_aux(name, shape, context, dtype);
  }

  void _setPassResource(PassResource* resource) { resource_ = resource; }

  std::string op;    // "null" for an input of the graph
  std::string name;
  MXTensor* tensor;  // of inputs whose values are known
  std::vector<NodeEntry> inputs;
  std::vector<NodeEntry> outputs;
  std::vector<Graph*> subgraphs;
  std::unordered_map<std::string, std::string> attrs;

 private:
  PassResource& resource() const {
    if (resource_ == nullptr) {
      throw std::runtime_error("node " + name + ": parameters can only be made in a graph pass");
    }
    return *resource_;
  }

  PassResource* resource_;
};

class Graph {
 public:
  Graph() : resource_(nullptr) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /* The graph in a symbol's JSON. The caller owns it. Throws for an input that does not exist. */
  static Graph* fromString(const std::string& json) { return fromJson(JsonVal::parse(json)); }
  static Graph* fromJson(JsonVal json);

  /* What the outputs depend on, as a symbol's JSON. */
  JsonVal toJson() const;
  std::string toString() const { return toJson().dump(); }

  /* Call a function with every node, each after all that read it. */
  void DFS(std::function<void(Node*)> handler) const;

  /* All nodes in the order of DFS: walk it backwards to meet inputs first. */
  std::vector<Node*> topological_sort() const {
    std::vector<Node*> order;
    DFS([&order](Node* node) { order.push_back(node); });
    return order;
  }

  /* Print the graph for reading. */
  void print(int indent = 0) const;

  /* Add a node, still without edges; op "null" is an input, to be put into `inputs` too. */
  Node* addNode(const std::string& name, const std::string& op) {
    nodes_.emplace_back(new Node());
    Node* node = nodes_.back().get();
    node->name = name;
    node->op = op;
    node->_setPassResource(resource_);
    return node;
  }

  Node* getNode(size_t index) { return nodes_.at(index).get(); }
  const Node* getNode(size_t index) const { return nodes_.at(index).get(); }
  size_t size() const { return nodes_.size(); }
  const JsonVal& getAttr(const std::string& key) const { return attrs.at(key); }

  void _setPassResource(PassResource* resource) {
    resource_ = resource;
    for (const auto& node : nodes_) node->_setPassResource(resource);
  }

  /* Let inputs know the arrays that were given for them. */
  void _setParams(NamedTensors* args, NamedTensors* aux) {
    for (Node* input : inputs) {
      const auto outer = input->attrs.find("argName");  // what an input of a subgraph stands for
      const std::string& name = outer == input->attrs.end() ? input->name : outer->second;
      for (NamedTensors* given : {args, aux}) {
        const auto found = given->find(name);
        if (found != given->end()) input->tensor = &found->second;
      }
    }
  }

  std::vector<Node*> inputs;
  std::vector<NodeEntry> outputs;
  std::map<std::string, JsonVal> attrs;

 private:
  void read_node(JsonVal* json);
  NodeEntry read_entry(const JsonVal& json) const;
  std::vector<const Node*> below_outputs() const;
  static JsonVal entry_to_json(const NodeEntry& entry, const std::map<const Node*, int>& numbers);
  static JsonVal node_to_json(const Node& node, const std::map<const Node*, int>& numbers);

  std::vector<std::unique_ptr<Node> > nodes_;
  std::vector<std::unique_ptr<Graph> > owned_;  // the subgraphs of nodes that were read
  PassResource* resource_;
};

inline Graph* Graph::fromJson(JsonVal json) {
  std::unique_ptr<Graph> graph(new Graph());
  for (JsonVal& node : json.map[JsonVal("nodes")].list) graph->read_node(&node);
  for (const JsonVal& head : json.map[JsonVal("heads")].list) {
    graph->outputs.push_back(graph->read_entry(head));
  }
  for (const auto& item : json.map) {
    const std::string& key = item.first.str;
    if (key != "nodes" && key != "heads" && key != "node_row_ptr" && key != "arg_nodes") {
      graph->attrs[key] = item.second;
    }
  }
  return graph.release();
}

inline NodeEntry Graph::read_entry(const JsonVal& json) const {
  const int number = json.list.size() < 2 ? -1 : json.list[0].num;
  if (number < 0 || static_cast<size_t>(number) >= nodes_.size()) {
    throw std::runtime_error("the graph's JSON refers to a node that is not there (yet): " +
                             json.dump());
  }
  return NodeEntry{nodes_[number].get(), json.list[1].num};
}

inline void Graph::read_node(JsonVal* json) {
  std::map<JsonVal, JsonVal>& fields = json->map;
  std::vector<NodeEntry> read;
  for (const JsonVal& input : fields[JsonVal("inputs")].list) read.push_back(read_entry(input));
  Node* node = addNode(fields[JsonVal("name")].str, fields[JsonVal("op")].str);
  node->inputs = read;
  for (size_t i = 0; i < read.size(); ++i) {
    read[i].node->outputs.push_back(NodeEntry{node, static_cast<int>(i)});
  }
  if (node->op == "null") inputs.push_back(node);
  for (const auto& item : fields[JsonVal("attrs")].map) {
    node->attrs[item.first.str] = item.second.str;
  }
  for (const JsonVal& subgraph : fields[JsonVal("subgraphs")].list) {
    owned_.emplace_back(fromJson(subgraph));
    node->subgraphs.push_back(owned_.back().get());
  }
}

inline void Graph::DFS(std::function<void(Node*)> handler) const {
  std::unordered_set<const Node*> seen;
  std::vector<std::pair<Node*, size_t> > path;  // a node and how many of its readers were visited
  std::vector<Node*> starts(inputs);
  for (const auto& node : nodes_) starts.push_back(node.get());
  for (Node* start : starts) {
    if (seen.insert(start).second) path.emplace_back(start, 0);
    while (!path.empty()) {
      Node* node = path.back().first;
      if (path.back().second == node->outputs.size()) {
        path.pop_back();
        handler(node);
      } else {
        Node* reader = node->outputs[path.back().second++].node;
        if (seen.insert(reader).second) path.emplace_back(reader, 0);
      }
    }
  }
}

/* What the outputs are computed from, inputs first. */
inline std::vector<const Node*> Graph::below_outputs() const {
  std::vector<const Node*> order;
  std::unordered_set<const Node*> seen;
  std::vector<std::pair<const Node*, size_t> > path;
  for (const NodeEntry& output : outputs) {
    if (seen.insert(output.node).second) path.emplace_back(output.node, 0);
    while (!path.empty()) {
      const Node* node = path.back().first;
      if (path.back().second == node->inputs.size()) {
        path.pop_back();
        order.push_back(node);
      } else {
        const Node* input = node->inputs[path.back().second++].node;
        if (seen.insert(input).second) path.emplace_back(input, 0);
      }
    }
  }
  return order;
}

inline JsonVal Graph::entry_to_json(const NodeEntry& entry,
                                    const std::map<const Node*, int>& numbers) {
  JsonVal json(LIST);
  for (int number : {numbers.at(entry.node), entry.entry, 0}) json.list.push_back(JsonVal(number));
  return json;
}

inline JsonVal Graph::node_to_json(const Node& node, const std::map<const Node*, int>& numbers) {
  JsonVal json(MAP), attributes(MAP), read(LIST), nested(LIST);
  for (const auto& item : node.attrs) {
    attributes.map[JsonVal(item.first)] = JsonVal(item.second);
  }
  for (const NodeEntry& input : node.inputs) read.list.push_back(entry_to_json(input, numbers));
  for (const Graph* subgraph : node.subgraphs) nested.list.push_back(subgraph->toJson());
  json.map[JsonVal("op")] = JsonVal(node.op);
  json.map[JsonVal("name")] = JsonVal(node.name);
  json.map[JsonVal("inputs")] = read;
  if (!attributes.map.empty()) json.map[JsonVal("attrs")] = attributes;
  if (!nested.list.empty()) json.map[JsonVal("subgraphs")] = nested;
  return json;
}

inline JsonVal Graph::toJson() const {
  JsonVal json(MAP), nodes(LIST), arguments(LIST), rows(LIST), heads(LIST);
  std::map<const Node*, int> numbers;
  for (const Node* node : below_outputs()) {
    const int number = static_cast<int>(numbers.size());
    numbers[node] = number;
    nodes.list.push_back(node_to_json(*node, numbers));
    rows.list.push_back(JsonVal(number));
    if (node->op == "null") arguments.list.push_back(JsonVal(number));
  }
  rows.list.push_back(JsonVal(static_cast<int>(numbers.size())));
  for (const NodeEntry& output : outputs) heads.list.push_back(entry_to_json(output, numbers));
  for (const auto& item : attrs) json.map[JsonVal(item.first)] = item.second;
  json.map[JsonVal("nodes")] = nodes;
  json.map[JsonVal("arg_nodes")] = arguments;
  json.map[JsonVal("node_row_ptr")] = rows;
  json.map[JsonVal("heads")] = heads;
  return json;
}

inline void Graph::print(int indent) const {
  const std::string margin(indent, ' ');
  std::cout << margin << "graph of " << size() << " nodes, " << inputs.size() << " inputs, "
            << outputs.size() << " outputs" << std::endl;
  const std::vector<Node*> order = topological_sort();
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    std::cout << margin << "  " << (*node)->op << " " << (*node)->name << "(";
    for (size_t i = 0; i < (*node)->inputs.size(); ++i) {
      const NodeEntry& input = (*node)->inputs[i];
      std::cout << (i == 0 ? "" : ", ") << input.node->name << "[" << input.entry << "]";
    }
    std::cout << ")" << std::endl;
    for (const Graph* subgraph : (*node)->subgraphs) subgraph->print(indent + 4);
  }
}

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_GRAPH_H_

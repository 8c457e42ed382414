/* Partitioners, which choose subgraphs, and graph passes, which rewrite the graph. */
#ifndef MXNET_EXTENSION_PARTITION_H_
#define MXNET_EXTENSION_PARTITION_H_

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapt.h"
#include "graph.h"
#include "messages.h"
#include "resources.h"
#include "tensor.h"

namespace mxnet {
namespace ext {

/* Chooses nodes step by step: from a node it accepts, the subgraph grows along edges it accepts. */
class CustomOpSelector {
 public:
  virtual ~CustomOpSelector() {}
  virtual bool Select(int nodeID) = 0;
  virtual bool SelectInput(int nodeID, int input_nodeID) = 0;
  virtual bool SelectOutput(int nodeID, int output_nodeID) = 0;
  /* Keep some of the nodes that a subgraph has grown to; all by default. */
  virtual void Filter(const std::vector<int>& candidates, std::vector<int>* keep) {
    keep->insert(keep->end(), candidates.begin(), candidates.end());
  }
  virtual void Reset() {}
};

typedef MXReturnValue (*supportedOps_t)(const Graph*, std::vector<int>*, const Attributes&);
typedef MXReturnValue (*createSelector_t)(const Graph*, CustomOpSelector**, const Attributes&);
typedef MXReturnValue (*reviewSubgraph_t)(const Graph*, int, bool*, const Attributes&, Attributes*);
typedef MXReturnValue (*graphPass_t)(Graph*, const Attributes&);

namespace adapt {
typedef Functions<GraphSource, std::vector<int>, const Attributes> SupportedOps;
typedef Functions<GraphSource, CustomOpSelector*, const Attributes> CreateSelector;
typedef Functions<GraphSource, const int, bool, const Attributes, Attributes, const NamedTensors,
                  const NamedTensors> ReviewSubgraph;
typedef Functions<Graph, const Attributes> GraphPass;
typedef Functions<const std::string, const std::string*, const Attributes, const NamedTensors,
                  const NamedTensors, const PassResource> TextPass;
}  // namespace adapt

/* A backend: one or more strategies, each choosing subgraphs for one subgraph operator. */
class CustomPartitioner {
 public:
  struct Strategy {
    std::string name;
    std::string op_name;
    adapt::SupportedOps::Function supported_ops;
    adapt::CreateSelector::Function create_selector;
    adapt::ReviewSubgraph::Function review_subgraph;
  };

  explicit CustomPartitioner(const char* backend_name) : name(backend_name) {}

  CustomPartitioner& addStrategy(const char* strategy_name, const char* op_name) {
    strategies.emplace_back(new Strategy());
    strategies.back()->name = strategy_name;
    strategies.back()->op_name = op_name;
    return *this;
  }

  /* Say for each node whether it is supported: -2 no, -1 yes, n >= 0 in subgraph n. */
  template <class F>
  CustomPartitioner& setSupportedOps(const char* strategy_name, F function) {
    strategy(strategy_name).supported_ops = adapt::SupportedOps::of(function);
    return *this;
  }
  CustomPartitioner& setSupportedOps(const char* strategy_name, supportedOps_t function) {
    return setSupportedOps<supportedOps_t>(strategy_name, function);
  }

  /* Instead of setSupportedOps: make the selector. */
  template <class F>
  CustomPartitioner& setCreateSelector(const char* strategy_name, F function) {
    strategy(strategy_name).create_selector = adapt::CreateSelector::of(function);
    return *this;
  }
  CustomPartitioner& setCreateSelector(const char* strategy_name, createSelector_t function) {
    return setCreateSelector<createSelector_t>(strategy_name, function);
  }

  /* Accept or reject a subgraph, and give its node attributes. */
  template <class F>
  CustomPartitioner& setReviewSubgraph(const char* strategy_name, F function) {
    strategy(strategy_name).review_subgraph = adapt::ReviewSubgraph::of(function);
    return *this;
  }
  CustomPartitioner& setReviewSubgraph(const char* strategy_name, reviewSubgraph_t function) {
    return setReviewSubgraph<reviewSubgraph_t>(strategy_name, function);
  }

  const char* name;
  std::vector<std::unique_ptr<Strategy> > strategies;

 private:
  Strategy& strategy(const std::string& strategy_name) {
    for (const auto& known : strategies) {
      if (known->name == strategy_name) return *known;
    }
    throw std::runtime_error("partitioner " + std::string(name) + " has no strategy " +
                             strategy_name + "; addStrategy comes first");
  }
};

/* A graph pass under registration. */
class CustomPass {
 public:
  explicit CustomPass(const char* pass_name) : name(pass_name) {}

  template <class F>
  CustomPass& setBody(F function) {
    set(function, adapt::Parameters<adapt::Arity<F>::value>());
    return *this;
  }
  CustomPass& setBody(graphPass_t function) { return setBody<graphPass_t>(function); }

  const char* name;
  adapt::TextPass::Function pass;

 private:
  template <class F>
  void set(F function, adapt::Parameters<6>) { pass = adapt::TextPass::of(function); }

  template <class F>
  void set(F function, adapt::Parameters<2>) {
    const adapt::GraphPass::Function body = adapt::GraphPass::of(function);
    pass = [body](const std::string* in, const std::string** out, const Attributes* options,
                  const NamedTensors* args, const NamedTensors* aux,
                  const PassResource* resource) {
      NamedTensors known_args(*args), known_aux(*aux);
      PassResource lent(*resource);
      std::unique_ptr<Graph> graph(Graph::fromString(*in));
      graph->_setPassResource(&lent);
      graph->_setParams(&known_args, &known_aux);
      const MXReturnValue result = body(graph.get(), options);
      if (result == MX_SUCCESS) *out = new std::string(graph->toString());
      return result;
    };
  }
};

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_PARTITION_H_

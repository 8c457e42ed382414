/*
 * Functions of every style, made into one form.
 *
 * Over the years the interface has passed vectors by value, by reference and by pointer, attributes as
 * map and unordered_map, graphs as objects and as JSON, with and without an OpResource. Here `Give`
 * turns what we have, a pointer, into what a parameter asks for; so functions of all these styles can
 * be registered, and so can lambdas.
 */
#ifndef MXNET_EXTENSION_ADAPT_H_
#define MXNET_EXTENSION_ADAPT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "graph.h"
#include "messages.h"
#include "tensor.h"

namespace mxnet {
namespace ext {
namespace adapt {

/* A graph as it comes: JSON, to be parsed when a function asks for a Graph. */
struct GraphSource {
  explicit GraphSource(const char* text) : json(text) {}

  Graph* graph() {
    if (!parsed) parsed.reset(Graph::fromString(json));
    return parsed.get();
  }

  std::string json;
  std::unique_ptr<Graph> parsed;
};

/* By reference and by value. */
template <class P>
struct Give {
  template <class T>
  static T& from(T* source) { return *source; }
  static const std::string& from(GraphSource* source) { return source->json; }
};

/* By pointer. */
template <class P>
struct Give<P*> {
  template <class T>
  static T* from(T* source) { return source; }
  static Graph* from(GraphSource* source) { return source->graph(); }
};

/* Attributes as an ordered map: a copy. */
typedef std::map<std::string, std::string> OrderedAttributes;

struct GiveOrdered {
  static OrderedAttributes from(const Attributes* source) {
    return OrderedAttributes(source->begin(), source->end());
  }
};

template <>
struct Give<OrderedAttributes> : GiveOrdered {};
template <>
struct Give<const OrderedAttributes&> : GiveOrdered {};

template <int... Numbers>
struct Sequence {};
template <int Count, int... Numbers>
struct FirstNumbers : FirstNumbers<Count - 1, Count - 1, Numbers...> {};
template <int... Numbers>
struct FirstNumbers<0, Numbers...> {
  typedef Sequence<Numbers...> Type;
};

/* Functions of `Full`, or of the first few of them. */
template <class... Full>
struct Functions {
  typedef std::function<MXReturnValue(Full*...)> Function;

  template <class... P>
  static Function of(MXReturnValue (*function)(P...)) {
    return bind<P...>(function, typename FirstNumbers<sizeof...(P)>::Type());
  }

  template <class F>
  static Function of(F functor) { return of_member(functor, &F::operator()); }

 private:
  template <class F, class... P>
  static Function of_member(F functor, MXReturnValue (F::*)(P...) const) {
    return bind<P...>(functor, typename FirstNumbers<sizeof...(P)>::Type());
  }

  template <class... P, class F, int... I>
  static Function bind(F function, Sequence<I...>) {
    static_assert(sizeof...(P) <= sizeof...(Full), "this function takes too many parameters");
    return [function](Full*... all) -> MXReturnValue {
      std::tuple<Full*...> given(all...);
      return function(Give<P>::from(std::get<I>(given))...);
    };
  }
};

/* How many parameters a function or lambda takes. */
template <class F>
struct Arity : Arity<decltype(&F::operator())> {};
template <class R, class... P>
struct Arity<R (*)(P...)> {
  static const int value = sizeof...(P);
};
template <class F, class R, class... P>
struct Arity<R (F::*)(P...) const> {
  static const int value = sizeof...(P);
};
template <int Count>
struct Parameters {};

}  // namespace adapt
}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_ADAPT_H_

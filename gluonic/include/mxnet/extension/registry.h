/* What a library has registered; the objects live as long as the library. */
#ifndef MXNET_EXTENSION_REGISTRY_H_
#define MXNET_EXTENSION_REGISTRY_H_

#include <memory>
#include <vector>

#include "messages.h"

namespace mxnet {
namespace ext {

template <class T>
class Registry {
 public:
  PRIVATE_SYMBOL static Registry* get() {
    static Registry all;
    return &all;
  }

  T& add(const char* name) {
    entries_.emplace_back(new T(name));
    return *entries_.back();
  }

  int size() const { return static_cast<int>(entries_.size()); }
  T& get(int index) { return *entries_.at(index); }

 private:
  Registry() {}

  std::vector<std::unique_ptr<T> > entries_;
};

}  // namespace ext
}  // namespace mxnet

#define MX_EXT_JOIN_(a, b) a##b
#define MX_EXT_JOIN(a, b) MX_EXT_JOIN_(a, b)
#if defined(__GNUC__)
#define MX_EXT_UNUSED __attribute__((unused))
#else
#define MX_EXT_UNUSED
#endif
#define MX_EXT_REGISTER(Kind, Name)                                              \
  MX_EXT_UNUSED static mxnet::ext::Kind& MX_EXT_JOIN(mx_registered_, __COUNTER__) = \
      mxnet::ext::Registry<mxnet::ext::Kind>::get()->add(#Name)

#define REGISTER_OP(Name) MX_EXT_REGISTER(CustomOp, Name)
#define REGISTER_PARTITIONER(Name) MX_EXT_REGISTER(CustomPartitioner, Name)
#define REGISTER_PASS(Name) MX_EXT_REGISTER(CustomPass, Name)

#endif  // MXNET_EXTENSION_REGISTRY_H_

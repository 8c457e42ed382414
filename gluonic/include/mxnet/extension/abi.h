/*
 * The C functions through which a framework talks to a library: version 11 of the interface.
 *
 * Only numbers, pointers and C strings cross this border. Functions of the library travel as opaque
 * handles, here pointers to std::function. An exception becomes a message and a failure; the few functions
 * that cannot report failure let it pass.
 */
#ifndef MXNET_EXTENSION_ABI_H_
#define MXNET_EXTENSION_ABI_H_

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "messages.h"
#include "operators.h"
#include "partition.h"
#include "registry.h"
#include "resources.h"
#include "tensor.h"

#define MX_LIBRARY_VERSION 11

#if defined(_WIN32)
#define MX_EXT_API extern "C" __declspec(dllexport) inline
#else
#define MX_EXT_API extern "C" __attribute__((used, visibility("default"))) inline
#endif

namespace mxnet {
namespace ext {
namespace abi {

typedef const char* const* Strings;

inline Attributes attributes(Strings keys, Strings values, int count) {
  Attributes made;
  for (int i = 0; i < count; ++i) made[keys[i]] = values[i];
  return made;
}

/* Run `body`; what it throws becomes a message and MX_FAIL. */
template <class Body>
int guarded(Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    MXerrorMsgs::get()->add() << error.what();
  } catch (...) {
    MXerrorMsgs::get()->add() << "an exception that is no std::exception";
  }
  return MX_FAIL;
}

inline int fail(const char* why) {
  MXerrorMsgs::get()->add() << why;
  return MX_FAIL;
}

template <class T>
T* allocate(size_t count) {
  void* memory = malloc(count == 0 ? 1 : count * sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

inline char* copy(const std::string& text) {
  return static_cast<char*>(memcpy(allocate<char>(text.size() + 1), text.c_str(), text.size() + 1));
}

/* Shapes as arrays that the framework will free. */
inline void export_shapes(const Shapes& shapes, unsigned int*** arrays, int** ranks) {
  *arrays = allocate<unsigned int*>(shapes.size());
  *ranks = allocate<int>(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    (*ranks)[i] = static_cast<int>(shapes[i].size());
    (*arrays)[i] = allocate<unsigned int>(shapes[i].size());
    std::copy(shapes[i].begin(), shapes[i].end(), (*arrays)[i]);
  }
}

inline Shapes import_shapes(unsigned int* const* arrays, const int* ranks, int count) {
  Shapes shapes;
  for (int i = 0; i < count; ++i) shapes.emplace_back(arrays[i], arrays[i] + ranks[i]);
  return shapes;
}

/* The tensors of one side of a computation, and the sparse parts that theirs point to. */
struct TensorGroup {
  TensorGroup(const int64_t** shapes, const int* ranks, void** data, const int* dtypes,
              const size_t* versions, const char** devices, const int* device_ids, int count,
              const int* storage, void** indices, void** indptr, const int64_t* index_counts,
              const int64_t* indptr_counts)
      : tensors(count), sparse(count) {
    for (int i = 0; i < count; ++i) {
      const MXStorageType type = static_cast<MXStorageType>(storage[i]);
      void* pointer = data[i];
      if (type != kDefaultStorage) {
        const bool csr = type == kCSRStorage;
        sparse[i].set(data[i], shapes[i], ranks[i], indices[i], index_counts[i],
                      csr ? indptr[i] : nullptr, csr ? indptr_counts[i] : 0);
        pointer = &sparse[i];
      }
      tensors[i].setTensor(pointer, static_cast<MXDType>(dtypes[i]), shapes[i], ranks[i],
                           versions[i], MXContext(devices[i], device_ids[i]), type);
    }
  }

  Tensors tensors;
  std::vector<MXSparse> sparse;
};

inline NamedTensors named_tensors(Strings names, int count, void* const* data,
                                  const int64_t* const* shapes, const int* ranks, const int* dtypes,
                                  const size_t* versions, Strings devices, const int* device_ids) {
  NamedTensors made;
  for (int i = 0; i < count; ++i) {
    made[names[i]] = MXTensor(data[i], std::vector<int64_t>(shapes[i], shapes[i] + ranks[i]),
                              static_cast<MXDType>(dtypes[i]), versions[i],
                              MXContext(devices[i], device_ids[i]));
  }
  return made;
}

/* A selector and the graph it was made for, which selectors keep a pointer to. */
struct SelectorInstance {
  explicit SelectorInstance(const char* json) : source(json) {}

  adapt::GraphSource source;
  std::unique_ptr<CustomOpSelector> selector;
};

inline CustomOpSelector& selector(void* instance) {
  return *static_cast<SelectorInstance*>(instance)->selector;
}

template <class Function>
const Function& as(const void* handle) { return *static_cast<const Function*>(handle); }

/* A handle for a function; null for one that was not set. */
template <class Function>
void* handle(Function& function) { return function ? &function : nullptr; }

}  // namespace abi
}  // namespace ext
}  // namespace mxnet

// Defined by every library: whether it works with that version of the framework (1.9.1 is 10901).
extern "C"
#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
mxnet::ext::MXReturnValue initialize(int version);

#include "abi_operators.h"
#include "abi_partition.h"

#endif  // MXNET_EXTENSION_ABI_H_

/* Tensors as operators see them: a pointer, a shape, a dtype, a device. */
#ifndef MXNET_EXTENSION_TENSOR_H_
#define MXNET_EXTENSION_TENSOR_H_

#include <stdint.h>

#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// DLPack 0.2, the part that a tensor needs. Whoever includes dlpack.h first keeps its definitions.
#ifndef DLPACK_VERSION
#define DLPACK_VERSION 020

extern "C" {
typedef enum { kDLCPU = 1, kDLGPU = 2, kDLExtDev = 12 } DLDeviceType;
typedef enum { kDLInt = 0U, kDLUInt = 1U, kDLFloat = 2U } DLDataTypeCode;

typedef struct {
  DLDeviceType device_type;
  int device_id;
} DLContext;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void* data;
  DLContext ctx;
  int ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
}
#endif  // DLPACK_VERSION

namespace mxnet {
namespace ext {

enum MXDType {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kUint8 = 3,
  kInt32 = 4,
  kInt8 = 5,
  kInt64 = 6,
  kUNSET = 100,
};

enum MXStorageType { kDefaultStorage = 0, kRowSparseStorage = 1, kCSRStorage = 2 };

struct MXContext {
  MXContext() : dev_type("error"), dev_id(-1) {}
  explicit MXContext(std::string type, int id) : dev_type(std::move(type)), dev_id(id) {}
  explicit MXContext(const char* type, int id) : dev_type(type), dev_id(id) {}

  static MXContext CPU(int id = 0) { return MXContext("cpu", id); }
  static MXContext GPU(int id = 0) { return MXContext("gpu", id); }

  std::string dev_type;
  int dev_id;
};

/* What the data pointer of a sparse tensor points to. */
struct MXSparse {
  /* Describe existing arrays: without `ptr` row_sparse (rows of the other axes), with it csr. */
  void set(void* values, const int64_t* dims, int ndims, void* idx, int64_t idx_count,
           void* ptr = nullptr, int64_t ptr_count = 0) {
    data = values;
    indices = static_cast<int64_t*>(idx);
    indices_len = data_len = idx_count;
    indptr = static_cast<int64_t*>(ptr);
    indptr_len = ptr == nullptr ? 0 : ptr_count;
    for (int axis = 1; ptr == nullptr && axis < ndims; ++axis) data_len *= dims[axis];
  }

  void* data = nullptr;
  int64_t data_len = 0;
  int64_t* indices = nullptr;  // csr: columns; row_sparse: rows
  int64_t indices_len = 0;
  int64_t* indptr = nullptr;  // csr only
  int64_t indptr_len = 0;
};

/* An array, borrowed for the duration of a call: contiguous, in row-major order. */
struct MXTensor {
  MXTensor() { dltensor = DLTensor(); }

  MXTensor(const MXTensor& other) { *this = other; }

  MXTensor(void* data, std::vector<int64_t> dims, MXDType type, size_t version, MXContext context,
           MXStorageType storage = kDefaultStorage)
      : data_ptr(data), shape(std::move(dims)), dtype(type), verID(version),
        ctx(std::move(context)), stype(storage) {
    setDLTensor();
  }

  MXTensor& operator=(const MXTensor& other) {
    data_ptr = other.data_ptr;
    shape = other.shape;
    dtype = other.dtype;
    verID = other.verID;
    ctx = other.ctx;
    stype = other.stype;
    if (dtype == kUNSET) {
      dltensor = DLTensor();
    } else {
      setDLTensor();  // its shape points into this tensor's own vector
    }
    return *this;
  }

  void setTensor(void* data, MXDType type, const int64_t* dims, int ndims, size_t version,
                 MXContext context, MXStorageType storage) {
    data_ptr = data;
    dtype = type;
    shape.assign(dims, dims + ndims);
    verID = version;
    ctx = std::move(context);
    stype = storage;
    setDLTensor();
  }

  /* Bring `dltensor` up to date; throws for a dtype that tensors cannot have. */
  void setDLTensor() {
    struct Format { DLDataTypeCode code; int bits; };
    static const Format formats[] = {{kDLFloat, 32}, {kDLFloat, 64}, {kDLFloat, 16}, {kDLUInt, 8},
                                     {kDLInt, 32},   {kDLInt, 8},    {kDLInt, 64}};
    const int code = static_cast<int>(dtype);
    if (code < 0 || code > kInt64) {
      throw std::runtime_error("Error! Invalid dtype flag: " + std::to_string(code) +
                               " when constructing MXTensor");
    }
    dltensor = DLTensor();
    dltensor.data = data_ptr;
    dltensor.ctx.device_type = ctx.dev_type == "cpu" ? kDLCPU
                               : ctx.dev_type == "gpu" ? kDLGPU : kDLExtDev;
    dltensor.ctx.device_id = ctx.dev_id;
    dltensor.ndim = static_cast<int>(shape.size());
    dltensor.shape = shape.data();
    dltensor.dtype.code = static_cast<uint8_t>(formats[code].code);
    dltensor.dtype.bits = static_cast<uint8_t>(formats[code].bits);
    dltensor.dtype.lanes = 1;
  }

  template <typename T>
  T* data() { return static_cast<T*>(data_ptr); }

  template <typename T>
  const T* data() const { return static_cast<const T*>(data_ptr); }

  /* The number of elements. */
  int64_t size() const {
    int64_t count = 1;
    for (int64_t axis : shape) count *= axis;
    return count;
  }

  /* Whether this is the same memory, unchanged since the other tensor was made. */
  bool isSame(const MXTensor& other) const {
    return data_ptr == other.data_ptr && dtype == other.dtype && verID == other.verID &&
           ctx.dev_type == other.ctx.dev_type && ctx.dev_id == other.ctx.dev_id &&
           shape == other.shape && stype == other.stype;
  }

  void* data_ptr = nullptr;  // of a sparse tensor: an MXSparse
  std::vector<int64_t> shape;
  MXDType dtype = kUNSET;
  size_t verID = 0;  // grows whenever the array is written
  MXContext ctx;
  DLTensor dltensor;
  MXStorageType stype = kDefaultStorage;
};

typedef std::unordered_map<std::string, std::string> Attributes;
typedef std::vector<MXTensor> Tensors;
typedef std::vector<std::vector<unsigned int> > Shapes;
typedef std::unordered_map<std::string, MXTensor> NamedTensors;

}  // namespace ext
}  // namespace mxnet

#endif  // MXNET_EXTENSION_TENSOR_H_

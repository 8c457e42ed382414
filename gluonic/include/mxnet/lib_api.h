/*
 * Operators, partitioners and graph passes in C++, for gluonic and for MXNet.
 *
 * Include this header, register what you have with REGISTER_OP, REGISTER_PARTITIONER and REGISTER_PASS,
 * define `initialize`, and compile a shared library; `mx.library.load` finds everything in it. The header
 * is all there is: no library to link, no other source to compile. C++11.
 *
 * A library made with it speaks version 11 of MXNet's extension interface: gluonic loads it, and so does
 * MXNet 1.9.
 *
 *     #include "mxnet/lib_api.h"
 *     using namespace mxnet::ext;
 *
 *     MXReturnValue forward(const Attributes& attrs, Tensors* inputs, Tensors* outputs,
 *                           const OpResource& res) { ... return MX_SUCCESS; }
 *     ...
 *     REGISTER_OP(my_op).setForward(forward, "cpu").setParseAttrs(parseAttrs)
 *         .setInferType(inferType).setInferShape(inferShape);
 *
 *     MXReturnValue initialize(int version) { return version >= 10900 ? MX_SUCCESS : MX_FAIL; }
 *
 * Functions may take their arguments by value, by reference or by pointer, attributes as a map or an
 * unordered_map, and may leave the OpResource out; see extension/adapt.h.
 */
#ifndef MXNET_LIB_API_H_
#define MXNET_LIB_API_H_

#include "extension/abi.h"
#include "extension/adapt.h"
#include "extension/graph.h"
#include "extension/json.h"
#include "extension/messages.h"
#include "extension/operators.h"
#include "extension/partition.h"
#include "extension/registry.h"
#include "extension/resources.h"
#include "extension/tensor.h"

#endif  // MXNET_LIB_API_H_

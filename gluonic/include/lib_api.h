/*
 * The door for sources that know no namespace, such as those written for MXNet 1.7:
 * everything of <mxnet/lib_api.h>, visible without `mxnet::ext::`.
 */
#ifndef GLUONIC_LIB_API_H_
#define GLUONIC_LIB_API_H_

#include "mxnet/lib_api.h"

using namespace mxnet::ext;  // NOLINT

#endif  // GLUONIC_LIB_API_H_

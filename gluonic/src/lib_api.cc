/*
 * Nothing: the headers in ../include are all there is. Build lines made for MXNet 1.8 and 1.9 compile
 * src/lib_api.cc along with the library; they go on working.
 */
#include "mxnet/lib_api.h"

"""Convolution and pooling: kernels, blocked layouts, gradients."""

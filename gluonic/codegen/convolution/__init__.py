"""Convolution: kernels for images in blocks of channels, or matrix products; operators on blocks."""

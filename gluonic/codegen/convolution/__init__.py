"""Convolution: kernels for images in blocks of channels, or products of matrices; operators on blocks."""

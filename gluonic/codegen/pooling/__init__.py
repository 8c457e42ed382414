"""Pooling of images, in blocks of channels or with a plane for each, and its gradients."""

"""Pooling of images, in blocks of channels or in planes, and its gradients."""

"""Resizing of images in blocks of channels, and its gradients."""

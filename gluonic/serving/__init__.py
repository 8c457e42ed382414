"""Serving models over HTTP with the KServe v2 protocol: ``gluonic serve``."""

"""The part of `mx.base` for programs that call MXNet's C functions through ctypes."""

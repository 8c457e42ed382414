"""What `mx.base` has for programs that call MXNet's C functions through ctypes."""

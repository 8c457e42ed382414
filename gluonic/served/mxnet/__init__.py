"""What ``import mxnet`` finds in processes that a program under ``python -m gluonic`` starts.

The folder above is on their ``PYTHONPATH``. A Python that has no gluonic goes on to what lies behind.
"""

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path

if __name__ == "mxnet":
    del sys.modules["mxnet"]  # whoever imports this gets what is put there instead
    if find_spec("gluonic") is None:
        sys.path.remove(str(Path(__file__).parent.parent))
        importlib.import_module("mxnet")
    else:
        importlib.import_module("gluonic.served").serve()

"""The operators of ``mx.np``: most are other operators with NumPy's rules of shapes and dtypes."""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

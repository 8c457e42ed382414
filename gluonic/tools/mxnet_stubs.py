"""Stub files under the name ``mxnet``: type checkers read programs for MXNet as programs for gluonic."""

import keyword
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from gluonic.mxnet_names.modules import PARTS

_ROOT = Path(__file__).parent.parent
_MXNET = """
autograd callback contrib.amp contrib.autograd contrib.io contrib.onnx contrib.quantization
contrib.svrg_optimization contrib.tensorboard contrib.text.embedding contrib.text.vocab engine
error gluon.constant gluon.contrib.cnn gluon.contrib.data gluon.contrib.estimator gluon.contrib.nn
gluon.contrib.rnn gluon.data.dataset gluon.data.sampler gluon.data.vision
gluon.model_zoo.model_store gluon.model_zoo.vision gluon.nn.activations gluon.symbol_block
gluon.trainer init kv libinfo library log lr_scheduler mod monitor nd nd.contrib nd.linalg
nd.random nd.sparse ndarray.contrib ndarray.image ndarray.linalg ndarray.op ndarray.random
ndarray.sparse np np.linalg np.random npx numpy.linalg numpy.random numpy_extension.random
operator optimizer profiler random recordio registry rnn runtime sym sym.contrib sym.linalg
sym.random symbol.contrib symbol.image symbol.linalg symbol.op symbol.random symbol.sparse
test_utils util visualization viz
"""
"""Modules that programs import from ``mxnet``, besides those of `PARTS`."""
_SHORT = {
    "init": "initializer", "kv": "kvstore", "mod": "module", "nd": "ndarray", "np": "numpy",
    "npx": "numpy_extension", "sym": "symbol", "viz": "visualization",
}  # fmt: skip


def stubs_of_mxnet() -> Iterator[tuple[str, str]]:
    """The stubs of MXNet's modules, each of all that the modules here define."""
    names = {name for name in PARTS if not name.startswith("mxnet2.")} | {*_MXNET.split()}
    for name in [*names]:
        parts = name.split(".")
        names.update(".".join(parts[:count]) for count in range(1, len(parts)))
    packages = {name.rpartition(".")[0] for name in names}
    yield "__init__.pyi", _reexported(["gluonic"])
    for name in sorted(names):
        path = name.replace(".", "/") + ("/__init__" if name in packages else "")
        first, _, rest = name.partition(".")
        yield f"{path}.pyi", _reexported(_parts(f"{_SHORT.get(first, first)}.{rest}".rstrip(".")))


def _parts(name: str) -> Iterator[str]:
    """The modules here that make up one of MXNet's."""
    path = _ROOT / name.replace(".", "/")
    if path.with_suffix(".py").exists() or path.is_dir():
        yield f"gluonic.{name}"
    for part in PARTS.get(name, ()):
        package, star, _ = part.partition(".*")
        folder = _ROOT / package.replace(".", "/")
        files = sorted(each.stem for each in folder.glob("[!_]*.py")) if star else ()
        yield from (f"gluonic.{package}.{each}" for each in files)
        if not star:
            yield f"gluonic.{part}"


def _reexported(modules: Iterable[str]) -> str:
    """A stub of all that modules have, name by name where a checker may not read their ``__all__``."""
    lines = [
        '"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""\n'
    ]
    for module in modules:
        lines.append(f"from {module} import *")
        names = [name for name in _own(module) if not keyword.iskeyword(name)]
        if names and module != "gluonic":
            listed = [f"    {name} as {name}," for name in names]
            lines += [f"from {module} import (", *listed, ")"]
    return "\n".join([*lines, ""])


def _own(module: str) -> list[str]:
    """The public names that a module lists and that are defined below it."""
    imported = import_module(module)
    return [
        name
        for name in sorted(getattr(imported, "__all__", ()))
        if not name.startswith("_")
        if (getattr(getattr(imported, name), "__module__", None) or "").startswith(module)
    ]

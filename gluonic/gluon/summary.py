"""`net.summary(x)`: a table of layers, output shapes and numbers of parameters."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gluonic.gluon.hooks import HookHandle
from gluonic.ndarray import NDArray

if TYPE_CHECKING:
    from gluonic.gluon.block import Block
    from gluonic.gluon.parameter import Parameter

_ROW = "{:>20}  {:>42} {:>15}"
_WIDTH = 80


class _Layer(NamedTuple):
    title: str
    output_shape: str
    parameters: "list[Parameter]"


def _shapes(nested: Any) -> str:
    """The shapes of nested arrays, without the brackets around all of them."""
    if isinstance(nested, (list, tuple)):
        return ", ".join(
            f"[{_shapes(n)}]" if isinstance(n, (list, tuple)) else _shapes(n) for n in nested
        )
    return str(nested.shape) if isinstance(nested, NDArray) else str(nested)


def _run(block: "Block", inputs: Sequence[Any]) -> list[_Layer]:
    """Run the net once, eagerly, and note what each layer returns."""
    from gluonic.gluon.hybrid import eagerly
    from gluonic.gluon.nn import HybridSequential, Sequential

    layers: list[_Layer] = []
    handles: list[HookHandle] = []
    watched: set[Block] = set()

    def watch(child: "Block") -> None:
        def note(layer: "Block", _: Any, outputs: Any) -> None:
            title = f"{type(layer).__name__}-{len(layers) + 1}"
            layers.append(_Layer(title, _shapes(outputs), list(layer.params.values())))

        if child not in watched and not isinstance(child, (Sequential, HybridSequential)):
            watched.add(child)
            handles.append(child.register_forward_hook(note))

    block.apply(watch)
    try:
        with eagerly():
            block(*inputs)
    finally:
        for handle in handles:
            handle.detach()
    return layers


def _size(parameters: "Sequence[Parameter]") -> int:
    return sum(parameter.data().size for parameter in parameters)


def print_summary(block: "Block", inputs: Sequence[Any]) -> None:
    """Print the table; hybridized nets give the same one as others."""
    layers = _run(block, inputs)
    print("-" * _WIDTH)
    print(_ROW.format("Layer (type)", "Output Shape", "Param #"))
    print("=" * _WIDTH)
    nested = tuple(inputs) if len(inputs) != 1 else inputs[0]
    print(_ROW.format("Input", _shapes(nested), 0))
    for layer in layers:
        print(_ROW.format(layer.title, layer.output_shape, _size(layer.parameters)))
    uses = [parameter for layer in layers for parameter in layer.parameters]
    total, unique = _size(uses), _size(list(dict.fromkeys(uses)))
    trainable = _size([parameter for parameter in uses if parameter.grad_req != "null"])
    print("=" * _WIDTH)
    print("Parameters in forward computation graph, duplicate included")
    print(f"   Total params: {total}")
    print(f"   Trainable params: {trainable}")
    print(f"   Non-trainable params: {total - trainable}")
    print(f"Shared params in forward computation graph: {total - unique}")
    print(f"Unique parameters in model: {unique}")
    print("-" * _WIDTH)

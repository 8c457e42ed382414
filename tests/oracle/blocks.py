"""What cases of layers and cells share: their numbers, what is differentiated, what is compared."""

from __future__ import annotations

from typing import Any


def set_parameters(block: Any, draw: Any, dtype: str) -> None:
    """Give parameters numbers that are the same for both packages."""
    parameters = block.collect_params()
    for key in sorted(parameters.keys()):
        parameters[key].set_data(0.5 * draw.randn(*parameters[key].shape).astype(dtype))


def drawn_states(mx: Any, block: Any, draw: Any, dtype: str) -> list[Any]:
    """States to begin with, for a batch of two."""
    return [
        mx.nd.array(0.5 * draw.randn(*info["shape"]), dtype=dtype) for info in block.state_info(2)
    ]


def total(outputs: list[Any], states: list[Any]) -> Any:
    """A number in which every output and every last state weighs."""
    return sum((one * one).sum() for one in outputs) + sum((s * s * 0.5).sum() for s in states)


def forward_results(outputs: list[Any], states: list[Any]) -> dict[str, Any]:
    """Outputs and last states, to be compared."""
    results = {f"outputs/{i}": one for i, one in enumerate(outputs)}
    return {**results, **{f"states/{i}": state for i, state in enumerate(states)}}


def gradients(block: Any, x: Any, begin_states: list[Any]) -> dict[str, Any]:
    """The gradients of the input, the states it began with and all parameters, to be compared."""
    parameters = sorted(block.collect_params().items())
    return {
        "input": x.grad,
        **{f"begin/{i}": state.grad for i, state in enumerate(begin_states)},
        **{f"gradients/{key}": p.grad() for key, p in parameters if p.grad_req != "null"},
    }

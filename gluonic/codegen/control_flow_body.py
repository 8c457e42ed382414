"""The sub-graph of a loop or branch: the sources of its variables, its forward and backward runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.program import Program
from gluonic.graph import Array, Graph, Node, Run
from gluonic.graph.errors import MXNetError
from gluonic.graph.infer import infer, infer_through
from gluonic.graph.random_source import Recorded, Repeated
from gluonic.graph.view import unify
from gluonic.support.cached_property import cached_property

Condition = Callable[[list[Array]], bool]


@dataclass
class Trail:
    """The data that a run stores for the backward run, which repeats each step to differentiate it.

    Attributes
    ----------
    body : the body of the node that was run
    states : the states before each step except the first
    random : the random numbers of each step
    """

    body: "Body"
    states: list[list[Array]] = field(default_factory=list)
    random: list[list[Any]] = field(default_factory=list)


@dataclass(eq=False)
class Body:
    """A sub-graph and the sources of its variables, by their index in ``graph.variables``.

    Attributes
    ----------
    graph : the computation of one step: outputs to be stacked, then new states (or values to be returned)
    outer : for each variable, the input of the node that is its value, at least in the first step
    slices : the variables that stand for a slice of their input, a different one in each step
    states : the variables that stand for states, in order
    stacked : number of stacked outputs
    """

    graph: Graph
    outer: tuple[int, ...]
    slices: tuple[int, ...] = ()
    states: tuple[int, ...] = ()
    stacked: int = 0
    _differentiable: dict[Any, DifferentiableProgram] = field(default_factory=dict)

    def check(self, input_count: int, output_count: int) -> None:
        """Raise an error for positions and counts, perhaps from a file, that do not fit the graph."""
        count, outputs = len(self.graph.variables), len(self.graph.outputs)
        known = len(self.outer) == count and all(0 <= i < input_count for i in self.outer)
        if not known or not all(0 <= p < count for p in (*self.slices, *self.states)):
            raise MXNetError(
                f"the positions of inputs do not go with a sub-graph of {count} variables "
                f"and a node of {input_count} inputs"
            )
        new_states = outputs - self.stacked if self.states else 0
        if outputs != output_count or new_states != len(self.states):
            raise MXNetError(
                f"a sub-graph has {outputs} outputs, {self.stacked} of them to be stacked, "
                f"for a node of {output_count} outputs and {len(self.states)} states"
            )

    @cached_property
    def program(self) -> Program:
        """One step, ready to run."""
        return Program(self.graph, self.graph.variables)

    def differentiable(self, wanted: tuple[bool, ...], train: bool) -> DifferentiableProgram:
        """One step with its gradient."""
        found = self._differentiable.get((wanted, train))
        if found is None:
            found = self._differentiable[wanted, train] = DifferentiableProgram(
                self.graph,
                self.graph.variables,
                wanted=wanted,
                heads=[True] * len(self.graph.outputs),
                train=train,
            )
        return found

    # ---------------------------------------------------------------------------- inference

    def infer(self, kind: str, given: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Infer facts about the inputs and outputs of a step; its states have the same before and after.

        Parameters
        ----------
        kind : ``"shape"`` or ``"dtype"``
        given : a fact for each variable, None where nothing is known

        Returns
        -------
        tuple
            facts of the variables, and of the outputs
        """
        known = list(given)
        while True:
            found, outputs = infer_through(self.graph, kind, known)
            for position, after in zip(self.states, outputs[self.stacked :], strict=False):
                name = self.graph.variables[position].name
                found[position] = unify(found[position], after, f"state {name}")
            if [_key(f) for f in found] == [_key(f) for f in known]:
                return found, outputs
            known = found

    def facts(self, kind: str, inputs: Sequence[Any]) -> dict[Node, Any]:
        """The known facts about all nodes of a step.

        Parameters
        ----------
        kind : ``"shape"`` or ``"dtype"``
        inputs : a fact for each input of the loop or branch, None where nothing is known
        """
        given = [inputs[index] for index in self.outer]
        for index in self.slices if kind == "shape" else ():
            given[index] = None if given[index] is None else sliced(given[index])
        found, _ = self.infer(kind, given)
        known = zip(self.graph.variables, found, strict=True)
        return infer(self.graph, kind, {node: fact for node, fact in known if fact is not None})

    # ---------------------------------------------------------------------------- forward

    def run(
        self, inputs: Sequence[Array], run: Run, limit: int, goes_on: Condition | None = None
    ) -> tuple[list[Array], Trail]:
        """Run step after step.

        Parameters
        ----------
        inputs : the inputs of the node
        limit : the largest number of steps, and the length of stacked outputs
        goes_on : decides from the states whether there is another step
        """
        trail, stacked = Trail(self), [np.empty(0)] * self.stacked
        states = [inputs[self.outer[p]] for p in self.states]
        last: list[Array] = []
        step = 0
        while step < limit and (goes_on is None or goes_on(states)):
            if step:
                trail.states.append(states)
            recorded = Recorded(run.random)
            trail.random.append(recorded.drawn)
            values = self._values(inputs, states, step)
            results = self.program(values, Run(run.train, recorded))
            if not step:
                stacked = [np.zeros((limit, *r.shape), r.dtype) for r in results[: self.stacked]]
            for buffer, result in zip(stacked, results, strict=False):
                buffer[step] = result
            last = results[self.stacked :]
            states = last[: len(self.states)]
            step += 1
        if not step:
            stacked, last = self._without_steps(inputs, limit), [s.copy() for s in states]
        return [*stacked, *last], trail

    def _values(self, inputs: Sequence[Array], states: Sequence[Array], step: int) -> list[Array]:
        """The values of the variables at a step."""
        values = [inputs[i] for i in self.outer]
        for position in self.slices:
            values[position] = slice_at(values[position], step)
        for position, state in zip(self.states, states, strict=True):
            values[position] = state
        return [np.ascontiguousarray(v).reshape(v.shape) for v in values]

    def _without_steps(self, inputs: Sequence[Array], limit: int) -> list[Array]:
        """The stacked outputs of a loop that ends before its first step."""
        values = [inputs[i] for i in self.outer]
        shapes = [v.shape for v in values]
        for position in self.slices:
            shapes[position] = sliced(shapes[position])
        _, found_shapes = self.infer("shape", shapes)
        _, dtypes = self.infer("dtype", [v.dtype for v in values])
        return [
            np.zeros((limit, *(axis or 0 for axis in shape or ())), dtype)
            for shape, dtype in zip(found_shapes, dtypes, strict=True)
        ][: self.stacked]

    # ---------------------------------------------------------------------------- backward

    def backward(
        self,
        inputs: Sequence[Array],
        heads: Sequence[Array],
        trail: Trail,
        run: Run,
        wanted: Sequence[int],
    ) -> list[Array]:
        """Compute the gradients of the node's inputs, beginning with the last step.

        Parameters
        ----------
        heads : the gradients of the node's outputs
        trail : the trail of the forward run
        wanted : the inputs whose gradients are requested; those of others are zero
        """
        gradients = [np.zeros_like(x) for x in inputs]
        states = [inputs[self.outer[p]] for p in self.states]
        flags = tuple(
            (p in self.states or self.outer[p] in wanted)
            and inputs[self.outer[p]].dtype.kind == "f"
            for p in range(len(self.outer))
        )
        program = self.differentiable(flags, run.train)
        flowing = list(heads[self.stacked :])
        before = [states, *trail.states]
        for step in reversed(range(len(trail.random))):
            values = self._values(inputs, before[step], step)
            found = self._step_back(
                program, values, [*(h[step] for h in heads[: self.stacked]), *flowing],
                Run(run.train, Repeated(trail.random[step])),
            )  # fmt: skip
            for position, gradient in enumerate(found):
                if gradient is not None and position not in self.states:
                    target = gradients[self.outer[position]]
                    part = slice_at(target, step) if position in self.slices else target
                    part += gradient
            flowing = [_or_zeros(found[p], values[p]) for p in self.states]
        for position, gradient in zip(self.states, flowing, strict=False):
            gradients[self.outer[position]] += gradient.astype(
                gradients[self.outer[position]].dtype
            )
        return gradients

    def _step_back(
        self, program: DifferentiableProgram, values: list[Array], heads: list[Array], run: Run
    ) -> list[Array | None]:
        """Repeat a step, without updating auxiliary states again, and differentiate it."""
        updated = set(self.graph.states)
        again = [
            v.copy() if node in updated else v
            for node, v in zip(self.graph.variables, values, strict=True)
        ]
        results, saved = program.forward(again, run)
        shaped = [
            np.ascontiguousarray(h, r.dtype).reshape(r.shape)
            for h, r in zip(heads, results, strict=True)
        ]
        return program.backward(saved, shaped, run)


def _or_zeros(gradient: Array | None, like: Array) -> Array:
    return np.zeros_like(like) if gradient is None else gradient


def _key(fact: Any) -> Any:
    """A fact as a value that can be compared: NumPy considers None and float64 equal."""
    return ("unknown",) if fact is None else fact


def slice_at(array: Array, step: int) -> Array:
    """The slice of an input at a step; numbers become arrays of one element, as in MXNet."""
    return array[step] if array.ndim > 1 else array[step : step + 1]


def sliced(shape: tuple[Any, ...]) -> tuple[Any, ...]:
    """The shape of the slices of an input."""
    return shape[1:] if len(shape) > 1 else (1,)

"""Bindings of machine code for any batch size, derived from the graph once.

Inferring shapes, checking guards and computing the steps' numbers takes longer than many calls do. A *family*
does it once with a symbolic batch size: it consists of expressions, and of the guards under which they are
valid; see :mod:`gluonic.codegen.shapes.symbolic`.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from gluonic.codegen.launch.arguments import LaunchArguments, launch_arguments
from gluonic.codegen.launch.launches import Launches
from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.runtime.binding import Binding
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.lines import (
    ArraysOfSizes,
    Lines,
    is_uniform,
    leading_lines,
    lines_between,
    shape_at,
    with_extents,
)
from gluonic.codegen.shapes.origins import Origins
from gluonic.codegen.shapes.symbolic import NotUniform, ShapeEnv
from gluonic.graph import Signatures
from gluonic.graph.attributes import Shape
from gluonic.graph.errors import MXNetError

_MOST_FAMILIES, _MOST_TRIALS, _MOST_EARLIER, _MOST_RESTS = 32, 8, 32, 256
"""The most families that are kept, failed searches in a row, earlier calls that a search looks at, and
remainders of extents for which the family that fitted is cached.
"""
_MOST_HALVED = 32
"""The largest power of two by which layers are expected to divide lengths."""


class Family:
    """Bindings of one specialization that differ in the batch size.

    Parameters
    ----------
    specialization : the machine code
    arrays : the inputs, with extents in their shapes
    facts : the shapes and dtypes of all results, with extents
    arguments : the launch arguments of the steps, with extents
    env : the guards

    Attributes
    ----------
    arrays : the inputs
    """

    def __init__(
        self,
        specialization: Specialization,
        arrays: Sequence[AbstractArray],
        facts: Facts,
        arguments: LaunchArguments,
        env: ShapeEnv,
    ) -> None:
        self.specialization = specialization
        self.arrays, self._sizes, self._env = arrays, ArraysOfSizes(arrays), env
        self._facts = Facts(facts.shapes, facts.dtypes)
        table, buffers = specialization.table, specialization.buffers
        given = [shape for _, shape in self._sizes.others]
        self._launches = Launches(arguments, table, buffers, env, given)

    @property
    def is_linear(self) -> bool:
        """Whether the shapes of all inputs are linear in the size."""
        return not self._sizes.others

    def rests(self, signature: Signatures) -> tuple[int, ...]:
        """The varying extents of the arrays modulo four: families often differ in these."""
        return self._sizes.rests(signature)

    def binding(self, signature: Signatures) -> Binding | None:
        """The binding for arrays of such shapes and dtypes, if it belongs to the family."""
        size = self._sizes.size_of(signature)
        if size is None:
            return None
        launch = self._launches.at(size, given=[signature[i][0] for i, _ in self._sizes.others])
        if launch is None:
            return None
        spec = self.specialization
        return Binding(
            spec.executable, launch, self._read(signature), lambda: (spec, self._facts_at(size))
        )

    def _read(self, signature: Signatures) -> tuple[tuple[Shape | None, Any], ...]:
        """The shapes and dtypes of inputs, without those that nothing reads."""
        spec = self.specialization
        if not spec.call.unread_inputs:
            return signature
        pairs = zip(signature, spec.input_dtypes, strict=True)
        return tuple([(None if dtype is None else shape, dtype) for (shape, _), dtype in pairs])

    def _facts_at(self, size: int) -> Facts:
        values = self._env.values_at(size)
        assert values is not None
        shapes = {entry: shape_at(shape, values) for entry, shape in self._facts.shapes.items()}
        return Facts(shapes, self._facts.dtypes)


class Families:
    """The families of a graph in one mode.

    Parameters
    ----------
    preparation : of the graph
    train : whether it runs in training mode
    origins : the inputs as results of another graph
    """

    def __init__(
        self, preparation: Preparation, train: bool, origins: Origins | None = None
    ) -> None:
        self._preparation, self._train, self._origins = preparation, train, origins
        self._found: list[Family] = []
        self._of_rests: dict[tuple[int, ...], Family] = {}
        self._expected: list[tuple[Specialization, Sequence[AbstractArray], Sequence[int]]] = []
        self._trials = _MOST_TRIALS if is_uniform(preparation.graph) else 0

    @property
    def linear(self) -> list[Sequence[AbstractArray]]:
        """The inputs of the families in which all shapes are linear in the size, the latest first."""
        return [family.arrays for family in reversed([*self._found]) if family.is_linear]

    def bind(self, signature: Signatures) -> Binding | None:
        """The binding for such arrays, if they belong to a family; the latest family is tried first."""
        binding = self._bind_found(signature)
        return binding if binding is not None else self._bind_expected(signature)

    def _bind_found(self, signature: Signatures) -> Binding | None:
        if not self._found:
            return None
        rests = self._found[-1].rests(signature)
        tried = [*reversed(self._found)]
        if rests in self._of_rests:
            tried.insert(0, self._of_rests[rests])
        for family in tried:
            if (binding := family.binding(signature)) is not None:
                self._note_use(rests, family)
                return binding
        return None

    def _bind_expected(self, signature: Signatures) -> Binding | None:
        """Find the families of other batches that such arrays may belong to, until one has them."""
        for expected in self._expected.copy():
            made, opened, data = expected
            if _differ_in_batch_alone(opened, signature, data):
                self._expected.remove(expected)
                family = self._find_on(made, opened, leading_lines(opened, data))
                binding = None if family is None else family.binding(signature)
                if binding is not None:
                    return binding
        return None

    def _note_use(self, rests: tuple[int, ...], family: Family) -> None:
        if len(self._of_rests) >= _MOST_RESTS:
            self._of_rests.clear()
        self._of_rests[rests] = family
        self._found.remove(family)
        self._found.append(family)

    def expect_leading(
        self, made: Specialization, arrays: Sequence[Any], data: Sequence[int]
    ) -> None:
        """Record that the first axes of `data` are the batch, so that the family is searched when needed.

        Many nets are called with a single batch size, or with single sequences of any length.
        """
        opened = [AbstractArray(a.shape, a.dtype) for a in arrays]
        self._expected.append((made, opened, data))

    def find_between(
        self, known: Specialization, earlier: Iterable[Sequence[Shape]], arrays: Sequence[Any]
    ) -> Family | None:
        """Find the family of these arrays, from their origins or from the earlier call that differs most.

        The length after steps of two is a linear function of the original one only for lengths with the same
        remainder; for lengths that are close to each other it may appear so without being so.
        """
        if self._trials == 0:
            return None
        for opened, env in () if self._origins is None else self._origins.opened(arrays):
            if (family := self._find(known, opened, env)) is not None:
                return family
        shapes = [array.shape for array in arrays]
        latest = sorted(
            islice(earlier, _MOST_EARLIER),
            key=lambda before: _precedence(before, shapes),
            reverse=True,
        )
        found = (lines_between(before, shapes) for before in latest)
        lines = next((each for each in found if each is not None), None)
        return self._find_on(known, arrays, lines)

    def _find_on(
        self, made: Specialization, arrays: Sequence[Any], batch: tuple[Lines, int] | None
    ) -> Family | None:
        """Search the family of arrays whose shapes follow from a size along lines."""
        if batch is None or batch[1] < 1:
            return None
        lines, size = batch
        env = ShapeEnv(size)
        return self._find(made, with_extents(arrays, lines, env), env)

    def _find(
        self, made: Specialization, opened: Sequence[AbstractArray], env: ShapeEnv
    ) -> Family | None:
        """Search a family, unless too many searches have failed."""
        if self._trials == 0:
            return None
        self._trials -= 1
        found = find_family(self._preparation, made, opened, env, train=self._train)
        if found is not None:
            self._trials = _MOST_TRIALS
            self._found.append(found)
            self._of_rests.clear()
            del self._found[:-_MOST_FAMILIES]
        return found


def _differ_in_batch_alone(
    arrays: Sequence[AbstractArray], signature: Signatures, data: Sequence[int]
) -> bool:
    """Whether shapes differ from those of arrays only in the first axes of `data`."""
    return all(
        shape[1:] == array.shape[1:] if i in data else shape == array.shape
        for i, (array, (shape, _)) in enumerate(zip(arrays, signature, strict=True))
    )


def _precedence(before: Sequence[Shape], after: Sequence[Shape]) -> tuple[int, int]:
    """The power of two that divides the largest difference between extents, and the sum of all differences.

    Layers often halve lengths: two lengths with equal remainders then have equal remainders in all layers.
    """
    pairs = (pair for a, b in zip(before, after, strict=True) for pair in zip(a, b, strict=False))
    differences = [abs(old - new) for old, new in pairs]
    most = max(differences, default=0)
    return min(most & -most, _MOST_HALVED), sum(differences)


def find_family(
    preparation: Preparation,
    specialization: Specialization,
    arrays: Sequence[AbstractArray],
    env: ShapeEnv,
    *,
    train: bool,
) -> Family | None:
    """Find the family of a specialization; None if there is none.

    Parameters
    ----------
    preparation : of the graph
    specialization : machine code that is valid for the arrays
    arrays : the inputs, whose shapes are expressions of the size
    env : the guards under which they are
    """
    found = find_arguments(preparation, specialization, arrays, env, train=train)
    return None if found is None else Family(specialization, arrays, *found, env)


def find_arguments(
    preparation: Preparation,
    specialization: Specialization,
    arrays: Sequence[AbstractArray],
    env: ShapeEnv,
    *,
    train: bool,
) -> tuple[Facts, LaunchArguments] | None:
    """Find the facts and the launch arguments of a family as expressions; None if there is none.

    The parameters are those of `find_family`.
    """
    try:
        facts = preparation.facts_of(specialization.prepared, arrays, train)
        if facts is None or not specialization.guards.hold(facts):
            return None
        arguments = launch_arguments(specialization.launch, facts)
    except (NotUniform, MXNetError):
        return None
    if env.failed or not env.is_general:
        return None
    env.answers.clear()
    return facts, arguments

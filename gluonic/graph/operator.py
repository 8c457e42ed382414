"""Operators: each is a decorated NumPy kernel, whose signature is the schema, and its rules.

Positional parameters of the kernel are inputs. A default of `None` means that an input may be absent, the
annotation `State` an auxiliary state, `LayerWeights` a layer's own array, and `*name` any number of inputs.
Keyword-only parameters are attributes, parsed by their annotations; one annotated `Run` is provided by the
runtime. The docstring is the documentation. `nd.X`, `sym.X`, signatures, help texts, attribute checks and JSON
strings are all derived from the kernel.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import copysign
from typing import Annotated, Any, Protocol, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from gluonic.graph.application import Application
from gluonic.graph.attributes import REQUIRED, Attribute
from gluonic.graph.errors import AttributeValueError, MXNetError, describe, nearest
from gluonic.graph.other_names import meant
from gluonic.graph.random_source import Draws
from gluonic.graph.view import NodeView
from gluonic.support.caches import Interned

Array: TypeAlias = npt.NDArray[Any]
State: TypeAlias = Annotated[Array, "auxiliary state"]
LayerWeights: TypeAlias = Annotated[Array, "weights of a layer"]
Settings: TypeAlias = dict[str, Any]
Rule: TypeAlias = Callable[[NodeView], None]
GradientRule: TypeAlias = Callable[[Any, NodeView, Any], Any]


@dataclass
class Run:
    """What a kernel may need besides its inputs and attributes.

    Attributes
    ----------
    train : whether to behave as in training (dropout drops, batch norm uses the batch)
    random : the source of random numbers
    """

    train: bool
    random: Draws


class NativeCall(Protocol):
    """Machine code of an operator for given shapes, for compiled graphs to call.

    Attributes
    ----------
    function : the address of ``void function(void** operands, void* context)``; the operands are the
        addresses of the inputs and of the outputs
    context : its second argument; only one call at a time may use it
    """

    function: int
    context: int

    def check(self) -> None:
        """Raise errors of calls since the last check."""


Signatures: TypeAlias = tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]


def shapes_and_dtypes(arrays: Iterable[Array]) -> Signatures:
    """The shapes and dtypes of arrays, as a key of caches."""
    return tuple([(array.shape, array.dtype) for array in arrays])


@dataclass(eq=False)
class Operator:
    """An operator and its rules.

    Attributes
    ----------
    name, aliases : its names for users and in files
    kernel : the NumPy reference
    inputs, states, weights, variadic, optional : the kernel's positional parameters, by kind; weights are the
        same array in all calls of a layer, and differ between layers
    attributes : its keyword-only parameters
    run_name : the parameter that receives the `Run`, if it needs one
    count : the attribute that holds the number of variadic inputs
    per_count : number of variadic inputs for each one counted
    outputs, visible : the names of the outputs, and the number that a user sees; both may depend on attributes
    absent : optional inputs that a use does not have, by attributes
    arguments, auxiliary : all input names, and those of states, by attributes, where the signature does not
        determine them (Custom)
    shape, dtype : the inference rules
    gradients : for each input, its gradient as hybrid code; None: gradients through it are an error
    backward : all gradients at once, instead of `gradients`
    scalar : one element as an expression over a namespace of functions, for both NumPy and LLVM
    reduction : the name of the reduction that the kernel performs over `axis`, for the compiler
    is_loss : whether inputs have a gradient even if none flows in, as for output heads; may depend on
        attributes
    is_view : whether it only reshapes: the output has the input's elements in the same order
    dynamic : whether the output's shape depends on the data
    is_there : whether the operator exists for given attributes (Custom); if a file has one that does not exist,
        the graph can be listed, drawn and saved, but not run
    calls_back : whether the kernel calls the user's code (Custom), whose floating-point warnings are kept
    keeps_state : makes a use of the operator that keeps its state between calls; see `graph.states`
    extra_attributes : attributes ``__between_underscores__`` that are nevertheless settings of the operator
    ignores_unknown : whether unknown attributes are ignored, as MXNet does for operators without attributes
    reads_shapes : whether it reads only the shapes and dtypes of its inputs
    native : finds machine code for inputs and outputs of given shapes and dtypes, None if there is none
    base : the operator that it is derived from, with another name and other rules of shapes and dtypes; the
        compiler treats it like that one
    as_base : ``(attributes, shapes of the inputs) → attributes of the base``, if names or meanings differ;
        returns None where it is not equivalent to the base
    casts : whether its inputs are first cast to the dtype of its output
    """

    name: str
    kernel: Callable[..., Any]
    aliases: tuple[str, ...] = ()
    count: str | None = None
    per_count: int = 1
    outputs: tuple[str, ...] | Callable[[Any], Sequence[str]] = ("output",)
    visible: int | Callable[[Any], int] | None = None
    absent: Callable[[Any], Iterable[str]] | None = None
    arguments: Callable[[Any], Sequence[str]] | None = None
    auxiliary: Callable[[Any], Sequence[str]] | None = None
    shape: Rule | None = None
    dtype: Rule | None = None
    gradients: dict[str, GradientRule] | None = None
    backward: Callable[[Any, NodeView, Sequence[Any]], Mapping[str, Any]] | None = None
    scalar: Callable[..., Any] | None = None
    reduction: str | None = None
    is_loss: bool | Callable[[Any], bool] = False
    is_view: bool = False
    dynamic: bool = False
    is_there: Callable[[Mapping[str, str]], bool] | None = None
    calls_back: bool = False
    keeps_state: Callable[[Application], Application] | None = None
    extra_attributes: tuple[str, ...] = ()
    ignores_unknown: bool = False
    reads_shapes: bool = False
    native: Callable[[Application, Signatures, Signatures], NativeCall | None] | None = None
    base: "Operator | None" = None
    as_base: "Callable[[Any, Sequence[tuple[int, ...]]], dict[str, Any] | None] | None" = None
    casts: bool = False
    inputs: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    weights: tuple[str, ...] = ()
    variadic: str | None = None
    catch_all: str | None = None
    run_name: str | None = None
    attributes: dict[str, Attribute] = field(default_factory=dict)
    applications: Interned[Any, Application] = field(default_factory=Interned)

    def __post_init__(self) -> None:
        inputs, optional, states, weights = [], [], [], []
        for p in inspect.signature(self.kernel).parameters.values():
            if p.kind is p.KEYWORD_ONLY:
                if p.annotation is Run:
                    self.run_name = p.name
                else:
                    self.attributes[p.name] = Attribute(p.name, p.annotation, p.default)
            elif p.kind is p.VAR_POSITIONAL:
                self.variadic = p.name
            elif p.kind is p.VAR_KEYWORD:
                self.catch_all = p.name
            else:
                inputs.append(p.name)
                if p.default is None:
                    optional.append(p.name)
                if _is(State, p.annotation):
                    states.append(p.name)
                if _is(LayerWeights, p.annotation):
                    weights.append(p.name)
        self.inputs, self.optional, self.states = tuple(inputs), tuple(optional), tuple(states)
        self.weights = tuple(weights)
        if not self.attributes and self.catch_all is None:
            self.ignores_unknown = True

    @property
    def documentation(self) -> str:
        """The docstring of the kernel."""
        return inspect.getdoc(self.kernel) or ""

    def infer_shape(self, rule: Rule) -> Rule:
        """Declare the shape rule (a decorator)."""
        self.shape = rule
        return rule

    def infer_dtype(self, rule: Rule) -> Rule:
        """Declare the dtype rule (a decorator)."""
        self.dtype = rule
        return rule

    def gradient(self, **rules: GradientRule) -> None:
        """Declare the gradient of each named input; inputs not named have none.

        A rule is ``(F, n, g) -> gradient``, hybrid code over the node `n` and the gradient `g` of its first
        output. With no rule at all the operator is piecewise constant: gradients through it are zero.
        """
        unknown = rules.keys() - set(self.inputs) - {self.variadic}
        if unknown:
            raise TypeError(f"{self.name} has no input {', '.join(sorted(unknown))}")
        self.gradients = {**(self.gradients or {}), **rules}

    def all_gradients(
        self, rule: Callable[[Any, NodeView, Sequence[Any]], Mapping[str, Any]]
    ) -> Any:
        """Declare one rule ``(F, n, output_gradients) -> {input: gradient}`` (a decorator).

        `output_gradients` has one entry for each output, None where no gradient flows in.
        """
        self.backward = rule
        return rule

    @property
    def differentiable(self) -> bool:
        """Whether a gradient rule is declared."""
        return self.backward is not None or self.gradients is not None

    def apply(self, given: Mapping[str, Any]) -> Application:
        """Bind attributes, given as Python values or as the strings of a file.

        Raises
        ------
        AttributeValueError
            for an unknown, missing or ill-typed attribute
        """
        key = attributes_key(given)
        try:
            found, is_kept = self.applications.get(key), True
        except TypeError:  # a list or an array among the values
            found, is_kept = None, False
        if found is None and not is_kept:
            return Application(self, self.settings(given))
        if found is None:
            found = self.applications.remember(key, Application(self, self.settings(given)))
        return found

    def recognized(self, given: dict[str, Any]) -> dict[str, Any]:
        """Drop the attributes that the operator ignores."""
        if not self.ignores_unknown:
            return given
        return {name: value for name, value in given.items() if name in self.attributes}

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """Check attributes and fill in the defaults."""
        settings: Settings = {}
        for name, value in given.items():
            attribute = self.attributes.get(name)
            if attribute is not None:
                settings[name] = attribute.read(value, self.name)
            elif self.catch_all:
                settings[name] = str(value)
            else:
                raise AttributeValueError(self._unknown_attribute(name))
        for attribute in self.attributes.values():
            if attribute.name not in settings:
                if attribute.default is REQUIRED:
                    raise AttributeValueError(
                        describe(f"needs the attribute {attribute.name}=", where=self.name)
                    )
                settings[attribute.name] = attribute.default
        return settings

    def _unknown_attribute(self, name: str) -> str:
        known = [*self.inputs, *self.attributes]
        return describe(
            f"has no attribute {name!r}{meant(name, known)}",
            where=self.name,
            facts=[f"it has {', '.join(known) or 'none'}"],
        )


def _is(kind: Any, annotation: Any) -> bool:
    """Whether an input is annotated as of a kind, also if it is optional."""
    return annotation is kind or kind in get_args(annotation)


def attributes_key(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """A key of attributes that distinguishes 1, 1.0 and True, and 0.0 and -0.0."""
    kinds = tuple(map(type, given.values()))
    if float not in kinds:
        return tuple(given.items()), kinds
    signs = [copysign(1.0, value) for value in given.values() if type(value) is float]
    return tuple(given.items()), kinds, *signs


class Registry(Mapping[str, Operator]):
    """All operators, by name and by alias.

    Attributes
    ----------
    watchers : called with each name under which an operator is registered
    """

    def __init__(self) -> None:
        self.by_name: dict[str, Operator] = {}
        self.watchers: list[Callable[[str], None]] = []

    def _enter(self, name: str, op: Operator) -> None:
        self.by_name[name] = op
        for tell in self.watchers:
            tell(name)

    def add(self, op: Operator) -> None:
        """Register an operator under its name and its aliases, which must be new."""
        for name in (op.name, *op.aliases):
            if name in self.by_name:
                raise TypeError(f"the operator name {name!r} is taken by {self.by_name[name].name}")
        for name in (op.name, *op.aliases):
            self._enter(name, op)

    def alias(self, alias: str, name: str) -> None:
        """Register an operator under a further name."""
        op = self[name]
        op.aliases = (*op.aliases, alias)
        self._enter(alias, op)

    def replace(self, op: Operator) -> None:
        """Register an operator, replacing any of the same name; existing nodes keep the old one."""
        self._enter(op.name, op)

    def __getitem__(self, name: str) -> Operator:
        try:
            return self.by_name[name]
        except KeyError:
            raise MXNetError(
                f"there is no operator {name!r}{nearest(name, self.by_name)}"
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def operators(self) -> list[Operator]:
        """Every operator once."""
        return list(dict.fromkeys(self.by_name.values()))


REGISTRY = Registry()


def operator(name: str, *aliases: str, **options: Any) -> Callable[[Callable[..., Any]], Operator]:
    """Register the decorated NumPy kernel as an operator.

    Parameters
    ----------
    name, aliases : its names for users and in files
    options : fields of `Operator`
    """

    def register(kernel: Callable[..., Any]) -> Operator:
        op = Operator(name, kernel, aliases=aliases, **options)
        REGISTRY.add(op)
        return op

    return register

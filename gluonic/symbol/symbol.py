"""`Symbol`: outputs of a graph, which can be composed, inspected, saved and bound to arrays."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from gluonic.graph import REGISTRY, Node
from gluonic.graph.arithmetic import OPERATORS, Arithmetic, is_number
from gluonic.graph.calling import Caller
from gluonic.graph.errors import MXNetError, NotThereError, describe, nearest
from gluonic.graph.failures import not_made
from gluonic.graph.files import write_atomically
from gluonic.graph.gradient import gradients
from gluonic.graph.json.reader import read_json
from gluonic.graph.json.writer import write_json
from gluonic.graph.node_attributes import plain
from gluonic.ndarray.context import usable
from gluonic.ndarray.optimizing import optimize
from gluonic.symbol.binding import bind, simple_bind
from gluonic.symbol.compose import apply_operator, composed, copied
from gluonic.symbol.executor import Executor
from gluonic.symbol.networked import Networked
from gluonic.symbol.numpy_calls import NumPyCalls
from gluonic.symbol.numpy_class import numpy_symbol
from gluonic.symbol.unsupported import (
    NotImplementedForSymbol,
    SymbolAttributeError,
    missing_attribute,
    refuse_array_methods,
)

if TYPE_CHECKING:
    from gluonic.drawing.drawing import Drawing
    from gluonic.symbol.typed.methods import Methods
else:
    Methods = object

# Automatic names of Python's operators, where they are not the operators' own.
_HINTS = {
    "elemwise_add": "_plus",
    "elemwise_sub": "_minus",
    "elemwise_mul": "_mul",
    "elemwise_div": "_div",
    **{
        f"_{op}_scalar": f"_{op}scalar"
        for op in ("plus", "minus", "rminus", "mul", "div", "rdiv", "mod", "rmod", "power")
    },
}


@cache
def _caller(op: str) -> Caller:
    return Caller(REGISTRY[op], Symbol)


class Symbol(Networked, Arithmetic, NumPyCalls, Methods):
    """Outputs of a graph of operators; nothing is computed before it is bound to arrays.

    ``+ - * /`` work on equal shapes and do not broadcast; ``F.broadcast_add`` and the like do.

    Parameters
    ----------
    handle : the outputs, entries of a graph; or the `handle` of another symbol

    Examples
    --------
    >>> from gluonic import symbol as sym
    >>> x = sym.var("x")
    >>> y = sym.tanh(x + 1, name="y")
    >>> y.list_arguments(), y.list_outputs()
    (['x'], ['y_output'])
    """

    __slots__ = ()

    of_numpy: ClassVar[bool] = False
    """Whether operators on symbols of the class return symbols of `mx.sym.np`."""

    __hash__ = None  # type: ignore[assignment]

    # ------------------------------------------------------------------------ composition

    def __call__(self, *args: "Symbol", **kwargs: Any) -> "Symbol":
        """Return a copy in which variables are replaced: ``net(data=other, name="copy")``."""
        made = self.__copy__()
        made._compose(*args, **kwargs)
        return made

    def _compose(self, *args: "Symbol", **kwargs: Any) -> None:
        """Replace variables by other symbols, in place."""
        name = kwargs.pop("name", None)
        for value in (*args, *kwargs.values()):
            if not isinstance(value, Symbol):
                raise TypeError(f"composition takes Symbols, not {type(value).__name__}")
        if args and kwargs:
            raise TypeError("composition takes Symbols by position or by keyword, not both")
        if args and not (self.entries[0].node.is_variable and self.num_outputs == 1):
            raise MXNetError(
                describe(
                    "composition takes Symbols by keyword, the keywords being variables' names",
                    facts=[f"the variables: {', '.join(self.list_inputs()[:20])}"],
                )
            )
        self.entries = tuple(composed(self.entries, kwargs, name))
        self._known_graph = None

    def __copy__(self) -> "Symbol":
        return Symbol(copied(self.entries))

    def __deepcopy__(self, memo: Any) -> "Symbol":
        return self.__copy__()

    # ------------------------------------------------------------------------ arithmetic

    def _with_scalar(self, op: str, scalar: float) -> Self:
        number = plain(scalar)
        value = int(number) if isinstance(number, bool) else number
        return self._call(op, (self,), {"scalar": value})

    def _with_other(self, same_shape: str, broadcasting: str, other: Any, reverse: bool) -> Self:
        if not isinstance(other, Symbol):
            raise TypeError(
                f"a Symbol cannot be combined with {type(other).__name__}; "
                "make it a variable, or a number"
            )
        return self._call(same_shape, (other, self) if reverse else (self, other), {})

    def _call(self, op: str, inputs: tuple["Symbol", ...], attributes: dict[str, Any]) -> Self:
        hint = _HINTS.get(op, op)
        node = apply_operator(_caller(op), inputs, attributes, name=None, attr=None, hint=hint)
        return type(self)([node.entry()])

    def __abs__(self) -> "Symbol":
        return self.abs()

    def __bool__(self) -> NoReturn:
        raise NotImplementedForSymbol(
            "truth value", "F.where or F.contrib.cond for a choice that depends on values"
        )

    # ------------------------------------------------------------------------ pictures

    def plot(
        self,
        shape: Mapping[str, tuple[int, ...]] | None = None,
        dtype: Mapping[str, Any] | None = None,
        title: str | None = None,
        save_format: str = "html",
        against: "Symbol | None" = None,
    ) -> "Drawing":
        """Draw the graph.

        Parameters
        ----------
        shape, dtype : of inputs by name
        title : the heading, by default the name of the first output
        save_format : ``html`` (a page), ``pdf``, ``svg``, ``dot``; ``png`` needs Chromium, others Graphviz
        against : an older model; additions, removals and changes since are marked, whatever the names

        Returns
        -------
        Drawing
            with ``view()``, ``render("file")``, ``source``; a notebook shows it
        """
        from gluonic.symbol.plotting import drawing_of, drawing_of_difference, name_of

        graph = self.graph()
        if against is not None:
            heading = title or name_of(graph)
            return drawing_of_difference(against.graph(), graph, heading, shape or {}, save_format)
        return drawing_of(
            graph, title or name_of(graph), shape=shape, dtype=dtype, save_format=save_format
        )

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()

    # ------------------------------------------------------------------------ files

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """Return the graph as MXNet's symbol JSON.

        Parameters
        ----------
        remove_amp_cast : omit the casts that mixed precision has inserted
        """
        return write_json(self.graph(), remove_amp_cast=remove_amp_cast)

    def save(self, fname: str, remove_amp_cast: bool = True) -> None:
        """Write the graph to a file; an interruption leaves an existing file unchanged."""
        if not isinstance(fname, str):
            raise TypeError(f"fname must be a string, not {type(fname).__name__}")
        write_atomically(fname, self.tojson(remove_amp_cast).encode())

    def __getstate__(self) -> dict[str, str]:
        return {"handle": self.tojson(remove_amp_cast=False)}

    def __setstate__(self, state: Mapping[str, str]) -> None:
        self.__init__(read_json(state["handle"]).outputs)  # type: ignore[misc]

    # ------------------------------------------------------------------------ execution

    def bind(
        self,
        ctx: Any,
        args: Any,
        args_grad: Any = None,
        grad_req: Any = "write",
        aux_states: Any = None,
        group2ctx: Any = None,
        shared_exec: Executor | None = None,
    ) -> Executor:
        """Bind the symbol to arrays.

        Parameters
        ----------
        ctx : the context
        args : arrays for the arguments: a list in order, or a dict by name
        args_grad : arrays that receive the gradients, likewise; gradients without an array are not computed
        grad_req : ``"write"``, ``"add"`` or ``"null"``, for all or (list, dict) for each
        aux_states : arrays for the auxiliary states, likewise
        group2ctx : the contexts of the groups of nodes made by ``AttrScope(ctx_group=…)``
        shared_exec : accepted for compatibility
        """
        return bind(self, ctx, args, args_grad, grad_req, aux_states, group2ctx)

    def simple_bind(
        self,
        ctx: Any = None,
        grad_req: Any = "write",
        type_dict: Mapping[str, Any] | None = None,
        stype_dict: Mapping[str, str] | None = None,
        group2ctx: Any = None,
        shared_arg_names: Sequence[str] | None = None,
        shared_exec: Executor | None = None,
        shared_buffer: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Executor:
        """Bind the symbol to new arrays of zeros.

        Parameters
        ----------
        ctx : the context
        grad_req : ``"write"``, ``"add"`` or ``"null"``, for all or (list, dict) for each
        type_dict : dtypes by name
        stype_dict : storage types of arguments by name; by default as the variable was declared
        group2ctx : the contexts of the groups of nodes made by ``AttrScope(ctx_group=…)``
        shared_arg_names : arguments whose arrays come from `shared_exec`
        shared_exec : another executor, to share arrays with
        shared_buffer : arrays by name, used where they are large enough, and extended by new ones
        **kwargs : shapes by name
        """
        return simple_bind(
            self,
            ctx,
            kwargs,
            grad_req=grad_req,
            dtypes=type_dict or {},
            storage=stype_dict or {},
            group2ctx=group2ctx,
            shared_names=shared_arg_names,
            shared_executor=shared_exec,
            buffers=shared_buffer,
        )

    def eval(self, ctx: Any = None, **kwargs: Any) -> list[Any]:
        """Compute the outputs for arrays given by name."""
        return self.bind(usable(ctx), kwargs).forward()

    def gradient(self, wrt: Sequence[str]) -> "Symbol":
        """Return the gradients of the sum of all outputs with respect to variables.

        Parameters
        ----------
        wrt : the variables' names
        """
        by_name = {node.name: node for node in self.graph().variables}
        for name in wrt:
            if name not in by_name:
                raise MXNetError(f"there is no variable {name!r}{nearest(name, by_name)}")
        ones = [self._call("ones_like", (output,), {}).entries[0] for output in self.each_output()]
        entries = [by_name[name].entry() for name in wrt]
        found = gradients(self.entries, ones, entries, train=True)
        zeros = [self._call("zeros_like", (Symbol([e]),), {}).entries[0] for e in entries]
        return Symbol([z if g is None else g for g, z in zip(found, zeros, strict=True)])

    grad = gradient

    def optimize_for(
        self,
        backend: str,
        args: dict[str, Any] | None = None,
        aux: dict[str, Any] | None = None,
        ctx: Any = None,
        shape_dict: Mapping[str, Any] | None = None,
        type_dict: Mapping[str, Any] | None = None,
        stype_dict: Mapping[str, str] | None = None,
        skip_infer: bool = False,
        **kwargs: Any,
    ) -> "Symbol":
        """Let a backend rewrite the symbol: ``MKLDNN`` and ``MKLDNN_QUANTIZE``, or one of an extension library.

        Parameters
        ----------
        backend : the name; those of a library's partitioners and graph passes are printed by
            `mx.library.load`. An unknown name changes nothing
        args, aux : values of arguments and auxiliary states by name; with them, the library is given
            shapes and dtypes. Parameters that a pass creates are added, those that it drops are removed
        ctx, stype_dict : accepted; there is one context, and all arrays are dense
        shape_dict, type_dict : shapes and dtypes of arguments that have no value in `args`
        skip_infer : do not infer shapes and dtypes
        **kwargs : options, passed on to the library as strings

        Returns
        -------
        Symbol
            the new symbol; this one is not changed
        """
        if any(storage != "default" for storage in (stype_dict or {}).values()):
            raise NotThereError("optimize_for(stype_dict=…): backends get dense arrays")
        graph = optimize(
            self.graph(),
            backend,
            args,
            aux,
            kwargs,
            shapes=shape_dict,
            dtypes=type_dict,
            skip_inference=skip_infer,
        )
        return Symbol(graph.outputs)

    def get_backend_symbol(self, backend: str) -> "Symbol":
        """Return the symbol as rewritten by a backend, without shapes; see `optimize_for`."""
        return self.optimize_for(backend)

    def as_nd_ndarray(self) -> "Symbol":
        """Return the symbol itself."""
        return self

    def as_np_ndarray(self) -> "Symbol":
        """Return the same outputs as a symbol of `mx.sym.np`."""
        return numpy_symbol()(self.entries)  # type: ignore[no-any-return]

    def _gen_atomic_symbol(self) -> "Symbol":
        """Return the operator alone, with variables for all its inputs."""
        node = self.entries[0].node
        if node.application is None:
            raise MXNetError(f"{node.title} is a variable")
        names = node.application.inputs
        inputs = [Node(None, f"{node.name}_{name}").entry() for name in names]
        made = node.with_inputs(inputs)
        return Symbol([made.entry(i) for i in range(made.visible_count)])

    if not TYPE_CHECKING:  # a checker would believe that a symbol has every attribute

        def __getattr__(self, name):
            error = SymbolAttributeError(missing_attribute(self, name))
            if not name.startswith("__"):  # look-ups by Python or a library are not errors
                error.failed = partial(not_made, name, self.entries, error.location), "shape", {}
            raise error


refuse_array_methods(Symbol)


def Group(symbols: Sequence[Symbol], create_fn: Callable[[Any], Symbol] = Symbol) -> Symbol:
    """Join symbols into one that has all their outputs.

    Parameters
    ----------
    symbols : the symbols
    create_fn : the class of the result, or a function that creates it
    """
    if not symbols or not all(isinstance(symbol, Symbol) for symbol in symbols):
        raise TypeError("Group takes a list of Symbols, at least one")
    return create_fn([entry for symbol in symbols for entry in symbol.entries])


__all__ = ["OPERATORS", "Group", "Symbol", "is_number"]

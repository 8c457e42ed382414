"""Inspection of a compiled block: what the compiler did with it, and its graph as a picture."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gluonic import symbol as sym
from gluonic.codegen import CacheInfo, Explanation, GradientSums
from gluonic.gluon.eager_scope import eagerly
from gluonic.gluon.parameter import Parameter
from gluonic.gluon.structure import LEAF, Structure, flatten
from gluonic.gluon.trace import Trace
from gluonic.gluon.traced_block import TracedBlock
from gluonic.gluon.traces import key_of
from gluonic.graph.array_semantics import is_np_array
from gluonic.ndarray import NDArray
from gluonic.ndarray.handing_over import listeners_to
from gluonic.ndarray.state import STATE

if TYPE_CHECKING:
    import networkx

    from gluonic.codegen import LibraryFiles
    from gluonic.drawing.drawing import Drawing
    from gluonic.pytorch import TorchFiles
    from gluonic.symbol.library import BatchAxis


Proving = bool | NDArray | Sequence[NDArray]
"""Whether an export proves what it computes, or for which inputs."""


def _is_array(value: Any) -> bool:
    return isinstance(value, NDArray)


class ExplainedBlock(TracedBlock):
    """A traced block that explains how it was compiled."""

    def _prepare(self, key: Any, structure: Structure, arrays: list[NDArray]) -> Trace:
        """Trace and bind the block for inputs of a structure."""
        raise NotImplementedError

    def cache_info(self) -> CacheInfo:
        """Return counts of what was compiled for the block, and of its uses."""
        return CacheInfo.total(bound.cache_info() for bound in self._traces.all_bound)

    def explain(self, *args: Any) -> Any:  # a union would have to be taken apart by all callers
        """Explain how the compiler compiles the block for such inputs: what is fused, what is not and why.

        Printing the result shows a table; its `llvm` and `assembly` return the code of a step, its `plot`
        a page. Under `autograd.train_mode()` it explains training; if several processes train the block, it
        lists the gradients whose sums began during backward.

        Returns
        -------
        Explanation
            for arrays on a GPU a `DeviceExplanation`: the kernels, with their grids and PTX, and what the CPU
            computes
        """
        trace, arrays = self._trace_for(args)
        bound = trace.bound
        assert bound is not None
        explained = bound.op.explain(*bound.operands(arrays))
        if not isinstance(explained, Explanation):
            return explained

        def compiled() -> Any:
            return bound.op(*bound.operands(arrays))

        def eager() -> Any:
            with eagerly():
                return self(*args)

        def drawn(explanation: Explanation, runs: int) -> "Drawing":
            from gluonic.gluon.plotting import drawing_of_block, measured

            times = measured(explanation, trace.graph, compiled, eager, runs) if runs else None
            title, inputs, parameters = self._to_draw(trace, arrays)
            return drawing_of_block(
                trace.graph, title, inputs, parameters, "html", explanation, times
            )

        sums = self._gradient_sums() if STATE.training else ()
        return replace(explained, drawn=drawn, gradient_sums=sums)

    def _gradient_sums(self) -> tuple[GradientSums, ...]:
        """The sums of the block's gradients that began during backward, in the latest step."""
        trained = [p for p in self.collect_params().values() if p.grad_req != "null"]
        names = {id(array): p.name for p in trained for array in p.list_grad()}
        found = []
        for listener in listeners_to([array for p in trained for array in p.list_grad()]):
            known = listener.used_early()
            if known is not None:
                buffers, overlapped = known
                during = [names[id(one)] for one in buffers if id(one) in names]
                later = [p.name for p in trained if p.name not in set(during)]
                found.append(GradientSums(tuple(during), tuple(later), overlapped))
        return tuple(found)

    def _trace_for(self, args: tuple[Any, ...]) -> tuple[Trace, list[NDArray]]:
        """The trace that such inputs run, and the arrays among them."""
        arrays, structure = flatten(args, _is_array)
        key = key_of(structure, arrays)
        return self._traces.find(key) or self._prepare(key, structure, arrays), arrays

    def plot(self, *args: Any, title: str = "", save_format: str = "html") -> "Drawing":
        """Draw the graph of the block for such inputs.

        Parameters
        ----------
        *args : inputs as for a call; without any, the graph of the latest compiled call is drawn, or that of
            one input whose shape is not known
        title : the heading, by default the name of the block
        save_format : ``html`` (a page), ``pdf``, ``svg``, ``dot``; ``png`` needs Chromium, others Graphviz

        Returns
        -------
        Drawing
            with ``view()``, ``render("file")``, ``source``; a notebook shows it
        """
        from gluonic.gluon.plotting import drawing_of_block

        trace, arrays = self._shown_trace(args)
        name, inputs, parameters = self._to_draw(trace, arrays)
        return drawing_of_block(trace.graph, title or name, inputs, parameters, save_format)

    def network(self, *args: Any) -> "networkx.MultiDiGraph[str]":
        """Return the graph of the block, traced with such inputs, as a networkx multi-digraph.

        `Symbol.network` describes the data of its nodes and edges. Shapes and dtypes follow from the inputs and
        the parameters; the roles of variables are the block's.

        Parameters
        ----------
        *args : inputs as for a call; parameters whose shapes were not known are initialized. Without any, the
            graph is that of the latest compiled call, or of one input whose shape is not known

        Examples
        --------
        >>> import gluonic as mx
        >>> net = mx.gluon.nn.Dense(2, activation="relu", prefix="fc_")
        >>> net.initialize()
        >>> graph = net.network(mx.nd.ones((4, 3)))
        >>> [(name, role) for name, role in graph.nodes(data="role") if role]
        [('data', 'input'), ('fc_weight', 'parameter'), ('fc_bias', 'parameter')]
        >>> graph.nodes["fc_fwd"]["shapes"]
        ((4, 2),)
        """
        from gluonic.gluon.plotting import known_shapes
        from gluonic.symbol.networked import network_of_symbol

        trace, arrays = self._shown_trace(args)
        _, inputs, parameters = self._to_draw(trace, arrays)
        own = [parameters[n.name] for n in trace.graph.variables if n.name in parameters]
        dtypes: dict[str, Any] = {parameter.name: parameter.dtype for parameter in own}
        return network_of_symbol(
            trace.output,
            {**known_shapes(own), **{name: array.shape for name, array in inputs.items()}},
            dtypes | {name: array.dtype for name, array in inputs.items()},
            frozenset(parameter.name for parameter in own),
        )

    def export_onnx(
        self,
        path: str,
        *args: Any,
        dynamic_input_shapes: Sequence[tuple[Any, ...]] | None = None,
        opset_version: int | None = None,
        check: bool = True,
    ) -> str:
        """Write the block as an ONNX file, traced with such inputs.

        Parameters
        ----------
        path : the file
        *args : inputs as for a call
        dynamic_input_shapes : the shape of each array among them, with a name or None for each size that may
            differ between calls; by default no size may
        opset_version, check : as for `mx.onnx.export_model`, which describes the errors

        Returns
        -------
        str
            `path`
        """
        from gluonic.onnx import export_model

        trace, arrays = self._trace_for(args)
        _, inputs, parameters = self._to_draw(trace, arrays)
        names = [node.name for node in trace.graph.variables]
        shapes = dict(zip(inputs, dynamic_input_shapes or (), strict=False))
        read = [name for name in names if name in inputs]
        return export_model(
            trace.output,
            {name: parameters[name].data() for name in names if name in parameters},
            [inputs[name].shape for name in read],
            [inputs[name].dtype for name in read],
            path,
            dynamic=dynamic_input_shapes is not None,
            dynamic_input_shapes=[shapes[name] for name in read] if shapes else None,
            opset_version=opset_version,
            check=check,
        )

    def export_torch(
        self,
        path: str,
        *args: Any,
        dynamic_input_shapes: Sequence[tuple[Any, ...]] | None = None,
        check: bool = True,
    ) -> "TorchFiles":
        """Write the block as the source of a PyTorch module, traced with such inputs.

        Beside ``net.py``, with a class named after the file, it writes ``net.safetensors``, the weights. Where
        PyTorch is installed, both compute the outputs for random inputs, and files are written if these agree.

        Parameters
        ----------
        path : the file, a name that ends with ``.py``
        *args : inputs as for a call
        dynamic_input_shapes : the shape of each array among them, with a name or None for each size that may
            differ between calls; by default the first one may, of arrays that have the same
        check : whether to compare

        Returns
        -------
        TorchFiles
            the paths of the `source` and the `weights`, and the `agreement`: the largest difference, relative
            to the largest number of its output; None if PyTorch is not installed

        Raises
        ------
        TorchExportError
            a NotImplementedError that lists all nodes that cannot be written, with the user's lines
        ExportMismatchError
            where the numbers differ
        MissingModuleError
            an ImportError, if the package safetensors is not installed
        """
        from gluonic.pytorch import export_torch

        trace, arrays = self._trace_for(args)
        _, inputs, parameters = self._to_draw(trace, arrays)
        names = [node.name for node in trace.graph.variables if node.name in parameters]
        shapes = zip(inputs, dynamic_input_shapes or (), strict=False)
        return export_torch(
            trace.output,
            {name: parameters[name].data().asnumpy() for name in names},
            {name: (array.shape, array.dtype) for name, array in inputs.items()},
            path,
            dynamic_input_shapes=dict(shapes) if dynamic_input_shapes is not None else None,
            check=check,
        )

    def export_library(
        self,
        path: str,
        *args: Any,
        cpu: str = "",
        weights: str = "inside",
        batch_axis: "BatchAxis" = 0,
        most: int = 64,
    ) -> "LibraryFiles":
        """Write the block as a library without Python: machine code for prediction, and a header for C.

        Beside ``net.so``, or ``net.o``, it writes ``net.h``, which explains the functions. The library needs
        the C library alone, computes on the thread that calls it, and serves batches of any size up to `most`.
        Its results are those of the compiled block on the same kind of processor with ``GLUONIC_BLAS=0``.

        Parameters
        ----------
        path : the file; ``net.so`` is linked by the system's C compiler, ``net.o`` needs none; ``net.wasm``
            is WebAssembly, with ``net.mjs``, a module of JavaScript, in place of the header
        *args : inputs as for a call
        cpu : a processor or a level, such as ``"x86-64-v3"``, ``"aarch64"``, ``"cortex-a72"``; by default the
            highest level that this machine has
        weights : ``"inside"``, or ``"beside"``: in ``net.weights``, which contexts map into memory
        batch_axis : the axis of the batch, of inputs whose extents there are equal, or for each input; None if
            all sizes are fixed
        most : the largest batch size

        Returns
        -------
        LibraryFiles
            the paths of the `library`, the `header` and the `weights` (None if they are inside)

        Raises
        ------
        LibraryError
            a NotImplementedError that lists what cannot be in a library, with the user's lines
        LinkError
            if there is no C compiler
        TargetError
            if the processor is unknown
        """
        from gluonic.symbol.library import export_library

        trace, arrays = self._trace_for(args)
        _, inputs, parameters = self._to_draw(trace, arrays)
        names = [node.name for node in trace.graph.variables if node.name in parameters]
        return export_library(
            trace.output,
            {name: parameters[name].data().elements for name in names},
            {name: (array.shape, array.dtype) for name, array in inputs.items()},
            path,
            cpu=cpu,
            weights=weights,
            batch_axis=batch_axis,
            most=most,
        )

    def _shown_trace(self, args: tuple[Any, ...]) -> tuple[Trace, list[NDArray]]:
        """The trace for inputs, and their arrays; without inputs that of the latest compiled call."""
        if args:
            return self._trace_for(args)
        return self._traces.of_prediction or self._own_trace(LEAF, [_any_input()]), []

    def _to_draw(
        self, trace: Trace, arrays: list[NDArray]
    ) -> tuple[str, dict[str, NDArray], dict[str, Parameter]]:
        """The title of the block's picture, and the known arrays by the names of variables."""
        names = [str(symbol.name) for symbol in trace.inputs]
        inputs = dict(zip(names, arrays, strict=False))
        return self.name, inputs, self._graph_parameters()

    def _repr_html_(self) -> str | None:
        """The graph of the latest compiled call; None before there is one: notebooks then print the block."""
        return None if self._traces.latest is None else self.plot()._repr_html_()


def _any_input() -> sym.Symbol:
    """A placeholder for an input of unknown shape and dtype."""
    data = sym.var("data")
    return data.as_np_ndarray() if is_np_array() else data

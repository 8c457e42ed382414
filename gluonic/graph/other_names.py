"""Names that other libraries, or other parts of MXNet, give to what has another name here: for messages."""

from collections.abc import Collection, Mapping

from gluonic.graph.errors import nearest

_OF_CONSTRUCTORS: Mapping[str, tuple[str, ...]] = {
    "act_type": ("activation",),
    "alpha": ("learning_rate",),
    "beta": ("momentum", "beta1", "beta2"),
    "betas": ("beta1", "beta2"),
    "bias": ("use_bias",),
    "clip": ("clip_gradient",),
    "clipnorm": ("clip_gradient",),
    "clipvalue": ("clip_gradient",),
    "decay": ("wd",),
    "dropout": ("rate",),
    "embedding_dim": ("output_dim",),
    "eps": ("epsilon",),
    "filters": ("channels",),
    "in_features": ("in_units",),
    "input_size": ("in_units",),
    "kernel": ("kernel_size",),
    "l2": ("wd",),
    "lr": ("learning_rate",),
    "mom": ("momentum",),
    "name": ("prefix",),
    "no_bias": ("use_bias",),
    "num_embeddings": ("input_dim",),
    "num_features": ("in_channels",),
    "num_filter": ("channels",),
    "num_hidden": ("units", "hidden_size"),
    "out_channels": ("channels",),
    "out_features": ("units",),
    "p": ("rate",),
    "scheduler": ("lr_scheduler",),
    "stride": ("strides",),
    "weight_decay": ("wd",),
}
_OF_OPERATORS: Mapping[str, tuple[str, ...]] = {
    "axes": ("axis", "dim"),
    "axis": ("dim", "axes"),
    "channels": ("num_filter",),
    "dim": ("axis", "axes"),
    "epsilon": ("eps",),
    "kernel_size": ("kernel",),
    "keepdim": ("keepdims",),
    "out_channels": ("num_filter",),
    "padding": ("pad",),
    "units": ("num_hidden",),
}


def meant(name: str, known: Collection[str]) -> str:
    """A "did you mean" clause with the names that the user may have meant, or an empty string.

    >>> meant("lr", ["learning_rate", "momentum"])
    "; did you mean 'learning_rate'?"
    """
    others = (*_OF_CONSTRUCTORS.get(name, ()), *_OF_OPERATORS.get(name, ()))
    found = [other for other in others if other in known]
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else nearest(name, known)

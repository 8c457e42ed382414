"""Names of MXNet 1.x that 2.0 does not have, and what they are called there."""

SECOND = "mxnet2."
"""Where the modules are that differ in MXNet 2.0, without ``gluonic.``."""

REMOVED = {
    "metric": "use mx.gluon.metric",
    "mod": "use gluon.HybridBlock and gluon.Trainer",
    "module": "use gluon.HybridBlock and gluon.Trainer",
    "rnn": "use mx.gluon.rnn",
    "model.FeedForward": "use gluon.HybridBlock and gluon.Trainer",
    "monitor": "use Block.register_op_hook",
    "mon": "use Block.register_op_hook",
    "executor_manager": "use gluon.HybridBlock and gluon.Trainer",
    "contrib.amp": "use mx.amp",
    "contrib.autograd": "use mx.autograd",
    "contrib.svrg_optimization": "use mx.optimizer",
    "gluon.contrib.nn": "use mx.gluon.nn",
    "gluon.contrib.cnn": "use mx.gluon.nn",
    "gluon.contrib.rnn": "use mx.gluon.rnn",
    "gluon.ParameterDict": "net.collect_params() is a dictionary",
}


def instead_of(dotted: str) -> str | None:
    """What replaces a name of MXNet 1.x, without ``mx.``; None if 2.0 has it."""
    return REMOVED.get(dotted)

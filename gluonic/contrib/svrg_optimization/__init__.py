"""``mx.contrib.svrg_optimization``: stochastic gradients with reduced variance."""

from gluonic.contrib.svrg_optimization import svrg_module, svrg_optimizer

__all__ = ["svrg_module", "svrg_optimizer"]

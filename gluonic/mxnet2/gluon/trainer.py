"""``mx.gluon.Trainer`` of MXNet 2.0: that of 1.x."""

from gluonic.gluon.trainer import Trainer

__all__ = ["Trainer"]

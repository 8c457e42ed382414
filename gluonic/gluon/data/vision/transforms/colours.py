"""Random changes of colours."""

from typing import Any, ClassVar

from gluonic.gluon.hybrid import HybridBlock


class _RandomFactor(HybridBlock):
    """Change one property of colours by a random factor."""

    _operator: ClassVar[str]

    def __init__(self, amount: float) -> None:
        super().__init__()
        self._args = (max(0, 1 - amount), 1 + amount)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Change; the shape stays."""
        return getattr(F.image, self._operator)(x, *self._args)


class RandomBrightness(_RandomFactor):
    """Change the brightness.

    Parameters
    ----------
    brightness : the factor is drawn from ``1 - brightness`` (at least 0) to ``1 + brightness``
    """

    _operator = "random_brightness"

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness)


class RandomContrast(_RandomFactor):
    """Change the contrast.

    Parameters
    ----------
    contrast : the factor is drawn from ``1 - contrast`` (at least 0) to ``1 + contrast``
    """

    _operator = "random_contrast"

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast)


class RandomSaturation(_RandomFactor):
    """Change the saturation.

    Parameters
    ----------
    saturation : the factor is drawn from ``1 - saturation`` (at least 0) to ``1 + saturation``
    """

    _operator = "random_saturation"

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation)


class RandomHue(_RandomFactor):
    """Change the hue.

    Parameters
    ----------
    hue : the factor is drawn from ``1 - hue`` (at least 0) to ``1 + hue``
    """

    _operator = "random_hue"

    def __init__(self, hue: float) -> None:
        super().__init__(hue)


class RandomColorJitter(HybridBlock):
    """Change brightness, contrast, saturation and hue, in a random order.

    Parameters
    ----------
    brightness, contrast, saturation, hue : how much each may change
    """

    def __init__(
        self,
        brightness: float = 0,
        contrast: float = 0,
        saturation: float = 0,
        hue: float = 0,
    ) -> None:
        super().__init__()
        self._args = (brightness, contrast, saturation, hue)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Change; the shape stays."""
        return F.image.random_color_jitter(x, *self._args)


class RandomLighting(HybridBlock):
    """Add noise along the principal colours of ImageNet (Krizhevsky et al., 2012).

    Parameters
    ----------
    alpha : the standard deviation of the noise
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Change; the shape stays."""
        return F.image.random_lighting(x, self._alpha)

"""The functions of F in hybrid_forward; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike


class _Sparse:
    def ElementWiseSum(self, *args: Any, num_args: int = ..., name: str | None = None) -> Any:
        """The sum of all inputs, which have one shape."""

    def Embedding(
        self,
        data: Any = None,
        weight: Any = None,
        input_dim: int = ...,
        output_dim: int = ...,
        dtype: DTypeLike = 'float32',
        sparse_grad: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Look up a vector for each number."""

    def FullyConnected(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        num_hidden: int = ...,
        no_bias: bool | int = False,
        flatten: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

    def LinearRegressionOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The identity, with the gradient of the squared error."""

    def LogisticRegressionOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The logistic function, with the gradient of the binary cross entropy."""

    def MAERegressionOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The identity, with the gradient of the absolute error."""

    def abs(self, data: Any = None, name: str | None = None) -> Any:
        """Absolute value, of every element."""

    def adagrad_update(
        self,
        weight: Any = None,
        grad: Any = None,
        history: Any = None,
        lr: float = ...,
        epsilon: float = 1e-07,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of AdaGrad; with a row_sparse gradient, only in the rows that it stores."""

    def adam_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mean: Any = None,
        var: Any = None,
        lr: float = ...,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A step of Adam without bias correction, which is the caller's (in `lr`)."""

    def add_n(self, *args: Any, num_args: int = ..., name: str | None = None) -> Any:
        """The sum of all inputs, which have one shape."""

    def arccos(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse cosine, in radians, of every element."""

    def arccosh(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse hyperbolic cosine, of every element."""

    def arcsin(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse sine, in radians, of every element."""

    def arcsinh(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse hyperbolic sine, of every element."""

    def arctan(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse tangent, in radians, of every element."""

    def arctanh(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse hyperbolic tangent, of every element."""

    def broadcast_add(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs + rhs``, repeating axes of length one."""

    def broadcast_div(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs / rhs``, for integers rounded towards zero, repeating axes of length one."""

    def broadcast_minus(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs - rhs``, repeating axes of length one."""

    def broadcast_mul(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs * rhs``, repeating axes of length one."""

    def broadcast_plus(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs + rhs``, repeating axes of length one."""

    def broadcast_sub(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs - rhs``, repeating axes of length one."""

    def cast_storage(
        self,
        data: Any = None,
        stype: Literal['default', 'row_sparse', 'csr'] | str = ...,
        name: str | None = None,
    ) -> Any:
        """Return the elements in another storage type."""

    def cbrt(self, data: Any = None, name: str | None = None) -> Any:
        """Cube root, of every element."""

    def ceil(self, data: Any = None, name: str | None = None) -> Any:
        """The next integer upwards, of every element."""

    def clip(self, data: Any = None, a_min: float = ..., a_max: float = ..., name: str | None = None) -> Any:
        """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

    def concat(self, *arg: Any, num_args: int = ..., dim: int = 1, name: str | None = None) -> Any:
        """Join arrays along an axis."""

    def cos(self, data: Any = None, name: str | None = None) -> Any:
        """Cosine, of every element."""

    def cosh(self, data: Any = None, name: str | None = None) -> Any:
        """Hyperbolic cosine, of every element."""

    def degrees(self, data: Any = None, name: str | None = None) -> Any:
        """Radians converted to degrees, of every element."""

    def dot(
        self,
        lhs: Any = None,
        rhs: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Multiply two matrices, or vectors, or arrays along one axis of each."""

    def elemwise_add(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs + rhs``, element by element."""

    def elemwise_div(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs / rhs``, for integers rounded towards zero, element by element."""

    def elemwise_mul(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs * rhs``, element by element."""

    def elemwise_sub(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs - rhs``, element by element."""

    def exp(self, data: Any = None, name: str | None = None) -> Any:
        """Exponential, of every element."""

    def expm1(self, data: Any = None, name: str | None = None) -> Any:
        """``exp(x) - 1``, exact for small numbers, of every element."""

    def fix(self, data: Any = None, name: str | None = None) -> Any:
        """The next integer towards 0, of every element."""

    def floor(self, data: Any = None, name: str | None = None) -> Any:
        """The next integer downwards, of every element."""

    def ftrl_update(
        self,
        weight: Any = None,
        grad: Any = None,
        z: Any = None,
        n: Any = None,
        lr: float = ...,
        lamda1: float = 0.01,
        beta: float = 1.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013)."""

    def gamma(self, data: Any = None, name: str | None = None) -> Any:
        """Gamma function, of every element."""

    def gammaln(self, data: Any = None, name: str | None = None) -> Any:
        """Logarithm of the absolute value of the gamma function, of every element."""

    def log(self, data: Any = None, name: str | None = None) -> Any:
        """Natural logarithm, of every element."""

    def log10(self, data: Any = None, name: str | None = None) -> Any:
        """Logarithm to base 10, of every element."""

    def log1p(self, data: Any = None, name: str | None = None) -> Any:
        """``log(1 + x)``, exact for small numbers, of every element."""

    def log2(self, data: Any = None, name: str | None = None) -> Any:
        """Logarithm to base 2, of every element."""

    def make_function(self, *args: Any, **kwargs: Any) -> Any:
        """Make the function that calls an operator under one of its names."""

    def make_loss(self, data: Any = None, name: str | None = None) -> Any:
        """The input itself, as a loss: its gradient is always 1."""

    def mean(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The arithmetic mean over the given axes."""

    def negative(self, data: Any = None, name: str | None = None) -> Any:
        """The negated number, of every element."""

    def norm(
        self,
        data: Any = None,
        ord: Literal[2, 1] = 2,
        axis: int | Sequence[int] | None = None,
        out_dtype: DTypeLike | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

    def radians(self, data: Any = None, name: str | None = None) -> Any:
        """Degrees converted to radians, of every element."""

    def relu(self, data: Any = None, name: str | None = None) -> Any:
        """The number, or 0 if it is negative, of every element."""

    def retain(self, data: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """Keep some rows and set others to zero; in a row_sparse array the others are removed."""

    def rint(self, data: Any = None, name: str | None = None) -> Any:
        """The nearest integer; ties are rounded down, of every element."""

    def round(self, data: Any = None, name: str | None = None) -> Any:
        """The nearest integer; ties are rounded away from 0, of every element."""

    def rsqrt(self, data: Any = None, name: str | None = None) -> Any:
        """``1 / sqrt(x)``, of every element."""

    def sgd_mom_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mom: Any = None,
        lr: float = ...,
        momentum: float = 0.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A step of gradient descent with momentum."""

    def sgd_update(
        self,
        weight: Any = None,
        grad: Any = None,
        lr: float = ...,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""

    def sigmoid(self, data: Any = None, name: str | None = None) -> Any:
        """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

    def sign(self, data: Any = None, name: str | None = None) -> Any:
        """1 for positive numbers, -1 for negative ones, else 0, of every element."""

    def sin(self, data: Any = None, name: str | None = None) -> Any:
        """Sine, of every element."""

    def sinh(self, data: Any = None, name: str | None = None) -> Any:
        """Hyperbolic sine, of every element."""

    def slice(
        self,
        data: Any = None,
        begin: int | None | Sequence[int | None] = ...,
        end: int | None | Sequence[int | None] = ...,
        step: int | None | Sequence[int | None] = (),
        name: str | None = None,
    ) -> Any:
        """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

    def sqrt(self, data: Any = None, name: str | None = None) -> Any:
        """Square root, of every element."""

    def square(self, data: Any = None, name: str | None = None) -> Any:
        """``x * x``, of every element."""

    def stop_gradient(self, data: Any = None, name: str | None = None) -> Any:
        """The input itself; no gradient passes."""

    def sum(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The sum over the given axes."""

    def tan(self, data: Any = None, name: str | None = None) -> Any:
        """Tangent, of every element."""

    def tanh(self, data: Any = None, name: str | None = None) -> Any:
        """Hyperbolic tangent, of every element."""

    def trunc(self, data: Any = None, name: str | None = None) -> Any:
        """The integer without the fraction, of every element."""

    def where(self, condition: Any = None, x: Any = None, y: Any = None, name: str | None = None) -> Any:
        """Elements of `x` where `condition` is not 0, of `y` elsewhere."""

    def zeros_like(self, data: Any = None, name: str | None = None) -> Any:
        """Zeros, as many as `data` has elements."""


class _Random:
    def exponential(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the exponential distribution with mean `scale`."""

    def exponential_like(self, data: Any = None, lam: float = 1.0, name: str | None = None) -> Any:
        """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; of the shape and dtype of `data`."""

    def gamma(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the gamma distribution with shape `alpha` and scale `beta`."""

    def gamma_like(
        self,
        data: Any = None,
        alpha: float = 1.0,
        beta: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Gamma distributed numbers of shape `alpha` and scale `beta`; of the shape and dtype of `data`."""

    def generalized_negative_binomial(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the negative binomial distribution with mean `mu` and dispersion `alpha`."""

    def generalized_negative_binomial_like(
        self,
        data: Any = None,
        mu: float = 1.0,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; of the shape and dtype of `data`."""

    def make_function(self, *args: Any, **kwargs: Any) -> Any:
        """Make the function that calls an operator under one of its names."""

    def multinomial(self, *args: Any, **kwargs: Any) -> Any:
        """Draw indices of categories."""

    def negative_binomial(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the negative binomial distribution: failures before `k` successes of probability `p`."""

    def negative_binomial_like(
        self,
        data: Any = None,
        k: int = 1,
        p: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The number of successes, of probability ``1 - p``, before `k` failures; of the shape and dtype of `data`."""

    def normal(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the normal distribution with mean `loc` and standard deviation `scale`."""

    def normal_like(
        self,
        data: Any = None,
        loc: float = 0.0,
        scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Normally distributed numbers with mean `loc` and standard deviation `scale`; of the shape and dtype of `data`."""

    def poisson(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the Poisson distribution with mean `lam`."""

    def poisson_like(self, data: Any = None, lam: float = 1.0, name: str | None = None) -> Any:
        """Poisson distributed numbers of mean `lam`; of the shape and dtype of `data`."""

    def randint(self, *args: Any, **kwargs: Any) -> Any:
        """Draw integers of ``[low, high)``, all equally likely."""

    def randn(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the normal distribution; the lengths of the axes are the first arguments."""

    def shuffle(self, *args: Any, **kwargs: Any) -> Any:
        """Return the array with its rows (entries along the first axis) in random order."""

    def uniform(self, *args: Any, **kwargs: Any) -> Any:
        """Draw from the uniform distribution on ``[low, high)``."""

    def uniform_like(
        self,
        data: Any = None,
        low: float = 0.0,
        high: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; of the shape and dtype of `data`."""


class _Linalg:
    def det(self, A: Any = None, name: str | None = None) -> Any:
        """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""

    def extractdiag(self, A: Any = None, offset: int = 0, name: str | None = None) -> Any:
        """Take a diagonal of square matrices, `offset` diagonals above the main one."""

    def extracttrian(
        self,
        A: Any = None,
        offset: int = 0,
        lower: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Take a triangle of square matrices as a vector, row by row."""

    def gelqf(self, A: Any = None, name: str | None = None) -> Any:
        """Find the LQ factorization ``A = L · Q``."""

    def gemm(
        self,
        A: Any = None,
        B: Any = None,
        C: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        alpha: float = 1.0,
        beta: float = 1.0,
        axis: int = -2,
        name: str | None = None,
    ) -> Any:
        """Multiply and add matrices: ``alpha · A · B + beta · C``."""

    def gemm2(
        self,
        A: Any = None,
        B: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        alpha: float = 1.0,
        axis: int = -2,
        name: str | None = None,
    ) -> Any:
        """Multiply matrices: ``alpha · A · B``."""

    def inverse(self, A: Any = None, name: str | None = None) -> Any:
        """Invert square matrices."""

    def make_function(self, *args: Any, **kwargs: Any) -> Any:
        """Make the function that calls an operator under one of its names."""

    def makediag(self, A: Any = None, offset: int = 0, name: str | None = None) -> Any:
        """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""

    def maketrian(
        self,
        A: Any = None,
        offset: int = 0,
        lower: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""

    def potrf(self, A: Any = None, lower: bool | int = True, name: str | None = None) -> Any:
        """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``."""

    def potri(self, A: Any = None, lower: bool | int = True, name: str | None = None) -> Any:
        """Invert matrices, given their Cholesky factors."""

    def slogdet(self, A: Any = None, name: str | None = None) -> Any:
        """Find the signs of determinants and the logarithms of their absolute values."""

    def sumlogdiag(self, A: Any = None, name: str | None = None) -> Any:
        """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""

    def syevd(self, A: Any = None, name: str | None = None) -> Any:
        """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``."""

    def syrk(
        self,
        A: Any = None,
        transpose: bool | int = False,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""

    def triangle(
        self,
        A: Any = None,
        lower: bool | int = True,
        diagonal: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Keep one triangle of each matrix, its diagonal times a number; zeros elsewhere."""

    def trmm(
        self,
        A: Any = None,
        B: Any = None,
        transpose: bool | int = False,
        rightside: bool | int = False,
        lower: bool | int = True,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``."""

    def trsm(
        self,
        A: Any = None,
        B: Any = None,
        transpose: bool | int = False,
        rightside: bool | int = False,
        lower: bool | int = True,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``."""


class _Image:
    def adjust_lighting(
        self,
        data: Any = None,
        alpha: float | Sequence[float] = ...,
        name: str | None = None,
    ) -> Any:
        """Add light along the principal axes of natural colours, by the three numbers `alpha`."""

    def crop(
        self,
        data: Any = None,
        x: int = ...,
        y: int = ...,
        width: int = ...,
        height: int = ...,
        name: str | None = None,
    ) -> Any:
        """Cut out a rectangle."""

    def flip_left_right(self, data: Any = None, name: str | None = None) -> Any:
        """Mirror an image, (height, width, channels), left to right."""

    def flip_top_bottom(self, data: Any = None, name: str | None = None) -> Any:
        """Mirror an image, (height, width, channels), top to bottom."""

    def make_function(self, *args: Any, **kwargs: Any) -> Any:
        """Make the function that calls an operator under one of its names."""

    def normalize(
        self,
        data: Any = None,
        mean: float | Sequence[float] = ...,
        std: float | Sequence[float] = ...,
        name: str | None = None,
    ) -> Any:
        """Subtract a mean from each channel and divide it by a standard deviation."""

    def random_brightness(
        self,
        data: Any = None,
        min_factor: float = ...,
        max_factor: float = ...,
        name: str | None = None,
    ) -> Any:
        """Multiply an image by a random factor."""

    def random_color_jitter(
        self,
        data: Any = None,
        brightness: float = ...,
        contrast: float = ...,
        saturation: float = ...,
        hue: float = ...,
        name: str | None = None,
    ) -> Any:
        """Change brightness, contrast, saturation and hue at random, in random order."""

    def random_contrast(
        self,
        data: Any = None,
        min_factor: float = ...,
        max_factor: float = ...,
        name: str | None = None,
    ) -> Any:
        """Scale an image by a random factor around its mean."""

    def random_flip_left_right(self, data: Any = None, name: str | None = None) -> Any:
        """Mirror an image left to right, every other time."""

    def random_flip_top_bottom(self, data: Any = None, name: str | None = None) -> Any:
        """Mirror an image top to bottom, every other time."""

    def random_hue(
        self,
        data: Any = None,
        min_factor: float = ...,
        max_factor: float = ...,
        name: str | None = None,
    ) -> Any:
        """Rotate the hue of an image by a random part of the circle."""

    def random_lighting(self, data: Any = None, alpha_std: float = 0.05, name: str | None = None) -> Any:
        """Add light along the principal axes of natural colours, by three normal random numbers."""

    def random_saturation(
        self,
        data: Any = None,
        min_factor: float = ...,
        max_factor: float = ...,
        name: str | None = None,
    ) -> Any:
        """Mix an image with its gray one by a random factor."""

    def resize(
        self,
        data: Any = None,
        size: int | Sequence[int] = (),
        keep_ratio: bool | int = False,
        interp: int = 1,
        name: str | None = None,
    ) -> Any:
        """Resize images."""

    def to_tensor(self, data: Any = None, name: str | None = None) -> Any:
        """Put the channels first and divide by 255."""


class _Contrib:
    def AdaptiveAvgPooling2D(
        self,
        data: Any = None,
        output_size: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Divide images into parts, and return their means."""

    def BatchNormWithReLU(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        moving_mean: Any = None,
        moving_var: Any = None,
        eps: float = 0.001,
        momentum: float = 0.9,
        fix_gamma: bool | int = True,
        use_global_stats: bool | int = False,
        output_mean_var: bool | int = False,
        axis: int = 1,
        cudnn_off: bool | int = False,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Standardize every channel over the batch as BatchNorm does, and set negative results to zero."""

    def BilinearResize2D(
        self,
        data: Any = None,
        like: Any = None,
        height: int = 1,
        width: int = 1,
        scale_height: float | None = None,
        scale_width: float | None = None,
        mode: Literal['size', 'odd_scale', 'like', 'to_even_down', 'to_even_up', 'to_odd_down', 'to_odd_up'] | str = 'size',
        align_corners: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Resize images, interpolating linearly between pixels of the input."""

    def CTCLoss(
        self,
        data: Any = None,
        label: Any = None,
        data_lengths: Any = None,
        label_lengths: Any = None,
        use_data_lengths: bool | int = False,
        use_label_lengths: bool | int = False,
        blank_label: Literal['first', 'last'] | str = 'first',
        name: str | None = None,
    ) -> Any:
        """The loss of sequences whose labels are not aligned with their steps."""

    def DeformableConvolution(
        self,
        data: Any = None,
        offset: Any = None,
        weight: Any = None,
        bias: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        num_filter: int = ...,
        num_group: int = 1,
        num_deformable_group: int = 1,
        workspace: int = 1024,
        no_bias: bool | int = False,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Convolution of images that samples at positions displaced by an offset (arXiv:1703.06211)."""

    def DeformablePSROIPooling(
        self,
        data: Any = None,
        rois: Any = None,
        trans: Any = None,
        spatial_scale: float = ...,
        output_dim: int = ...,
        group_size: int = ...,
        pooled_size: int = ...,
        part_size: int = 0,
        sample_per_part: int = 1,
        trans_std: float = 0.0,
        no_trans: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Average over points in the parts of regions, each part moved, and taken from channels of its own."""

    def ModulatedDeformableConvolution(
        self,
        data: Any = None,
        offset: Any = None,
        mask: Any = None,
        weight: Any = None,
        bias: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        num_filter: int = ...,
        num_group: int = 1,
        num_deformable_group: int = 1,
        workspace: int = 1024,
        no_bias: bool | int = False,
        im2col_step: int = 64,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Deformable convolution that also weights its samples (arXiv:1811.11168)."""

    def MultiBoxDetection(
        self,
        cls_prob: Any = None,
        loc_pred: Any = None,
        anchor: Any = None,
        clip: bool | int = True,
        threshold: float = 0.01,
        background_id: int = 0,
        nms_threshold: float = 0.5,
        force_suppress: bool | int = False,
        variances: float | Sequence[float] = ...,
        nms_topk: int = -1,
        name: str | None = None,
    ) -> Any:
        """Find the objects that default boxes predict."""

    def MultiBoxPrior(
        self,
        data: Any = None,
        sizes: float | Sequence[float] = ...,
        ratios: float | Sequence[float] = ...,
        clip: bool | int = False,
        steps: float | Sequence[float] = ...,
        offsets: float | Sequence[float] = ...,
        name: str | None = None,
    ) -> Any:
        """Lay default boxes over an image, some around each pixel of a feature map."""

    def MultiBoxTarget(
        self,
        anchor: Any = None,
        label: Any = None,
        cls_pred: Any = None,
        overlap_threshold: float = 0.5,
        ignore_label: float = -1.0,
        negative_mining_ratio: float = -1.0,
        negative_mining_thresh: float = 0.5,
        minimum_negative_samples: int = 0,
        variances: float | Sequence[float] = ...,
        name: str | None = None,
    ) -> Any:
        """Find the training targets of default boxes, given the objects in the images."""

    def MultiProposal(
        self,
        cls_prob: Any = None,
        bbox_pred: Any = None,
        im_info: Any = None,
        rpn_pre_nms_top_n: int = 6000,
        rpn_post_nms_top_n: int = 300,
        threshold: float = 0.7,
        rpn_min_size: int = 16,
        scales: float | Sequence[float] = ...,
        ratios: float | Sequence[float] = ...,
        feature_stride: int = 16,
        output_score: bool | int = False,
        iou_loss: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Propose regions that may hold an object."""

    def PSROIPooling(
        self,
        data: Any = None,
        rois: Any = None,
        spatial_scale: float = ...,
        output_dim: int = ...,
        pooled_size: int = ...,
        group_size: int = 0,
        name: str | None = None,
    ) -> Any:
        """Average over the parts of regions, each part in channels of its own."""

    def Proposal(
        self,
        cls_prob: Any = None,
        bbox_pred: Any = None,
        im_info: Any = None,
        rpn_pre_nms_top_n: int = 6000,
        rpn_post_nms_top_n: int = 300,
        threshold: float = 0.7,
        rpn_min_size: int = 16,
        scales: float | Sequence[float] = ...,
        ratios: float | Sequence[float] = ...,
        feature_stride: int = 16,
        output_score: bool | int = False,
        iou_loss: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Propose regions that may hold an object."""

    def ROIAlign(
        self,
        data: Any = None,
        rois: Any = None,
        pooled_size: int | Sequence[int] = ...,
        spatial_scale: float = ...,
        sample_ratio: int = -1,
        position_sensitive: bool | int = False,
        aligned: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Average over the parts of regions of interest, interpolating between pixels."""

    def RROIAlign(
        self,
        data: Any = None,
        rois: Any = None,
        pooled_size: int | Sequence[int] = ...,
        spatial_scale: float = ...,
        sampling_ratio: int = -1,
        name: str | None = None,
    ) -> Any:
        """Average over the parts of rotated regions, interpolating between pixels."""

    def SparseEmbedding(
        self,
        data: Any = None,
        weight: Any = None,
        input_dim: int = ...,
        output_dim: int = ...,
        dtype: DTypeLike = 'float32',
        deterministic: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Look up a vector for each number; the table's gradient is row_sparse."""

    def SyncBatchNorm(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        moving_mean: Any = None,
        moving_var: Any = None,
        eps: float = 0.001,
        momentum: float = 0.9,
        fix_gamma: bool | int = True,
        use_global_stats: bool | int = False,
        output_mean_var: bool | int = False,
        ndev: int = 1,
        key: str = ...,
        name: str | None = None,
    ) -> Any:
        """Standardize every channel over the batch, as BatchNorm does, but over the batches of all ranks."""

    def adamw_update(self, *args: Any, **kwargs: Any) -> Any:
        """Take a step of AdamW; it is skipped if `rescale_grad` is 0 or not finite."""

    def allclose(
        self,
        a: Any = None,
        b: Any = None,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """1 if ``abs(a - b) <= atol + rtol * abs(b)`` everywhere, else 0, as a uint8 array without axes."""

    def arange_like(
        self,
        data: Any = None,
        start: float = 0.0,
        step: float = 1.0,
        repeat: int = 1,
        ctx: str = '',
        axis: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Evenly spaced numbers, as many as `data` has elements, or as the length of one of its axes."""

    def backward_gradientmultiplier(
        self,
        data: Any = None,
        scalar: float = 1.0,
        is_int: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """`data` as `lhs` and the number `scalar` as `rhs`: ``lhs * rhs``."""

    def bipartite_matching(
        self,
        data: Any = None,
        is_ascend: bool | int = False,
        threshold: float = ...,
        topk: int = -1,
        name: str | None = None,
    ) -> Any:
        """Match rows and columns greedily: the best pair first, then the best of the rest."""

    def boolean_mask(self, data: Any = None, index: Any = None, axis: int = 0, name: str | None = None) -> Any:
        """Keep the slices along an axis for which `index` is not zero."""

    def box_decode(
        self,
        data: Any = None,
        anchors: Any = None,
        std0: float = 1.0,
        std1: float = 1.0,
        std2: float = 1.0,
        std3: float = 1.0,
        clip: float = -1.0,
        format: Literal['corner', 'center'] | str = 'center',
        name: str | None = None,
    ) -> Any:
        """Decode boxes from their offsets from anchors."""

    def box_encode(
        self,
        samples: Any = None,
        matches: Any = None,
        anchors: Any = None,
        refs: Any = None,
        means: Any = None,
        stds: Any = None,
        name: str | None = None,
    ) -> Any:
        """Encode boxes by their offsets from anchors, as targets for training."""

    def box_iou(
        self,
        lhs: Any = None,
        rhs: Any = None,
        format: Literal['corner', 'center'] | str = 'corner',
        name: str | None = None,
    ) -> Any:
        """Compute the overlap of every box with every other: intersection over union."""

    def box_nms(
        self,
        data: Any = None,
        overlap_thresh: float = 0.5,
        valid_thresh: float = 0.0,
        topk: int = -1,
        coord_start: int = 2,
        score_index: int = 1,
        id_index: int = -1,
        background_id: int = -1,
        force_suppress: bool | int = False,
        in_format: Literal['corner', 'center'] | str = 'corner',
        out_format: Literal['corner', 'center'] | str = 'corner',
        name: str | None = None,
    ) -> Any:
        """Drop boxes that overlap with better ones: non-maximum suppression."""

    def box_non_maximum_suppression(
        self,
        data: Any = None,
        overlap_thresh: float = 0.5,
        valid_thresh: float = 0.0,
        topk: int = -1,
        coord_start: int = 2,
        score_index: int = 1,
        id_index: int = -1,
        background_id: int = -1,
        force_suppress: bool | int = False,
        in_format: Literal['corner', 'center'] | str = 'corner',
        out_format: Literal['corner', 'center'] | str = 'corner',
        name: str | None = None,
    ) -> Any:
        """Drop boxes that overlap with better ones: non-maximum suppression."""

    def calibrate_entropy(
        self,
        hist: Any = None,
        hist_edges: Any = None,
        num_quantized_bins: int = 255,
        name: str | None = None,
    ) -> Any:
        """Find the range, from a histogram around zero, whose quantization changes the distribution least."""

    def cond(self, *args: Any, **kwargs: Any) -> Any:
        """Run one of two functions."""

    def count_sketch(
        self,
        data: Any = None,
        h: Any = None,
        s: Any = None,
        out_dim: int = ...,
        processing_batch_size: int = 32,
        name: str | None = None,
    ) -> Any:
        """Hash columns to fewer ones: ``output[..., h[i]] += s[i] * data[..., i]``."""

    def ctc_loss(
        self,
        data: Any = None,
        label: Any = None,
        data_lengths: Any = None,
        label_lengths: Any = None,
        use_data_lengths: bool | int = False,
        use_label_lengths: bool | int = False,
        blank_label: Literal['first', 'last'] | str = 'first',
        name: str | None = None,
    ) -> Any:
        """The loss of sequences whose labels are not aligned with their steps."""

    def dequantize(
        self,
        data: Any = None,
        min_range: Any = None,
        max_range: Any = None,
        out_type: Literal['float32'] | str = 'float32',
        name: str | None = None,
    ) -> Any:
        """Return the numbers that small integers represent."""

    def div_sqrt_dim(self, data: Any = None, name: str | None = None) -> Any:
        """Divide by the square root of the length of the last axis."""

    def edge_id(self, data: Any = None, u: Any = None, v: Any = None, name: str | None = None) -> Any:
        """Look up elements stored in a csr matrix: the ids of edges, in a graph's adjacency matrix."""

    def fft(self, data: Any = None, compute_size: int = 128, name: str | None = None) -> Any:
        """Find the discrete Fourier transform of real numbers along the last axis."""

    def foreach(self, *args: Any, **kwargs: Any) -> Any:
        """Run a function on each slice of arrays along the first axis; states pass from call to call."""

    def getnnz(self, data: Any = None, axis: int | None = None, name: str | None = None) -> Any:
        """Count the stored elements of a csr array, or the non-zero elements of a dense one."""

    def gradientmultiplier(
        self,
        data: Any = None,
        scalar: float = 1.0,
        is_int: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """The input itself; the gradient is multiplied by `scalar` (negative: gradient reversal)."""

    def group_adagrad_update(
        self,
        weight: Any = None,
        grad: Any = None,
        history: Any = None,
        lr: float = ...,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        epsilon: float = 1e-05,
        name: str | None = None,
    ) -> Any:
        """A step of AdaGrad with one step size for each row."""

    def hawkesll(
        self,
        lda: Any = None,
        alpha: Any = None,
        beta: Any = None,
        state: Any = None,
        lags: Any = None,
        marks: Any = None,
        valid_length: Any = None,
        max_time: Any = None,
        name: str | None = None,
    ) -> Any:
        """The log likelihood of sequences of events under self-exciting processes with exponential decay."""

    def ifft(self, data: Any = None, compute_size: int = 128, name: str | None = None) -> Any:
        """Find the real parts of the inverse Fourier transform, not divided by its length."""

    def index_array(
        self,
        data: Any = None,
        axes: int | Sequence[int] | None = None,
        name: str | None = None,
    ) -> Any:
        """Return each element's index: it is in the last axis of the result."""

    def index_copy(
        self,
        old_tensor: Any = None,
        index_vector: Any = None,
        new_tensor: Any = None,
        name: str | None = None,
    ) -> Any:
        """Copy `old_tensor` with some of its slices along the first axis replaced."""

    def interleaved_matmul_encdec_qk(
        self,
        queries: Any = None,
        keys_values: Any = None,
        heads: int = ...,
        name: str | None = None,
    ) -> Any:
        """Multiply queries and keys of another sequence: ``queries · keysᵀ / sqrt(size)``, for each head."""

    def interleaved_matmul_encdec_valatt(
        self,
        keys_values: Any = None,
        attention: Any = None,
        heads: int = ...,
        name: str | None = None,
    ) -> Any:
        """Multiply attention and values of another sequence, for each head."""

    def interleaved_matmul_selfatt_qk(
        self,
        queries_keys_values: Any = None,
        heads: int = ...,
        name: str | None = None,
    ) -> Any:
        """Multiply queries and keys: ``queries · keysᵀ / sqrt(size)``, for each head."""

    def interleaved_matmul_selfatt_valatt(
        self,
        queries_keys_values: Any = None,
        attention: Any = None,
        heads: int = ...,
        name: str | None = None,
    ) -> Any:
        """Multiply attention and values, for each head."""

    def make_function(self, *args: Any, **kwargs: Any) -> Any:
        """Make the function that calls an operator under one of its names."""

    def mp_adamw_update(self, *args: Any, **kwargs: Any) -> Any:
        """Take a step of AdamW, with the weight kept in float32 too; see `adamw_update`."""

    def quadratic(
        self,
        data: Any = None,
        a: float = 0.0,
        b: float = 0.0,
        c: float = 0.0,
        name: str | None = None,
    ) -> Any:
        """``a * x**2 + b * x + c`` of every element."""

    def quantize(
        self,
        data: Any = None,
        min_range: Any = None,
        max_range: Any = None,
        out_type: Literal['int8', 'uint8'] | str = 'uint8',
        name: str | None = None,
    ) -> Any:
        """Quantize numbers of a given range to small integers."""

    def quantize_asym(
        self,
        data: Any = None,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Quantize numbers to uint8 so that the minimum of their range is 0 and the maximum 255."""

    def quantize_v2(
        self,
        data: Any = None,
        out_type: Literal['auto', 'int8', 'uint8'] | str = 'int8',
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Quantize numbers to small integers; their range is given or computed."""

    def quantized_act(
        self,
        data: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] | str = ...,
        name: str | None = None,
    ) -> Any:
        """The rectifier."""

    def quantized_batch_norm(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        moving_mean: Any = None,
        moving_var: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        eps: float = 0.001,
        momentum: float = 0.9,
        fix_gamma: bool | int = True,
        use_global_stats: bool | int = False,
        output_mean_var: bool | int = False,
        axis: int = 1,
        cudnn_off: bool | int = False,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Standardize every channel by its running mean and variance."""

    def quantized_concat(self, *data: Any, num_args: int = ..., dim: int = 1, name: str | None = None) -> Any:
        """Join arrays of small integers along an axis, with a range that contains all of theirs."""

    def quantized_conv(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        min_weight: Any = None,
        max_weight: Any = None,
        min_bias: Any = None,
        max_bias: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        num_filter: int = ...,
        num_group: int = 1,
        workspace: int = 1024,
        no_bias: bool | int = False,
        cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | str | None = None,
        cudnn_off: bool | int = False,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Convolution with small integers, summed in int32."""

    def quantized_elemwise_add(
        self,
        lhs: Any = None,
        rhs: Any = None,
        lhs_min: Any = None,
        lhs_max: Any = None,
        rhs_min: Any = None,
        rhs_max: Any = None,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Add arrays of small integers."""

    def quantized_elemwise_mul(
        self,
        lhs: Any = None,
        rhs: Any = None,
        lhs_min: Any = None,
        lhs_max: Any = None,
        rhs_min: Any = None,
        rhs_max: Any = None,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        enable_float_output: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Multiply arrays of int8 element by element."""

    def quantized_embedding(
        self,
        data: Any = None,
        weight: Any = None,
        min_weight: Any = None,
        max_weight: Any = None,
        input_dim: int = ...,
        output_dim: int = ...,
        dtype: DTypeLike = 'float32',
        sparse_grad: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Look up a vector of int8 for each number."""

    def quantized_flatten(
        self,
        data: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        name: str | None = None,
    ) -> Any:
        """Join all axes but the first."""

    def quantized_fully_connected(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        min_weight: Any = None,
        max_weight: Any = None,
        min_bias: Any = None,
        max_bias: Any = None,
        num_hidden: int = ...,
        no_bias: bool | int = False,
        flatten: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A fully connected layer with small integers, summed in int32."""

    def quantized_pooling(
        self,
        data: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        kernel: int | Sequence[int] = (),
        pool_type: Literal['max', 'avg', 'sum', 'lp'] | str = 'max',
        global_pool: bool | int = False,
        cudnn_off: bool | int = False,
        pooling_convention: Literal['valid', 'full', 'same'] | str = 'valid',
        stride: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        p_value: int | None = None,
        count_include_pad: bool | int | None = None,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Pooling by maxima or means."""

    def quantized_rnn(
        self,
        data: Any = None,
        parameters: Any = None,
        state: Any = None,
        state_cell: Any = None,
        min_data: Any = None,
        max_data: Any = None,
        state_size: int = ...,
        num_layers: int = ...,
        bidirectional: bool | int = False,
        mode: Literal['lstm'] | str = ...,
        p: float = 0.0,
        state_outputs: bool | int = False,
        projection_size: int | None = None,
        lstm_state_clip_min: float | None = None,
        lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool | int = False,
        use_sequence_length: bool | int = False,
        quantized: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Run an LSTM over inputs of uint8, with weights rounded to 8 bits."""

    def rand_zipfian(self, *args: Any, **kwargs: Any) -> Any:
        """Draw classes from an approximately Zipfian distribution: probabilities fall as ``1 / (class + 1)``."""

    def requantize(
        self,
        data: Any = None,
        min_range: Any = None,
        max_range: Any = None,
        out_type: Literal['auto', 'int8', 'uint8'] | str = 'int8',
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Quantize 32-bit integers to small ones, for a range that is given or computed."""

    def round_ste(self, data: Any = None, name: str | None = None) -> Any:
        """`round`, with the gradient of the identity, of every element."""

    def sign_ste(self, data: Any = None, name: str | None = None) -> Any:
        """`sign`, with the gradient of the identity, of every element."""

    def while_loop(self, *args: Any, **kwargs: Any) -> Any:
        """Run a function on loop variables as long as a condition holds."""


class Functions:
    def Activation(
        self,
        data: Any = None,
        act_type: Literal['relu', 'sigmoid', 'softrelu', 'softsign', 'tanh'] | str = ...,
        name: str | None = None,
    ) -> Any:
        """Apply an activation function to every element."""

    def BatchNorm(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        moving_mean: Any = None,
        moving_var: Any = None,
        eps: float = 0.001,
        momentum: float = 0.9,
        fix_gamma: bool | int = True,
        use_global_stats: bool | int = False,
        output_mean_var: bool | int = False,
        axis: int = 1,
        cudnn_off: bool | int = False,
        min_calib_range: float | None = None,
        max_calib_range: float | None = None,
        name: str | None = None,
    ) -> Any:
        """Standardize every channel over the batch, then scale and shift it."""

    def BatchNorm_v1(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        moving_mean: Any = None,
        moving_var: Any = None,
        eps: float = 0.001,
        momentum: float = 0.9,
        fix_gamma: bool | int = True,
        use_global_stats: bool | int = False,
        output_mean_var: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Standardize every channel over the batch, as BatchNorm does, which supersedes it."""

    def BilinearSampler(
        self,
        data: Any = None,
        grid: Any = None,
        cudnn_off: bool | int | None = None,
        name: str | None = None,
    ) -> Any:
        """Sample images at given positions, interpolating between four pixels; outside they are zero."""

    def BlockGrad(self, data: Any = None, name: str | None = None) -> Any:
        """The input itself; no gradient passes."""

    def CTCLoss(
        self,
        data: Any = None,
        label: Any = None,
        data_lengths: Any = None,
        label_lengths: Any = None,
        use_data_lengths: bool | int = False,
        use_label_lengths: bool | int = False,
        blank_label: Literal['first', 'last'] | str = 'first',
        name: str | None = None,
    ) -> Any:
        """The loss of sequences whose labels are not aligned with their steps."""

    def Cast(self, data: Any = None, dtype: DTypeLike = ..., name: str | None = None) -> Any:
        """Convert every element to `dtype`; to integers by dropping the fraction."""

    def Concat(self, *arg: Any, num_args: int = ..., dim: int = 1, name: str | None = None) -> Any:
        """Join arrays along an axis."""

    def Convolution(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        num_filter: int = ...,
        num_group: int = 1,
        workspace: int = 1024,
        no_bias: bool | int = False,
        cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | str | None = None,
        cudnn_off: bool | int = False,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Slide filters over data: every output is the product of a filter and a window of the data."""

    def Convolution_v1(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        num_filter: int = ...,
        num_group: int = 1,
        workspace: int = 1024,
        no_bias: bool | int = False,
        cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | str | None = None,
        cudnn_off: bool | int = False,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Slide filters over data: every output is the product of a filter and a window of the data."""

    def Correlation(
        self,
        data1: Any = None,
        data2: Any = None,
        kernel_size: int = 1,
        max_displacement: int = 1,
        stride1: int = 1,
        stride2: int = 1,
        pad_size: int = 0,
        is_multiply: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Compare patches of one image with displaced patches of another (arXiv:1504.06852)."""

    def Crop(
        self,
        *arg: Any,
        num_args: int = ...,
        offset: int | Sequence[int] = (0, 0),
        h_w: int | Sequence[int] = (0, 0),
        center_crop: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Crop images to a window (for old models; `slice` and `slice_like` do more)."""

    def Custom(self, *data: Any, op_type: str = ..., name: str | None = None, **settings: Any) -> Any:
        """Run an operator written in Python."""

    def Deconvolution(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        adj: int | Sequence[int] = (),
        target_shape: int | Sequence[int] = (),
        num_filter: int = ...,
        num_group: int = 1,
        workspace: int = 512,
        no_bias: bool | int = True,
        cudnn_tune: Literal['off', 'limited_workspace', 'fastest'] | str | None = None,
        cudnn_off: bool | int = False,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Transpose a convolution: the gradient of its data, as a layer of its own."""

    def Dropout(
        self,
        data: Any = None,
        p: float = 0.5,
        mode: Literal['training', 'always'] | str = 'training',
        axes: int | Sequence[int] = (),
        cudnn_off: bool | int | None = False,
        name: str | None = None,
    ) -> Any:
        """Set elements to zero at random, and scale the others so that the mean is kept."""

    def ElementWiseSum(self, *args: Any, num_args: int = ..., name: str | None = None) -> Any:
        """The sum of all inputs, which have one shape."""

    def Embedding(
        self,
        data: Any = None,
        weight: Any = None,
        input_dim: int = ...,
        output_dim: int = ...,
        dtype: DTypeLike = 'float32',
        sparse_grad: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Look up a vector for each number."""

    def Flatten(self, data: Any = None, name: str | None = None) -> Any:
        """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

    def FullyConnected(
        self,
        data: Any = None,
        weight: Any = None,
        bias: Any = None,
        num_hidden: int = ...,
        no_bias: bool | int = False,
        flatten: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Apply a linear map and add a bias: ``data · weightᵀ + bias``."""

    def GridGenerator(
        self,
        data: Any = None,
        transform_type: Literal['affine', 'warp'] | str = ...,
        target_shape: int | Sequence[int] = (0, 0),
        name: str | None = None,
    ) -> Any:
        """Make a grid of positions to sample."""

    def GroupNorm(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        num_groups: int = 1,
        eps: float = 1e-05,
        output_mean_var: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Standardize groups of channels of every instance, then scale and shift (arXiv:1803.08494)."""

    def IdentityAttachKLSparseReg(
        self,
        data: Any = None,
        moving_avg: Any = None,
        sparseness_target: float = 0.1,
        penalty: float = 0.001,
        momentum: float = 0.9,
        name: str | None = None,
    ) -> Any:
        """The identity, with the gradient of a penalty on mean activations that differ from a target."""

    def InstanceNorm(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        eps: float = 0.001,
        name: str | None = None,
    ) -> Any:
        """Standardize every channel of every instance, then scale and shift (arXiv:1607.08022)."""

    def L2Normalization(
        self,
        data: Any = None,
        eps: float = 1e-10,
        mode: Literal['instance', 'spatial', 'channel'] | str = 'instance',
        name: str | None = None,
    ) -> Any:
        """Divide vectors by their Euclidean norm: ``x / sqrt(Σ x² + eps)``."""

    def LRN(
        self,
        data: Any = None,
        alpha: float = 0.0001,
        beta: float = 0.75,
        knorm: float = 2.0,
        nsize: int = ...,
        name: str | None = None,
    ) -> Any:
        """Divide each number by a power of the sum of squares over the channels around it."""

    def LayerNorm(
        self,
        data: Any = None,
        gamma: Any = None,
        beta: Any = None,
        axis: int = -1,
        eps: float = 1e-05,
        output_mean_var: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Standardize along one axis, then scale and shift (arXiv:1607.06450)."""

    def LeakyReLU(
        self,
        data: Any = None,
        gamma: Any = None,
        act_type: Literal['rrelu', 'leaky', 'prelu', 'elu', 'selu', 'gelu'] | str = 'leaky',
        slope: float = 0.25,
        lower_bound: float = 0.125,
        upper_bound: float = 0.334,
        name: str | None = None,
    ) -> Any:
        """Apply a leaky rectifier of a chosen kind, or GELU."""

    def LinearRegressionOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The identity, with the gradient of the squared error."""

    def LogisticRegressionOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The logistic function, with the gradient of the binary cross entropy."""

    def MAERegressionOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The identity, with the gradient of the absolute error."""

    def MakeLoss(
        self,
        data: Any = None,
        grad_scale: float = 1.0,
        valid_thresh: float = 0.0,
        normalization: Literal['batch', 'null', 'valid'] | str = 'null',
        name: str | None = None,
    ) -> Any:
        """The input itself, as a loss: its gradient is a constant, whatever gradient flows in."""

    def Pad(
        self,
        data: Any = None,
        mode: Literal['constant', 'edge', 'reflect'] | str = ...,
        pad_width: int | Sequence[int] = ...,
        constant_value: float = 0,
        name: str | None = None,
    ) -> Any:
        """Add a border."""

    def Pooling(
        self,
        data: Any = None,
        kernel: int | Sequence[int] = (),
        pool_type: Literal['max', 'avg', 'sum', 'lp'] | str = 'max',
        global_pool: bool | int = False,
        cudnn_off: bool | int = False,
        pooling_convention: Literal['valid', 'full', 'same'] | str = 'valid',
        stride: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        p_value: int | None = None,
        count_include_pad: bool | int | None = None,
        layout: Literal['NCW', 'NCHW', 'NCDHW', 'NWC', 'NHWC', 'NDHWC'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Reduce windows of the data, for each channel separately."""

    def Pooling_v1(
        self,
        data: Any = None,
        kernel: int | Sequence[int] = (),
        pool_type: Literal['max', 'avg', 'sum'] | str = 'max',
        global_pool: bool | int = False,
        pooling_convention: Literal['valid', 'full'] | str = 'valid',
        stride: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Reduce windows of the data; superseded by Pooling, and kept for old files."""

    def RNN(
        self,
        data: Any = None,
        parameters: Any = None,
        state: Any = None,
        state_cell: Any = None,
        sequence_length: Any = None,
        state_size: int = ...,
        num_layers: int = ...,
        bidirectional: bool | int = False,
        mode: Literal['rnn_relu', 'rnn_tanh', 'lstm', 'gru'] | str = ...,
        p: float = 0.0,
        state_outputs: bool | int = False,
        projection_size: int | None = None,
        lstm_state_clip_min: float | None = None,
        lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool | int = False,
        use_sequence_length: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Run a recurrent network of one layer or several over a batch of sequences."""

    def ROIPooling(
        self,
        data: Any = None,
        rois: Any = None,
        pooled_size: int | Sequence[int] = ...,
        spatial_scale: float = ...,
        name: str | None = None,
    ) -> Any:
        """Take maxima over the parts of regions of interest."""

    def Reshape(
        self,
        data: Any = None,
        shape: int | Sequence[int] = (),
        reverse: bool | int = False,
        target_shape: int | Sequence[int] = (),
        keep_highest: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Give the elements another shape."""

    def SVMOutput(
        self,
        data: Any = None,
        label: Any = None,
        margin: float = 1.0,
        regularization_coefficient: float = 1.0,
        use_linear: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The identity, with the gradient of the hinge loss of one-vs-rest support vector machines."""

    def SequenceLast(
        self,
        data: Any = None,
        sequence_length: Any = None,
        use_sequence_length: bool | int = False,
        axis: int = 0,
        name: str | None = None,
    ) -> Any:
        """Take the last step of each sequence."""

    def SequenceMask(
        self,
        data: Any = None,
        sequence_length: Any = None,
        use_sequence_length: bool | int = False,
        value: float = 0.0,
        axis: int = 0,
        name: str | None = None,
    ) -> Any:
        """Overwrite elements beyond the end of each sequence."""

    def SequenceReverse(
        self,
        data: Any = None,
        sequence_length: Any = None,
        use_sequence_length: bool | int = False,
        axis: int = 0,
        name: str | None = None,
    ) -> Any:
        """Reverse each sequence; elements beyond its end are unchanged."""

    def SliceChannel(
        self,
        data: Any = None,
        num_outputs: int = ...,
        axis: int = 1,
        squeeze_axis: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Split an array into equal parts."""

    def Softmax(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        ignore_label: float = -1.0,
        multi_output: bool | int = False,
        use_ignore: bool | int = False,
        preserve_shape: bool | int = False,
        normalization: Literal['null', 'batch', 'valid'] | str = 'null',
        out_grad: bool | int = False,
        smooth_alpha: float = 0.0,
        name: str | None = None,
    ) -> Any:
        """Softmax, with the gradient of the cross entropy against `label`."""

    def SoftmaxActivation(
        self,
        data: Any = None,
        mode: Literal['instance', 'channel'] | str = 'instance',
        name: str | None = None,
    ) -> Any:
        """Softmax along the last axis, or along the channels; superseded by `softmax`."""

    def SoftmaxOutput(
        self,
        data: Any = None,
        label: Any = None,
        grad_scale: float = 1.0,
        ignore_label: float = -1.0,
        multi_output: bool | int = False,
        use_ignore: bool | int = False,
        preserve_shape: bool | int = False,
        normalization: Literal['null', 'batch', 'valid'] | str = 'null',
        out_grad: bool | int = False,
        smooth_alpha: float = 0.0,
        name: str | None = None,
    ) -> Any:
        """Softmax, with the gradient of the cross entropy against `label`."""

    def SpatialTransformer(
        self,
        data: Any = None,
        loc: Any = None,
        target_shape: int | Sequence[int] = (0, 0),
        transform_type: Literal['affine'] | str = ...,
        sampler_type: Literal['bilinear'] | str = ...,
        cudnn_off: bool | int | None = None,
        name: str | None = None,
    ) -> Any:
        """Transform images by matrices: `BilinearSampler` on the grids of `GridGenerator`."""

    def SwapAxis(self, data: Any = None, dim1: int = 0, dim2: int = 0, name: str | None = None) -> Any:
        """Exchange two axes."""

    def UpSampling(
        self,
        *args: Any,
        scale: int = ...,
        num_filter: int = 0,
        sample_type: Literal['nearest', 'bilinear'] | str = ...,
        multi_input_mode: Literal['concat', 'sum'] | str = 'concat',
        num_args: int = 1,
        workspace: int = 512,
        name: str | None = None,
    ) -> Any:
        """Enlarge images: repeat pixels, or interpolate between them by a transposed convolution."""

    def abs(self, data: Any = None, name: str | None = None) -> Any:
        """Absolute value, of every element."""

    def adam_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mean: Any = None,
        var: Any = None,
        lr: float = ...,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A step of Adam without bias correction, which is the caller's (in `lr`)."""

    def add_n(self, *args: Any, num_args: int = ..., name: str | None = None) -> Any:
        """The sum of all inputs, which have one shape."""

    def all_finite(self, data: Any = None, init_output: bool | int = True, name: str | None = None) -> Any:
        """1 if no element is infinite or NaN, else 0, as a float32 array of shape (1,)."""

    def amp_cast(self, data: Any = None, dtype: DTypeLike = ..., name: str | None = None) -> Any:
        """Cast floating numbers to `dtype`; leave other dtypes unchanged."""

    def amp_multicast(
        self,
        *data: Any,
        num_outputs: int = ...,
        cast_narrow: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Cast all floating inputs to the widest floating dtype among them, or to the narrowest."""

    def arange(self, *args: Any, **kwargs: Any) -> Any:
        """Return the numbers from `start` up to but not including `stop`, `step` apart."""

    def arccos(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse cosine, in radians, of every element."""

    def arccosh(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse hyperbolic cosine, of every element."""

    def arcsin(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse sine, in radians, of every element."""

    def arcsinh(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse hyperbolic sine, of every element."""

    def arctan(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse tangent, in radians, of every element."""

    def arctanh(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse hyperbolic tangent, of every element."""

    def argmax(
        self,
        data: Any = None,
        axis: int | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The index of the largest element."""

    def argmax_channel(self, data: Any = None, name: str | None = None) -> Any:
        """The index of the largest element along axis 1, in the dtype of `data`."""

    def argmin(
        self,
        data: Any = None,
        axis: int | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The index of the smallest element."""

    def argsort(
        self,
        data: Any = None,
        axis: int | None = -1,
        is_ascend: bool | int = True,
        dtype: DTypeLike = 'float32',
        name: str | None = None,
    ) -> Any:
        """Find the indices that sort an array along an axis; equal elements keep their order."""

    def batch_dot(
        self,
        lhs: Any = None,
        rhs: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Multiply matrices pairwise: the last two axes are matrices, all others are batch axes."""

    def batch_take(self, a: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """Pick one element of each row: ``output[i] = a[i, indices[i]]`` (`pick` does more)."""

    def broadcast_add(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs + rhs``, repeating axes of length one."""

    def broadcast_axes(
        self,
        data: Any = None,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Repeat each `axis` of `data`, of length one, `size` times."""

    def broadcast_axis(
        self,
        data: Any = None,
        axis: int | Sequence[int] = (),
        size: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Repeat each `axis` of `data`, of length one, `size` times."""

    def broadcast_div(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs / rhs``, for integers rounded towards zero, repeating axes of length one."""

    def broadcast_equal(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where ``lhs == rhs``, else 0, repeating axes of length one."""

    def broadcast_greater(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where ``lhs > rhs``, else 0, repeating axes of length one."""

    def broadcast_greater_equal(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where ``lhs >= rhs``, else 0, repeating axes of length one."""

    def broadcast_hypot(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``sqrt(lhs**2 + rhs**2)``, repeating axes of length one."""

    def broadcast_lesser(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where ``lhs < rhs``, else 0, repeating axes of length one."""

    def broadcast_lesser_equal(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where ``lhs <= rhs``, else 0, repeating axes of length one."""

    def broadcast_like(
        self,
        lhs: Any = None,
        rhs: Any = None,
        lhs_axes: int | Sequence[int] | None = None,
        rhs_axes: int | Sequence[int] | None = None,
        name: str | None = None,
    ) -> Any:
        """Repeat the axes of length one of `lhs` until it has the shape of `rhs`."""

    def broadcast_logical_and(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where neither `lhs` nor `rhs` is 0, else 0, repeating axes of length one."""

    def broadcast_logical_or(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where `lhs` or `rhs` is not 0, else 0, repeating axes of length one."""

    def broadcast_logical_xor(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where exactly one of `lhs` and `rhs` is 0, else 0, repeating axes of length one."""

    def broadcast_maximum(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """The larger of `lhs` and `rhs`, NaN where either is, repeating axes of length one."""

    def broadcast_minimum(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """The smaller of `lhs` and `rhs`, NaN where either is, repeating axes of length one."""

    def broadcast_minus(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs - rhs``, repeating axes of length one."""

    def broadcast_mod(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """The remainder of ``lhs / rhs`` with the sign of `rhs`, and 0 where `rhs` is 0, repeating axes of length one."""

    def broadcast_mul(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs * rhs``, repeating axes of length one."""

    def broadcast_not_equal(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """1 where ``lhs != rhs``, else 0, repeating axes of length one."""

    def broadcast_plus(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs + rhs``, repeating axes of length one."""

    def broadcast_power(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs ** rhs``, repeating axes of length one."""

    def broadcast_sub(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs - rhs``, repeating axes of length one."""

    def broadcast_to(self, data: Any = None, shape: int | Sequence[int] = (), name: str | None = None) -> Any:
        """Repeat the axes of length one of `data` until it has the given shape; 0 keeps an axis."""

    def cast(self, data: Any = None, dtype: DTypeLike = ..., name: str | None = None) -> Any:
        """Convert every element to `dtype`; to integers by dropping the fraction."""

    def cast_storage(
        self,
        data: Any = None,
        stype: Literal['default', 'row_sparse', 'csr'] | str = ...,
        name: str | None = None,
    ) -> Any:
        """Return the elements in another storage type."""

    def cbrt(self, data: Any = None, name: str | None = None) -> Any:
        """Cube root, of every element."""

    def ceil(self, data: Any = None, name: str | None = None) -> Any:
        """The next integer upwards, of every element."""

    def choose_element_0index(
        self,
        data: Any = None,
        index: Any = None,
        axis: int | None = -1,
        keepdims: bool | int = False,
        mode: Literal['clip', 'wrap'] | str = 'clip',
        name: str | None = None,
    ) -> Any:
        """Pick one element along an axis, for each index of the other axes."""

    def clip(self, data: Any = None, a_min: float = ..., a_max: float = ..., name: str | None = None) -> Any:
        """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""

    def col2im(
        self,
        data: Any = None,
        output_size: int | Sequence[int] = ...,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Add columns at the positions of their windows; the transpose of `im2col`."""

    def concat(self, *arg: Any, num_args: int = ..., dim: int = 1, name: str | None = None) -> Any:
        """Join arrays along an axis."""

    def cos(self, data: Any = None, name: str | None = None) -> Any:
        """Cosine, of every element."""

    def cosh(self, data: Any = None, name: str | None = None) -> Any:
        """Hyperbolic cosine, of every element."""

    def crop(
        self,
        data: Any = None,
        begin: int | None | Sequence[int | None] = ...,
        end: int | None | Sequence[int | None] = ...,
        step: int | None | Sequence[int | None] = (),
        name: str | None = None,
    ) -> Any:
        """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

    def ctc_loss(
        self,
        data: Any = None,
        label: Any = None,
        data_lengths: Any = None,
        label_lengths: Any = None,
        use_data_lengths: bool | int = False,
        use_label_lengths: bool | int = False,
        blank_label: Literal['first', 'last'] | str = 'first',
        name: str | None = None,
    ) -> Any:
        """The loss of sequences whose labels are not aligned with their steps."""

    def cumsum(
        self,
        a: Any = None,
        axis: int | None = None,
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Cumulative sums."""

    def degrees(self, data: Any = None, name: str | None = None) -> Any:
        """Radians converted to degrees, of every element."""

    def depth_to_space(self, data: Any = None, block_size: int = ..., name: str | None = None) -> Any:
        """Move blocks of channels into height and width."""

    def diag(
        self,
        data: Any = None,
        k: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        name: str | None = None,
    ) -> Any:
        """Extract a diagonal, or make a matrix from one."""

    def digamma(self, data: Any = None, name: str | None = None) -> Any:
        """Derivative of `gammaln`, of every element."""

    def dot(
        self,
        lhs: Any = None,
        rhs: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        forward_stype: Literal['csr', 'default', 'row_sparse'] | str | None = None,
        name: str | None = None,
    ) -> Any:
        """Multiply two matrices, or vectors, or arrays along one axis of each."""

    def elemwise_add(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs + rhs``, element by element."""

    def elemwise_div(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs / rhs``, for integers rounded towards zero, element by element."""

    def elemwise_mul(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs * rhs``, element by element."""

    def elemwise_sub(self, lhs: Any = None, rhs: Any = None, name: str | None = None) -> Any:
        """``lhs - rhs``, element by element."""

    def erf(self, data: Any = None, name: str | None = None) -> Any:
        """Gauss's error function, of every element."""

    def erfinv(self, data: Any = None, name: str | None = None) -> Any:
        """Inverse of Gauss's error function, of every element."""

    def exp(self, data: Any = None, name: str | None = None) -> Any:
        """Exponential, of every element."""

    def expand_dims(self, data: Any = None, axis: int = ..., name: str | None = None) -> Any:
        """Insert an axis of length one before `axis`; -1 appends it."""

    def expm1(self, data: Any = None, name: str | None = None) -> Any:
        """``exp(x) - 1``, exact for small numbers, of every element."""

    def eye(self, *args: Any, **kwargs: Any) -> Any:
        """Return a matrix with ones on a diagonal and zeros elsewhere."""

    def fill_element_0index(
        self,
        lhs: Any = None,
        mhs: Any = None,
        rhs: Any = None,
        name: str | None = None,
    ) -> Any:
        """Replace one element of each row: ``lhs[i, rhs[i]] = mhs[i]``."""

    def fix(self, data: Any = None, name: str | None = None) -> Any:
        """The next integer towards 0, of every element."""

    def flatten(self, data: Any = None, name: str | None = None) -> Any:
        """Join all axes but the first: ``(batch, a, b, ...)`` becomes ``(batch, a*b*...)``."""

    def flip(self, data: Any = None, axis: int | Sequence[int] = ..., name: str | None = None) -> Any:
        """Reverse the order of the elements along one or several axes."""

    def floor(self, data: Any = None, name: str | None = None) -> Any:
        """The next integer downwards, of every element."""

    def ftml_update(
        self,
        weight: Any = None,
        grad: Any = None,
        d: Any = None,
        v: Any = None,
        z: Any = None,
        lr: float = ...,
        beta1: float = 0.6,
        beta2: float = 0.999,
        epsilon: float = 1e-08,
        t: int = ...,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_grad: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of FTML, the `t`-th (Zheng and Kwok, Follow the Moving Leader in Deep Learning, 2017)."""

    def ftrl_update(
        self,
        weight: Any = None,
        grad: Any = None,
        z: Any = None,
        n: Any = None,
        lr: float = ...,
        lamda1: float = 0.01,
        beta: float = 1.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of FTRL-Proximal (McMahan et al., Ad Click Prediction, 2013)."""

    def full(self, *args: Any, **kwargs: Any) -> Any:
        """Return an array filled with a value."""

    def gamma(self, data: Any = None, name: str | None = None) -> Any:
        """Gamma function, of every element."""

    def gammaln(self, data: Any = None, name: str | None = None) -> Any:
        """Logarithm of the absolute value of the gamma function, of every element."""

    def gather_nd(self, data: Any = None, indices: Any = None, name: str | None = None) -> Any:
        """Gather elements, or slices, at indices along the first axes."""

    def hard_sigmoid(
        self,
        data: Any = None,
        alpha: float = 0.2,
        beta: float = 0.5,
        name: str | None = None,
    ) -> Any:
        """``alpha * x + beta``, at least 0 and at most 1."""

    def histogram(self, *args: Any, **kwargs: Any) -> Any:
        """Count the elements of an array in bins."""

    def identity(self, data: Any = None, name: str | None = None) -> Any:
        """The input itself."""

    def im2col(
        self,
        data: Any = None,
        kernel: int | Sequence[int] = ...,
        stride: int | Sequence[int] = (),
        dilate: int | Sequence[int] = (),
        pad: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Copy each window into a column."""

    def khatri_rao(self, *arg: Any, num_args: int = ..., name: str | None = None) -> Any:
        """Multiply matrices column by column: column j is the Kronecker product of their columns j."""

    def lamb_update_phase1(
        self,
        weight: Any = None,
        grad: Any = None,
        mean: Any = None,
        var: Any = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-06,
        t: int = ...,
        bias_correction: bool | int = True,
        wd: float = ...,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """The direction of the `t`-th step of LAMB (You et al., Reducing BERT Pre-Training Time, 2019)."""

    def lamb_update_phase2(
        self,
        weight: Any = None,
        g: Any = None,
        r1: Any = None,
        r2: Any = None,
        lr: float = ...,
        lower_bound: float = -1.0,
        upper_bound: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of LAMB along the direction `g`: ``weight - lr * r1 / r2 * g``."""

    def linalg_det(self, A: Any = None, name: str | None = None) -> Any:
        """Find the determinants of square matrices; that of a single matrix has the shape (1,)."""

    def linalg_extractdiag(self, A: Any = None, offset: int = 0, name: str | None = None) -> Any:
        """Take a diagonal of square matrices, `offset` diagonals above the main one."""

    def linalg_extracttrian(
        self,
        A: Any = None,
        offset: int = 0,
        lower: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Take a triangle of square matrices as a vector, row by row."""

    def linalg_gelqf(self, A: Any = None, name: str | None = None) -> Any:
        """Find the LQ factorization ``A = L · Q``."""

    def linalg_gemm(
        self,
        A: Any = None,
        B: Any = None,
        C: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        alpha: float = 1.0,
        beta: float = 1.0,
        axis: int = -2,
        name: str | None = None,
    ) -> Any:
        """Multiply and add matrices: ``alpha · A · B + beta · C``."""

    def linalg_gemm2(
        self,
        A: Any = None,
        B: Any = None,
        transpose_a: bool | int = False,
        transpose_b: bool | int = False,
        alpha: float = 1.0,
        axis: int = -2,
        name: str | None = None,
    ) -> Any:
        """Multiply matrices: ``alpha · A · B``."""

    def linalg_inverse(self, A: Any = None, name: str | None = None) -> Any:
        """Invert square matrices."""

    def linalg_makediag(self, A: Any = None, offset: int = 0, name: str | None = None) -> Any:
        """Make square matrices with one diagonal and zeros elsewhere: the inverse of `extractdiag`."""

    def linalg_maketrian(
        self,
        A: Any = None,
        offset: int = 0,
        lower: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Make square matrices with one triangle and zeros elsewhere: the inverse of `extracttrian`."""

    def linalg_potrf(self, A: Any = None, lower: bool | int = True, name: str | None = None) -> Any:
        """Find the Cholesky factor: the lower triangular L with ``A = L · Lᵀ``."""

    def linalg_potri(self, A: Any = None, lower: bool | int = True, name: str | None = None) -> Any:
        """Invert matrices, given their Cholesky factors."""

    def linalg_slogdet(self, A: Any = None, name: str | None = None) -> Any:
        """Find the signs of determinants and the logarithms of their absolute values."""

    def linalg_sumlogdiag(self, A: Any = None, name: str | None = None) -> Any:
        """Sum the logarithms of the main diagonal: for a Cholesky factor, half the log-determinant."""

    def linalg_syevd(self, A: Any = None, name: str | None = None) -> Any:
        """Find eigenvalues and eigenvectors: ``A = Uᵀ · diag(L) · U``."""

    def linalg_syrk(
        self,
        A: Any = None,
        transpose: bool | int = False,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Multiply matrices by their own transposes: ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A``."""

    def linalg_trmm(
        self,
        A: Any = None,
        B: Any = None,
        transpose: bool | int = False,
        rightside: bool | int = False,
        lower: bool | int = True,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Multiply by triangular matrices: ``alpha · A · B``, or ``alpha · B · A``."""

    def linalg_trsm(
        self,
        A: Any = None,
        B: Any = None,
        transpose: bool | int = False,
        rightside: bool | int = False,
        lower: bool | int = True,
        alpha: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """Solve triangular systems: ``A · X = alpha · B``, or ``X · A = alpha · B``."""

    def linspace(self, *args: Any, **kwargs: Any) -> Any:
        """Return `num` numbers evenly spaced from `start` to `stop`."""

    def load(self, *args: Any, **kwargs: Any) -> Any:
        """Load the arrays of a file."""

    def log(self, data: Any = None, name: str | None = None) -> Any:
        """Natural logarithm, of every element."""

    def log10(self, data: Any = None, name: str | None = None) -> Any:
        """Logarithm to base 10, of every element."""

    def log1p(self, data: Any = None, name: str | None = None) -> Any:
        """``log(1 + x)``, exact for small numbers, of every element."""

    def log2(self, data: Any = None, name: str | None = None) -> Any:
        """Logarithm to base 2, of every element."""

    def log_softmax(
        self,
        data: Any = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        name: str | None = None,
    ) -> Any:
        """The logarithm of `softmax`, computed without underflow of small probabilities."""

    def logical_not(self, data: Any = None, name: str | None = None) -> Any:
        """1 where the number is 0, else 0, of every element."""

    def make_loss(self, data: Any = None, name: str | None = None) -> Any:
        """The input itself, as a loss: its gradient is always 1."""

    def max(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The largest element over the given axes."""

    def max_axis(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The largest element over the given axes."""

    def maximum(self, *args: Any, **kwargs: Any) -> Any:
        """Return the greater of two arrays, broadcast together, or of an array and a number."""

    def mean(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The arithmetic mean over the given axes."""

    def min(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The smallest element over the given axes."""

    def min_axis(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The smallest element over the given axes."""

    def minimum(self, *args: Any, **kwargs: Any) -> Any:
        """Return the smaller of two arrays, broadcast together, or of an array and a number."""

    def moments(
        self,
        data: Any = None,
        axes: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The mean and the variance over the given axes; for integers, around the truncated mean."""

    def mp_lamb_update_phase1(
        self,
        weight: Any = None,
        grad: Any = None,
        mean: Any = None,
        var: Any = None,
        weight32: Any = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-06,
        t: int = ...,
        bias_correction: bool | int = True,
        wd: float = ...,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """As `lamb_update_phase1`, with the weight in float32, kept in `weight32`."""

    def mp_lamb_update_phase2(
        self,
        weight: Any = None,
        g: Any = None,
        r1: Any = None,
        r2: Any = None,
        weight32: Any = None,
        lr: float = ...,
        lower_bound: float = -1.0,
        upper_bound: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """As `lamb_update_phase2`, with the weight in float32, kept in `weight32`."""

    def mp_nag_mom_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mom: Any = None,
        weight32: Any = None,
        lr: float = ...,
        momentum: float = 0.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """As `nag_mom_update`, with the weight in float32, kept in `weight32`."""

    def mp_sgd_mom_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mom: Any = None,
        weight32: Any = None,
        lr: float = ...,
        momentum: float = 0.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """As `sgd_mom_update`, with the weight in float32, kept in `weight32`."""

    def mp_sgd_update(
        self,
        weight: Any = None,
        grad: Any = None,
        weight32: Any = None,
        lr: float = ...,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """As `sgd_update`, with the weight in float32, kept in `weight32`."""

    def multi_all_finite(
        self,
        *data: Any,
        num_arrays: int = 1,
        init_output: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """1 if no element of any array is infinite or NaN, else 0, as a float32 array of shape (1,)."""

    def multi_lars(
        self,
        lrs: Any = None,
        weights_sum_sq: Any = None,
        grads_sum_sq: Any = None,
        wds: Any = None,
        eta: float = ...,
        eps: float = ...,
        rescale_grad: float = 1.0,
        name: str | None = None,
    ) -> Any:
        """The learning rate of each layer by LARS, from the sums of squares of weights and gradients."""

    def multi_mp_sgd_mom_update(
        self,
        *data: Any,
        lrs: float | Sequence[float] = ...,
        wds: float | Sequence[float] = ...,
        momentum: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`mp_sgd_mom_update` for several weights."""

    def multi_mp_sgd_update(
        self,
        *data: Any,
        lrs: float | Sequence[float] = ...,
        wds: float | Sequence[float] = ...,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`mp_sgd_update` for several weights."""

    def multi_sgd_mom_update(
        self,
        *data: Any,
        lrs: float | Sequence[float] = ...,
        wds: float | Sequence[float] = ...,
        momentum: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`sgd_mom_update` for several weights."""

    def multi_sgd_update(
        self,
        *data: Any,
        lrs: float | Sequence[float] = ...,
        wds: float | Sequence[float] = ...,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`sgd_update` for several weights."""

    def multi_sum_sq(self, *data: Any, num_arrays: int = ..., name: str | None = None) -> Any:
        """The sum of squares of each array, as a float32 array of shape (num_arrays,)."""

    def nag_mom_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mom: Any = None,
        lr: float = ...,
        momentum: float = 0.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of Nesterov's accelerated gradient descent."""

    def nanprod(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The product of the elements that are not NaN over the given axes."""

    def nansum(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The sum of the elements that are not NaN over the given axes."""

    def negative(self, data: Any = None, name: str | None = None) -> Any:
        """The negated number, of every element."""

    def norm(
        self,
        data: Any = None,
        ord: Literal[2, 1] = 2,
        axis: int | Sequence[int] | None = None,
        out_dtype: DTypeLike | None = None,
        keepdims: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The norm of vectors: the root of the sum of squares, or the sum of absolute values."""

    def normal(
        self,
        loc: float = 0.0,
        scale: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Normally distributed numbers with mean `loc` and standard deviation `scale`; float32 unless `dtype` says otherwise."""

    def one_hot(
        self,
        indices: Any = None,
        depth: int = ...,
        on_value: float = 1.0,
        off_value: float = 0.0,
        dtype: DTypeLike = 'float32',
        name: str | None = None,
    ) -> Any:
        """Write each number as a vector that is `on_value` at that position and `off_value` elsewhere."""

    def ones(self, *args: Any, **kwargs: Any) -> Any:
        """Return an array of ones."""

    def ones_like(self, data: Any = None, name: str | None = None) -> Any:
        """Ones, as many as `data` has elements."""

    def pad(
        self,
        data: Any = None,
        mode: Literal['constant', 'edge', 'reflect'] | str = ...,
        pad_width: int | Sequence[int] = ...,
        constant_value: float = 0,
        name: str | None = None,
    ) -> Any:
        """Add a border."""

    def pick(
        self,
        data: Any = None,
        index: Any = None,
        axis: int | None = -1,
        keepdims: bool | int = False,
        mode: Literal['clip', 'wrap'] | str = 'clip',
        name: str | None = None,
    ) -> Any:
        """Pick one element along an axis, for each index of the other axes."""

    def power(self, *args: Any, **kwargs: Any) -> Any:
        """Return the power of two arrays, broadcast together, or of an array and a number."""

    def preloaded_multi_mp_sgd_mom_update(
        self,
        *data: Any,
        momentum: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`mp_sgd_mom_update` for several weights. The last 2 inputs are lrs and wds."""

    def preloaded_multi_mp_sgd_update(
        self,
        *data: Any,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`mp_sgd_update` for several weights. The last 2 inputs are lrs and wds."""

    def preloaded_multi_sgd_mom_update(
        self,
        *data: Any,
        momentum: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`sgd_mom_update` for several weights. The last 2 inputs are lrs and wds."""

    def preloaded_multi_sgd_update(
        self,
        *data: Any,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        num_weights: int = 1,
        name: str | None = None,
    ) -> Any:
        """`sgd_update` for several weights. The last 2 inputs are lrs and wds."""

    def prod(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The product over the given axes."""

    def radians(self, data: Any = None, name: str | None = None) -> Any:
        """Degrees converted to radians, of every element."""

    def random_exponential(
        self,
        lam: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; float32 unless `dtype` says otherwise."""

    def random_gamma(
        self,
        alpha: float = 1.0,
        beta: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Gamma distributed numbers of shape `alpha` and scale `beta`; float32 unless `dtype` says otherwise."""

    def random_generalized_negative_binomial(
        self,
        mu: float = 1.0,
        alpha: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; float32 unless `dtype` says otherwise."""

    def random_negative_binomial(
        self,
        k: int = 1,
        p: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """The number of successes, of probability ``1 - p``, before `k` failures; float32 unless `dtype` says otherwise."""

    def random_normal(
        self,
        loc: float = 0.0,
        scale: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Normally distributed numbers with mean `loc` and standard deviation `scale`; float32 unless `dtype` says otherwise."""

    def random_pdf_dirichlet(
        self,
        sample: Any = None,
        alpha: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from Dirichlet distributions."""

    def random_pdf_exponential(
        self,
        sample: Any = None,
        lam: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: exponential of rate `lam`."""

    def random_pdf_gamma(
        self,
        sample: Any = None,
        alpha: Any = None,
        beta: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: gamma of shape `alpha` and rate `beta`."""

    def random_pdf_generalized_negative_binomial(
        self,
        sample: Any = None,
        mu: Any = None,
        alpha: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: negative binomial of mean `mu` and variance ``mu + alpha * mu**2``."""

    def random_pdf_negative_binomial(
        self,
        sample: Any = None,
        k: Any = None,
        p: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: the number of successes, of probability ``1 - p``, before `k` failures."""

    def random_pdf_normal(
        self,
        sample: Any = None,
        mu: Any = None,
        sigma: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: normal with mean `mu` and standard deviation `sigma`."""

    def random_pdf_poisson(
        self,
        sample: Any = None,
        lam: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: Poisson of mean `lam`."""

    def random_pdf_uniform(
        self,
        sample: Any = None,
        low: Any = None,
        high: Any = None,
        is_log: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The density of samples from a distribution: uniform between `low` and `high`; the density is the same outside."""

    def random_poisson(
        self,
        lam: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Poisson distributed numbers of mean `lam`; float32 unless `dtype` says otherwise."""

    def random_randint(
        self,
        low: int = ...,
        high: int = ...,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Integers from `low` (included) to `high` (excluded); int32 unless `dtype` says int64."""

    def random_uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; float32 unless `dtype` says otherwise."""

    def ravel_multi_index(
        self,
        data: Any = None,
        shape: int | Sequence[int] | None = None,
        name: str | None = None,
    ) -> Any:
        """Return the flat, row-major indices of elements in an array of the given shape."""

    def rcbrt(self, data: Any = None, name: str | None = None) -> Any:
        """``1 / cbrt(x)``, of every element."""

    def reciprocal(self, data: Any = None, name: str | None = None) -> Any:
        """``1 / x``, of every element."""

    def relu(self, data: Any = None, name: str | None = None) -> Any:
        """The number, or 0 if it is negative, of every element."""

    def repeat(
        self,
        data: Any = None,
        repeats: int = ...,
        axis: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Repeat each element `repeats` times along an axis; None flattens the array first."""

    def reset_arrays(self, *data: Any, num_arrays: int = ..., name: str | None = None) -> Any:
        """Set all elements of some arrays to 0, in place; there is no output."""

    def reshape(
        self,
        data: Any = None,
        shape: int | Sequence[int] = (),
        reverse: bool | int = False,
        target_shape: int | Sequence[int] = (),
        keep_highest: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Give the elements another shape."""

    def reshape_like(
        self,
        lhs: Any = None,
        rhs: Any = None,
        lhs_begin: int | None = None,
        lhs_end: int | None = None,
        rhs_begin: int | None = None,
        rhs_end: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Replace the axes ``lhs_begin:lhs_end`` of `lhs` by the axes ``rhs_begin:rhs_end`` of `rhs`."""

    def reverse(self, data: Any = None, axis: int | Sequence[int] = ..., name: str | None = None) -> Any:
        """Reverse the order of the elements along one or several axes."""

    def rint(self, data: Any = None, name: str | None = None) -> Any:
        """The nearest integer; ties are rounded down, of every element."""

    def rmsprop_update(
        self,
        weight: Any = None,
        grad: Any = None,
        n: Any = None,
        lr: float = ...,
        gamma1: float = 0.95,
        epsilon: float = 1e-08,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        clip_weights: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of RMSProp (Tieleman and Hinton, 2012)."""

    def rmspropalex_update(
        self,
        weight: Any = None,
        grad: Any = None,
        n: Any = None,
        g: Any = None,
        delta: Any = None,
        lr: float = ...,
        gamma1: float = 0.95,
        gamma2: float = 0.9,
        epsilon: float = 1e-08,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        clip_weights: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step of RMSProp with momentum (Graves, Generating Sequences With Recurrent Networks, 2013)."""

    def round(self, data: Any = None, name: str | None = None) -> Any:
        """The nearest integer; ties are rounded away from 0, of every element."""

    def rsqrt(self, data: Any = None, name: str | None = None) -> Any:
        """``1 / sqrt(x)``, of every element."""

    def sample_exponential(
        self,
        lam: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; `shape` of them for each element of the parameters."""

    def sample_gamma(
        self,
        alpha: Any = None,
        beta: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Gamma distributed numbers of shape `alpha` and scale `beta`; `shape` of them for each element of the parameters."""

    def sample_generalized_negative_binomial(
        self,
        mu: Any = None,
        alpha: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; `shape` of them for each element of the parameters."""

    def sample_multinomial(
        self,
        data: Any = None,
        shape: int | Sequence[int] = (),
        get_prob: bool | int = False,
        dtype: DTypeLike = 'int32',
        name: str | None = None,
    ) -> Any:
        """Draw categories from categorical distributions."""

    def sample_negative_binomial(
        self,
        k: Any = None,
        p: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """The number of successes, of probability ``1 - p``, before `k` failures; `shape` of them for each element of the parameters."""

    def sample_normal(
        self,
        mu: Any = None,
        sigma: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Normally distributed numbers with mean `loc` and standard deviation `scale`; `shape` of them for each element of the parameters."""

    def sample_poisson(
        self,
        lam: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Poisson distributed numbers of mean `lam`; `shape` of them for each element of the parameters."""

    def sample_uniform(
        self,
        low: Any = None,
        high: Any = None,
        shape: int | Sequence[int] = (),
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; `shape` of them for each element of the parameters."""

    def scatter_nd(
        self,
        data: Any = None,
        indices: Any = None,
        shape: int | Sequence[int] = ...,
        name: str | None = None,
    ) -> Any:
        """Write elements, or slices, to given positions in an array of zeros."""

    def sgd_mom_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mom: Any = None,
        lr: float = ...,
        momentum: float = 0.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A step of gradient descent with momentum."""

    def sgd_update(
        self,
        weight: Any = None,
        grad: Any = None,
        lr: float = ...,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        lazy_update: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """A step of gradient descent: ``weight - lr * (grad + wd * weight)``."""

    def shape_array(self, data: Any = None, name: str | None = None) -> Any:
        """The shape of `data` as an int64 array."""

    def shuffle(self, data: Any = None, name: str | None = None) -> Any:
        """The input, with its rows (along the first axis) in random order."""

    def sigmoid(self, data: Any = None, name: str | None = None) -> Any:
        """Logistic function, ``1 / (1 + exp(-x))``, of every element."""

    def sign(self, data: Any = None, name: str | None = None) -> Any:
        """1 for positive numbers, -1 for negative ones, else 0, of every element."""

    def signsgd_update(
        self,
        weight: Any = None,
        grad: Any = None,
        lr: float = ...,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        name: str | None = None,
    ) -> Any:
        """A step along the signs of the gradient: ``(1 - lr * wd) * weight - lr * sign(grad)``."""

    def signum_update(
        self,
        weight: Any = None,
        grad: Any = None,
        mom: Any = None,
        lr: float = ...,
        momentum: float = 0.0,
        wd: float = 0.0,
        rescale_grad: float = 1.0,
        clip_gradient: float = -1.0,
        wd_lh: float = 0.0,
        name: str | None = None,
    ) -> Any:
        """A step along the signs of a running mean of the gradient."""

    def sin(self, data: Any = None, name: str | None = None) -> Any:
        """Sine, of every element."""

    def sinh(self, data: Any = None, name: str | None = None) -> Any:
        """Hyperbolic sine, of every element."""

    def size_array(self, data: Any = None, name: str | None = None) -> Any:
        """The number of elements of `data` as an int64 array of shape (1,)."""

    def slice(
        self,
        data: Any = None,
        begin: int | None | Sequence[int | None] = ...,
        end: int | None | Sequence[int | None] = ...,
        step: int | None | Sequence[int | None] = (),
        name: str | None = None,
    ) -> Any:
        """Slice an array, as Python's ``data[begin[0]:end[0]:step[0], ...]`` does."""

    def slice_axis(
        self,
        data: Any = None,
        axis: int = ...,
        begin: int = ...,
        end: int | None = ...,
        name: str | None = None,
    ) -> Any:
        """Take the elements ``begin:end`` along one axis."""

    def slice_like(
        self,
        data: Any = None,
        shape_like: Any = None,
        axes: int | Sequence[int] = (),
        name: str | None = None,
    ) -> Any:
        """Slice an array to the lengths of another."""

    def smooth_l1(self, data: Any = None, scalar: float = 1.0, name: str | None = None) -> Any:
        """The Huber loss of every element: quadratic near 0, linear elsewhere."""

    def softmax(
        self,
        data: Any = None,
        length: Any = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        name: str | None = None,
    ) -> Any:
        """Exponentials of the numbers, scaled so that they sum to one along an axis."""

    def softmax_cross_entropy(self, data: Any = None, label: Any = None, name: str | None = None) -> Any:
        """The cross entropy of softmax probabilities, summed over the batch."""

    def softmin(
        self,
        data: Any = None,
        axis: int = -1,
        temperature: float | None = None,
        dtype: DTypeLike | None = None,
        use_length: bool | int | None = False,
        name: str | None = None,
    ) -> Any:
        """The `softmax` of the negated numbers: the smallest number gets the largest share."""

    def softsign(self, data: Any = None, name: str | None = None) -> Any:
        """``x / (1 + abs(x))``, of every element."""

    def sort(
        self,
        data: Any = None,
        axis: int | None = -1,
        is_ascend: bool | int = True,
        name: str | None = None,
    ) -> Any:
        """Sort along an axis; equal elements keep their order."""

    def space_to_depth(self, data: Any = None, block_size: int = ..., name: str | None = None) -> Any:
        """Move blocks of height and width into channels: the inverse of `depth_to_space`."""

    def split(
        self,
        data: Any = None,
        num_outputs: int = ...,
        axis: int = 1,
        squeeze_axis: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """Split an array into equal parts."""

    def split_v2(self, *args: Any, **kwargs: Any) -> Any:
        """Split an array along an axis."""

    def sqrt(self, data: Any = None, name: str | None = None) -> Any:
        """Square root, of every element."""

    def square(self, data: Any = None, name: str | None = None) -> Any:
        """``x * x``, of every element."""

    def squeeze(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        name: str | None = None,
    ) -> Any:
        """Drop axes of length one: all of them, or those in `axis`; at least one axis remains."""

    def stack(self, *arg: Any, axis: int = 0, num_args: int = ..., name: str | None = None) -> Any:
        """Join arrays of one shape along a new axis."""

    def stop_gradient(self, data: Any = None, name: str | None = None) -> Any:
        """The input itself; no gradient passes."""

    def sum(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The sum over the given axes."""

    def sum_axis(
        self,
        data: Any = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | int = False,
        exclude: bool | int = False,
        name: str | None = None,
    ) -> Any:
        """The sum over the given axes."""

    def swapaxes(self, data: Any = None, dim1: int = 0, dim2: int = 0, name: str | None = None) -> Any:
        """Exchange two axes."""

    def take(
        self,
        a: Any = None,
        indices: Any = None,
        axis: int = 0,
        mode: Literal['clip', 'wrap', 'raise'] | str = 'clip',
        name: str | None = None,
    ) -> Any:
        """Take slices along an axis, in the order of `indices`."""

    def tan(self, data: Any = None, name: str | None = None) -> Any:
        """Tangent, of every element."""

    def tanh(self, data: Any = None, name: str | None = None) -> Any:
        """Hyperbolic tangent, of every element."""

    def tile(self, data: Any = None, reps: int | Sequence[int] = ..., name: str | None = None) -> Any:
        """Put copies of the array side by side: ``reps[-1]`` along the last axis, and so on."""

    def topk(
        self,
        data: Any = None,
        axis: int | None = -1,
        k: int = 1,
        ret_typ: Literal['value', 'indices', 'mask', 'both'] | str = 'indices',
        is_ascend: bool | int = False,
        dtype: DTypeLike = 'float32',
        name: str | None = None,
    ) -> Any:
        """Find the k largest elements along an axis, in order."""

    def transpose(self, data: Any = None, axes: int | Sequence[int] = (), name: str | None = None) -> Any:
        """Permute the axes: axis i of the result is axis ``axes[i]`` of `data`; the default reverses them."""

    def trunc(self, data: Any = None, name: str | None = None) -> Any:
        """The integer without the fraction, of every element."""

    def uniform(
        self,
        low: float = 0.0,
        high: float = 1.0,
        shape: int | Sequence[int] | None = None,
        ctx: str = '',
        dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; float32 unless `dtype` says otherwise."""

    def unravel_index(
        self,
        data: Any = None,
        shape: int | Sequence[int] | None = None,
        name: str | None = None,
    ) -> Any:
        """Return the indices of elements from their flat indices; the inverse of `ravel_multi_index`."""

    def where(self, condition: Any = None, x: Any = None, y: Any = None, name: str | None = None) -> Any:
        """Elements of `x` where `condition` is not 0, of `y` elsewhere."""

    def zeros(self, *args: Any, **kwargs: Any) -> Any:
        """Return an array of zeros."""

    def zeros_like(self, data: Any = None, name: str | None = None) -> Any:
        """Zeros, as many as `data` has elements."""
    contrib: _Contrib
    image: _Image
    linalg: _Linalg
    random: _Random
    sparse: _Sparse
    np: Any
    npx: Any
    _internal: Any

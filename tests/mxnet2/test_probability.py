"""Distributions of MXNet 2.0, compared with SciPy's, and their gradients with differences."""

from typing import Any, NamedTuple

import numpy
import pytest
from scipy import integrate, stats

from gluonic.mxnet2 import autograd, gluon, np
from gluonic.mxnet2.gluon import probability as mgp


class Case(NamedTuple):
    """A distribution of ours, SciPy's, values, and what both know."""

    ours: Any
    scipys: Any
    values: list[float]
    asks: str = "mean variance entropy cdf icdf"


CASES = {
    "Normal": Case(lambda: mgp.Normal(0.5, 2.0), stats.norm(0.5, 2), [-1.0, 0.5, 3.0]),
    "Laplace": Case(lambda: mgp.Laplace(0.5, 2.0), stats.laplace(0.5, 2), [-1.0, 0.5, 3.0]),
    "Cauchy": Case(
        lambda: mgp.Cauchy(0.5, 2.0), stats.cauchy(0.5, 2), [-1.0, 3.0], "entropy cdf icdf"
    ),
    "Gumbel": Case(lambda: mgp.Gumbel(0.5, 2.0), stats.gumbel_r(0.5, 2), [-1.0, 0.5, 3.0]),
    "Uniform": Case(lambda: mgp.Uniform(-1.0, 3.0), stats.uniform(-1, 4), [-0.5, 2.0]),
    "Exponential": Case(lambda: mgp.Exponential(2.0), stats.expon(scale=2), [0.1, 3.0]),
    "Gamma": Case(
        lambda: mgp.Gamma(1.5, 2.0), stats.gamma(1.5, scale=2), [0.1, 3.0], "mean variance entropy"
    ),
    "Chi2": Case(lambda: mgp.Chi2(3.0), stats.chi2(3), [0.1, 3.0], "mean variance entropy"),
    "Beta": Case(
        lambda: mgp.Beta(1.5, 2.0), stats.beta(1.5, 2), [0.1, 0.7], "mean variance entropy"
    ),
    "StudentT": Case(
        lambda: mgp.StudentT(5.0, 0.5, 2.0),
        stats.t(5, 0.5, 2),
        [-1.0, 3.0],
        "mean variance entropy",
    ),
    "FisherSnedecor": Case(
        lambda: mgp.FisherSnedecor(3.0, 7.0), stats.f(3, 7), [0.1, 3.0], "mean variance"
    ),
    "HalfNormal": Case(lambda: mgp.HalfNormal(2.0), stats.halfnorm(scale=2), [0.1, 3.0]),
    "HalfCauchy": Case(
        lambda: mgp.HalfCauchy(2.0), stats.halfcauchy(scale=2), [0.1, 3.0], "entropy cdf icdf"
    ),
    "Pareto": Case(lambda: mgp.Pareto(3.0, 2.0), stats.pareto(3, scale=2), [2.1, 5.0]),
    "Weibull": Case(lambda: mgp.Weibull(1.5, 2.0), stats.weibull_min(1.5, scale=2), [0.1, 3.0]),
    "Bernoulli": Case(
        lambda: mgp.Bernoulli(prob=0.3), stats.bernoulli(0.3), [0, 1], "mean variance entropy"
    ),
    "Binomial": Case(
        lambda: mgp.Binomial(5, prob=0.3), stats.binom(5, 0.3), [0, 2, 5], "mean variance"
    ),
    "Geometric": Case(
        lambda: mgp.Geometric(prob=0.3), stats.geom(0.3, loc=-1), [0, 2], "mean variance entropy"
    ),
    "NegativeBinomial": Case(
        lambda: mgp.NegativeBinomial(3.0, prob=0.3), stats.nbinom(3, 0.3), [0, 4], "mean variance"
    ),
    "Poisson": Case(lambda: mgp.Poisson(2.5), stats.poisson(2.5), [0, 4], "mean variance"),
}


LOG_DENSITIES: dict[str, tuple[Any, Any, tuple[float, ...], float]] = {
    # ours, SciPy's of the same parameters, the parameters, a value
    "Normal": (mgp.Normal, stats.norm.logpdf, (0.5, 2.0), 1.2),
    "Laplace": (mgp.Laplace, stats.laplace.logpdf, (0.5, 2.0), 1.2),
    "Cauchy": (mgp.Cauchy, stats.cauchy.logpdf, (0.5, 2.0), 1.2),
    "Gumbel": (mgp.Gumbel, stats.gumbel_r.logpdf, (0.5, 2.0), 1.2),
    "Uniform": (
        mgp.Uniform, lambda x, low, high: stats.uniform.logpdf(x, low, high - low), (-1.0, 3.0), 1.2
    ),
    "Exponential": (mgp.Exponential, lambda x, s: stats.expon.logpdf(x, scale=s), (2.0,), 1.2),
    "Gamma": (mgp.Gamma, lambda x, a, s: stats.gamma.logpdf(x, a, scale=s), (1.5, 2.0), 1.2),
    "Chi2": (mgp.Chi2, stats.chi2.logpdf, (3.0,), 1.2),
    "Beta": (mgp.Beta, stats.beta.logpdf, (1.5, 2.0), 0.3),
    "StudentT": (mgp.StudentT, stats.t.logpdf, (5.0, 0.5, 2.0), 1.2),
    "FisherSnedecor": (mgp.FisherSnedecor, stats.f.logpdf, (3.0, 7.0), 1.2),
    "HalfNormal": (mgp.HalfNormal, lambda x, s: stats.halfnorm.logpdf(x, scale=s), (2.0,), 1.2),
    "HalfCauchy": (mgp.HalfCauchy, lambda x, s: stats.halfcauchy.logpdf(x, scale=s), (2.0,), 1.2),
    "Pareto": (mgp.Pareto, lambda x, a, s: stats.pareto.logpdf(x, a, scale=s), (3.0, 2.0), 3.2),
    "Weibull": (
        mgp.Weibull, lambda x, a, s: stats.weibull_min.logpdf(x, a, scale=s), (1.5, 2.0), 1.2
    ),
    "Bernoulli": (lambda p: mgp.Bernoulli(prob=p), stats.bernoulli.logpmf, (0.3,), 1),
    "Binomial": (
        lambda p: mgp.Binomial(5, prob=p), lambda x, p: stats.binom.logpmf(x, 5, p), (0.3,), 2
    ),
    "Geometric": (
        lambda p: mgp.Geometric(prob=p), lambda x, p: stats.geom.logpmf(x, p, loc=-1), (0.3,), 2
    ),
    "NegativeBinomial": (
        lambda p: mgp.NegativeBinomial(3.0, prob=p), lambda x, p: stats.nbinom.logpmf(x, 3, p), (0.3,), 4,
    ),
    "Poisson": (mgp.Poisson, stats.poisson.logpmf, (2.5,), 4),
    "RelaxedBernoulli": (
        lambda t, p: mgp.RelaxedBernoulli(t, prob=p),
        lambda x, t, p: _binary_concrete(x, t, p), (0.7, 0.3), 0.4,
    ),
}  # fmt: skip


def _binary_concrete(x: Any, t: Any, p: Any) -> Any:
    """The logarithm of the density that Maddison and others (2017) give."""
    odds = p / (1 - p)
    scaled = odds * x**-t * (1 - x) ** -t / ((odds * x**-t + (1 - x) ** -t) ** 2)
    return numpy.log(t * scaled / (x * (1 - x)))


def _of_vectors(name: str, x: Any) -> tuple[Any, Any]:
    """Our logarithm of a density of vectors, and SciPy's or that of the formula."""
    shares = numpy.array([0.2, 0.3, 0.5])
    if name == "Dirichlet":
        return mgp.Dirichlet(np.array([1.5, 2.0, 3.0])), stats.dirichlet([1.5, 2.0, 3.0]).logpdf(x)
    if name == "OneHotCategorical":
        return mgp.OneHotCategorical(3, prob=np.array(shares)), numpy.log(shares[x.argmax()])
    if name == "Independent":
        normal = mgp.Normal(np.zeros(3), np.ones(3))
        return mgp.Independent(normal, 1), stats.norm.logpdf(x).sum()
    if name == "TransformedDistribution":
        logarithms = mgp.Normal(np.zeros(3), np.ones(3))
        made = mgp.TransformedDistribution(logarithms, [mgp.ExpTransform()])
        return made, stats.lognorm.logpdf(x, 1.0)
    t = 0.7
    density = 2 * t**2 * numpy.prod(shares * x ** (-t - 1)) / (shares * x**-t).sum() ** 3
    return mgp.RelaxedOneHotCategorical(t, 3, prob=np.array(shares)), numpy.log(density)


@pytest.mark.parametrize(
    "name",
    [
        "Dirichlet",
        "OneHotCategorical",
        "Independent",
        "TransformedDistribution",
        "RelaxedOneHotCategorical",
    ],
)
def test_a_distribution_of_vectors_has_its_density_and_draws_such_vectors(name: str) -> None:
    x = (
        numpy.array([0.0, 1.0, 0.0])
        if name == "OneHotCategorical"
        else numpy.array([0.2, 0.5, 0.3])
    )
    ours, expected = _of_vectors(name, x)
    close(ours.log_prob(np.array(x)), expected)
    drawn = ours.sample_n(50)
    assert drawn.shape == (50, 3)
    if name not in ("Independent", "TransformedDistribution"):
        close(drawn.sum(axis=-1), numpy.ones(50))


@pytest.mark.parametrize("name", LOG_DENSITIES)
def test_gradients_of_a_density_are_its_differences(name: str) -> None:
    make, of_scipy, parameters, value = LOG_DENSITIES[name]
    given = [np.array([number], dtype="float64") for number in (*parameters, value)]
    variables = given if isinstance(value, float) else given[:-1]
    for array in variables:
        array.attach_grad()
    with autograd.record():
        found = make(*given[:-1]).log_prob(given[-1])
    found.backward()
    step = 1e-5
    for index, array in enumerate(variables):
        moved = [[*parameters, value] for _ in range(2)]
        moved[0][index] += step
        moved[1][index] -= step
        ahead, behind = (of_scipy(numbers[-1], *numbers[:-1]) for numbers in moved)
        expected = (ahead - behind) / (2 * step)
        numpy.testing.assert_allclose(array.grad.item(), expected, rtol=1e-4, atol=1e-6)


def test_every_distribution_is_compared() -> None:
    tested = {*CASES, *LOG_DENSITIES} | {
        "Dirichlet", "OneHotCategorical", "Independent", "TransformedDistribution",
        "RelaxedOneHotCategorical", "MultivariateNormal", "Multinomial", "Categorical",
    }  # fmt: skip
    there = {
        name for name in mgp.__all__
        if isinstance(getattr(mgp, name), type) and issubclass(getattr(mgp, name), mgp.Distribution)
    }  # fmt: skip
    assert there - tested == {"Distribution", "ExponentialFamily"}


def close(ours: Any, theirs: Any) -> None:
    """Compare numbers in float32's precision."""
    ours = ours.asnumpy() if hasattr(ours, "asnumpy") else ours
    numpy.testing.assert_allclose(ours, theirs, rtol=3e-5, atol=3e-6)


@pytest.mark.parametrize("name", CASES)
def test_a_distribution_agrees_with_scipys(name: str) -> None:
    case = CASES[name]
    ours, theirs, values = case.ours(), case.scipys, np.array(case.values)
    density = getattr(theirs, "logpdf" if hasattr(theirs.dist, "pdf") else "logpmf")
    close(ours.log_prob(values), density(case.values))
    for question in case.asks.split():
        if question in ("cdf", "icdf"):
            close(ours.cdf(values), theirs.cdf(case.values))
            close(ours.icdf(np.array([0.2, 0.9])), theirs.ppf([0.2, 0.9]))
        else:
            of_scipy = {"mean": theirs.mean, "variance": theirs.var, "entropy": theirs.entropy}
            found = getattr(ours, question)
            close(found() if callable(found) else found, of_scipy[question]())


@pytest.mark.parametrize("name", CASES)
def test_samples_have_the_moments_of_their_distribution(name: str) -> None:
    ours, theirs = CASES[name].ours(), CASES[name].scipys
    drawn = ours.sample((4000,)).asnumpy()
    assert drawn.shape == (4000,)
    low, middle, high = numpy.quantile(drawn, [0.25, 0.5, 0.75])
    for level, found in ((0.25, low), (0.5, middle), (0.75, high)):
        assert theirs.cdf(found) >= level - 0.05
        assert theirs.cdf(found - 1e-6) <= level + 0.05 or theirs.cdf(found - 1) <= level + 0.05


def test_distributions_of_vectors_agree_with_scipys() -> None:
    covariance = numpy.array([[2.0, 0.5], [0.5, 1.0]])
    x, loc = numpy.array([0.3, -1.0]), numpy.array([0.5, 0.0])
    theirs = stats.multivariate_normal(loc, covariance)
    factor = numpy.linalg.cholesky(covariance)
    matrices = {"cov": covariance, "precision": numpy.linalg.inv(covariance), "scale_tril": factor}
    for name, matrix in matrices.items():
        ours = mgp.MultivariateNormal(np.array(loc), **{name: np.array(matrix)})
        close(ours.log_prob(np.array(x)), theirs.logpdf(x))
        close(ours.entropy(), theirs.entropy())
        assert ours.sample_n((3, 2)).shape == (3, 2, 2)
    alpha, shares = numpy.array([1.5, 2.0, 3.0]), numpy.array([0.2, 0.3, 0.5])
    dirichlet = mgp.Dirichlet(np.array(alpha))
    close(dirichlet.log_prob(np.array(shares)), stats.dirichlet(alpha).logpdf(shares))
    close(dirichlet.entropy(), stats.dirichlet(alpha).entropy())
    counts = mgp.Multinomial(3, prob=np.array(shares), total_count=4)
    close(
        counts.log_prob(np.array([1.0, 1.0, 2.0])), stats.multinomial(4, shares).logpmf([1, 1, 2])
    )
    close(
        mgp.Categorical(3, prob=np.array(shares)).log_prob(np.array([0, 2])),
        numpy.log(shares[[0, 2]]),
    )


PAIRS = [
    (mgp.Normal(0.5, 2.0), mgp.Normal(0.0, 1.5), (-30, 30)),
    (mgp.Laplace(0.5, 2.0), mgp.Laplace(0.0, 1.5), (-60, 60)),
    (mgp.Gumbel(0.5, 1.0), mgp.Gumbel(0.0, 1.5), (-6, 60)),
    (mgp.Gamma(1.5, 2.0), mgp.Gamma(2.0, 1.5), (1e-6, 80)),
    (mgp.Beta(1.5, 2.0), mgp.Beta(2.0, 3.0), (1e-6, 1 - 1e-6)),
    (mgp.Exponential(2.0), mgp.Exponential(1.5), (1e-6, 90)),
    (mgp.Exponential(2.0), mgp.Normal(1.0, 2.0), (1e-6, 90)),
    (mgp.Exponential(2.0), mgp.Gumbel(1.0, 2.0), (1e-6, 90)),
    (mgp.Exponential(2.0), mgp.Gamma(1.5, 2.0), (1e-6, 90)),
    (mgp.Uniform(-1.0, 2.0), mgp.Normal(1.0, 2.0), (-1 + 1e-6, 2 - 1e-6)),
    (mgp.Uniform(-1.0, 2.0), mgp.Gumbel(1.0, 2.0), (-1 + 1e-6, 2 - 1e-6)),
    (mgp.Pareto(3.0, 2.0), mgp.Pareto(2.0, 1.5), (2 + 1e-6, 400)),
    (mgp.HalfNormal(2.0), mgp.HalfNormal(1.5), (1e-6, 40)),
    (mgp.Cauchy(0.5, 2.0), mgp.Cauchy(0.0, 1.5), (-4000, 4000)),
]


@pytest.mark.parametrize(("p", "q", "between"), PAIRS)
def test_a_divergence_is_the_integral_that_defines_it(p: Any, q: Any, between: Any) -> None:
    low, high = between
    points = numpy.linspace(low, high, 400_001)
    x = np.array(points, dtype="float64")
    first, second = p.log_prob(x).asnumpy(), q.log_prob(x).asnumpy()
    found = integrate.simpson(numpy.exp(first) * (first - second), x=points)
    ours = mgp.kl_divergence(p, q)
    numpy.testing.assert_allclose(float(ours), found, rtol=5e-3, atol=1e-3)


def test_gradients_flow_through_samples_and_densities_also_when_hybridized() -> None:
    class Surprise(gluon.HybridBlock):
        def forward(self, loc: Any, scale: Any, value: Any) -> Any:
            ours = mgp.Normal(loc, scale)
            return ours.log_prob(value) + 0 * ours.sample()

    given = [np.array([0.5]), np.array([2.0]), np.array([1.5])]
    for is_hybrid in (False, True):
        net = Surprise()
        net.hybridize(is_hybrid)
        for x in given:
            x.attach_grad()
        with autograd.record():
            y = net(*given)
        y.backward()
        close(given[0].grad, [0.25])
        close(given[1].grad, [-0.375])


def test_values_outside_of_a_support_are_refused_if_asked_to() -> None:
    with pytest.raises(ValueError, match="Constraint violated"):
        mgp.Normal(0.0, -1.0, validate_args=True)
    with pytest.raises(ValueError, match="Constraint violated"):
        mgp.Poisson(np.array([1.0]), validate_args=True).log_prob(np.array([0.5])).asnumpy()


def test_a_stochastic_block_keeps_the_losses_of_its_latest_call() -> None:
    class Draws(mgp.StochasticBlock):
        @mgp.StochasticBlock.collectLoss
        def forward(self, loc: Any, scale: Any) -> Any:
            self.add_loss(mgp.kl_divergence(mgp.Normal(loc, scale), mgp.Normal(0.0, 1.0)))
            return loc + scale

    net = Draws()
    for is_hybrid in (False, True):
        net.hybridize(is_hybrid)
        for loc in (1.0, 2.0):
            assert net(np.array([loc]), np.array([1.0])).item() == loc + 1
            (loss,) = net.losses
            close(loss, [loc**2 / 2])


@pytest.mark.parametrize(
    ("transform", "x"),
    [
        (mgp.ExpTransform(), 0.3),
        (mgp.AffineTransform(1.0, -2.0), 0.3),
        (mgp.PowerTransform(1.5), 0.3),
        (mgp.SigmoidTransform(), 0.3),
        (mgp.ComposeTransform([mgp.ExpTransform(), mgp.AffineTransform(1.0, 3.0)]), 0.3),
    ],
)
def test_a_transformation_has_its_inverse_and_its_derivative(transform: Any, x: float) -> None:
    at = np.array([x])
    at.attach_grad()
    with autograd.record():
        y = transform(at)
    y.backward()
    close(transform.inv(y), [x])
    close(transform.log_det_jacobian(at, y), numpy.log(numpy.abs(at.grad.asnumpy())))

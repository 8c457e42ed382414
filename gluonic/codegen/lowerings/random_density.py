"""Probability densities."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_random_pdf_uniform",
    "_random_pdf_normal",
    "_random_pdf_gamma",
    "_random_pdf_exponential",
    "_random_pdf_poisson",
    "_random_pdf_negative_binomial",
    "_random_pdf_generalized_negative_binomial",
    "_random_pdf_dirichlet",
    "_along_sample",
    "_backward_along_sample",
    "_backward_random_pdf_dirichlet",
    python="nets rarely need densities: NumPy computes them, one function at a time",
)

"""Densities."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_random_pdf_gamma",
    "_random_pdf_poisson",
    "_random_pdf_negative_binomial",
    "_random_pdf_generalized_negative_binomial",
    "_random_pdf_dirichlet",
    "_backward_random_pdf_dirichlet",
    python="code for logarithms of gamma functions takes longer to compile than thousands of calls",
)

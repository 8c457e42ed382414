"""Random numbers: NumPy's, and masks of recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_npi_uniform",
    "_npi_uniform_n",
    "_npi_normal",
    "_npi_normal_n",
    "_npi_gumbel",
    "_npi_logistic",
    "_npi_exponential",
    "_npi_rayleigh",
    "_npi_weibull",
    "_npi_pareto",
    "_npi_powerd",
    "_npi_gamma",
    python="random numbers are drawn in the order of the user's calls, between runs of machine code",
)
lower("_draw_masks", on_devices="rewriting.device_networks:scaled_masks")

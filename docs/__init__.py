"""The manual, and the code that makes a site of it: ``make docs``."""

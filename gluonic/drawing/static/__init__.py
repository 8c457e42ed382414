"""Static pictures: SVG and PDF, laid out and drawn like the page by the modules in ``page/web``."""

"""Pictures that stand still: SVG and PDF, laid out and drawn as the page does by modules in ``page/web``."""

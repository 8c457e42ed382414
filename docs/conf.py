"""The site: ``make docs`` builds it, without network; warnings and broken links are errors."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

from gluonic import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from docs import docstrings, links, live, reference  # noqa: E402

project = "gluonic"
author = "the authors of gluonic"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["pictures/*.md"]
html_theme = "furo"
html_title = f"gluonic {version}"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"source_directory": "docs/"}
default_role = "code"  # single quotation marks in docstrings name parameters
smartquotes = False  # it takes a twentieth of the time, as does reading types in comments
autodoc_use_type_comments = False
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "python"

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the reference before anything is read, and connect what changes pages on the way."""
    app.connect("builder-inited", lambda _: reference.write(HERE / "reference"))
    app.connect("autodoc-process-docstring", docstrings.described, priority=400)
    app.connect("source-read", links.linked)
    app.connect("source-read", live.with_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

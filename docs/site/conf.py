"""Sphinx's settings for the site that ``make docs`` builds; its sources are put together by scripts/docs/build.py."""

import rcmviz

project = "rcmviz"
author = "rcmviz founders"
copyright = "2026, rcmviz founders"
version = release = rcmviz.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False  # the members of a class stand below it in full
autodoc_typehints = "none"  # the docstrings have the types in words
autodoc_member_order = "bysource"
suppress_warnings = ["misc.highlighting_failure"]  # it is about colours only


def setup(app):
    """Leave out what scikit-learn adds to every estimator."""
    app.connect("autodoc-skip-member", lambda app, what, name, *rest: name.endswith("_request") or None)


html_theme = "furo"
html_title = "rcmviz"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["../extra"]
html_copy_source = False
html_show_sphinx = False

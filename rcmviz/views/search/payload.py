"""What all tabs of Search share in Python: the view as a file."""

from rcmviz.views.shared.export import page


def search_html(payload, heading):
    """A payload of ``rcmviz.views.search`` as one HTML text that works offline."""
    return page(payload, heading, "search")

"""What all tabs of Field share in Python: the view as a file."""

from rcmviz.views.shared.export import page


def field_html(payload, heading):
    """A payload of ``rcmviz.views.field`` as one HTML text that works offline."""
    return page(payload, heading, "field")

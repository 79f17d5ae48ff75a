"""Names of cookies: one for each port, for browsers send a cookie to all servers of a machine."""


def cookie_name(kind: str, port: int) -> str:
    """The name of the cookie of a kind, ``class`` or ``visitor``, of the server at a port.

    >>> cookie_name("class", 8501)
    'rcmviz-class-8501'
    """
    return f"rcmviz-{kind}-{port}"

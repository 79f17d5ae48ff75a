"""Below which path the application lies: Streamlit's option ``server.baseUrlPath``, however it is written."""


def path_prefix(base: str) -> str:
    """The prefix of the application's paths.

    >>> path_prefix("/lab/rcmviz/"), path_prefix("lab/rcmviz"), path_prefix("/")
    ('/lab/rcmviz', '/lab/rcmviz', '')
    """
    return f"/{base.strip('/')}".rstrip("/")

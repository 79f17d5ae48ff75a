"""``python -m rcmviz.cli`` is ``rcmviz``."""

from rcmviz.cli.main import app

if __name__ == "__main__":
    app()

"""``python -m rcmviz`` is ``rcmviz``."""

from rcmviz.cli.main import app

if __name__ == "__main__":
    app(prog_name="rcmviz")

"""``python -m rcmviz.cli`` is ``rcmviz``."""

from rcmviz.cli.main import main

if __name__ == "__main__":
    main()

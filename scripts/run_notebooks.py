"""Run the tutorial notebooks in a new Jupyter kernel each and write them with their outputs: ``make notebooks``.

python scripts/run_notebooks.py FOLDER    writes docs/notebooks/*.ipynb, executed, to the folder
"""

import sys
import time
from pathlib import Path

TUTORIALS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def execute_notebook(path):
    """A notebook with its outputs and the state of its widgets; an error of a cell is raised."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    return notebook


def main(folder):
    """Run them all."""
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    for path in TUTORIALS:
        began = time.perf_counter()
        nbformat.write(execute_notebook(path), folder / path.name)
        print(f"{path.stem}: {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

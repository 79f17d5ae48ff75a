"""The process that measures for one checkout: answers a line of JSON on standard input with a line of JSON."""

import json
import os
import sys
import traceback

from benchmarks.cases import load_case


def answer(name, row, quick, measures):
    """``{"figures": …}`` or ``{"error": …}``; ``measures`` keeps the rows that are set up."""
    try:
        if (name, row) not in measures:
            case = load_case(name)
            measures[name, row] = case.rows[row](quick)
            if case.warm:
                measures[name, row]()
        return {"figures": measures[name, row]()}
    except Exception as error:  # a package or data that is missing, an interface that the other checkout lacks
        if not isinstance(error, ImportError):
            traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def main():
    """Answer until standard input ends. What rcmviz and its libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    measures = {}
    for line in sys.stdin:
        print(json.dumps(answer(*json.loads(line), measures)), file=answers, flush=True)


if __name__ == "__main__":
    main()

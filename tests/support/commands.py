"""The command line as tests call it."""

from typer.testing import CliRunner

from rcmviz.cli import main


def run(*arguments, code=0):
    """What a command prints; where it refuses, with ``code`` 2, what it prints as the error."""
    result = CliRunner().invoke(main.app, list(map(str, arguments)), env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert result.exit_code == code, result.output + str(result.exception)
    return result.stderr if code == 2 else result.stdout

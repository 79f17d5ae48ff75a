"""The command line as tests call it."""

from typer.testing import CliRunner

from rcmviz.cli import main


def run(*arguments, code=0, stdin=None):
    """Run a command and return its output; with ``code`` 2, its error."""
    env = {"COLUMNS": "120", "NO_COLOR": "1"}
    result = CliRunner().invoke(main.app, list(map(str, arguments)), env=env, input=stdin)
    assert result.exit_code == code, result.output + str(result.exception)
    return result.stderr if code == 2 else result.stdout

"""Commands are put together once for all tests of them: typer's runner does it anew at each call, for 16 ms."""

from functools import cache

from typer import testing

testing._get_command = cache(testing._get_command)

"""The Makefile's choice of Python."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "choose_python.sh"
SHELL = shutil.which("sh")
SYSTEM = Path("/usr/bin/python3")

pytestmark = pytest.mark.skipif(SHELL is None, reason="make needs a shell")


def chosen(folder, flags, version):
    """Return the script's output if ``python3`` was built with these flags and reports this version."""
    stands_in = folder / "python3"
    program = (
        "import sys, sysconfig; sysconfig.get_config_var = lambda name: sys.argv[1]; "
        "print(sys.argv[2]) if 'ensurepip' in sys.argv[3] else exec(sys.argv[3])"
    )
    stands_in.write_text(f"#!{SHELL}\nexec '{sys.executable}' -c \"{program}\" '{flags}' '{version}' \"$2\"\n")
    stands_in.chmod(0o755)
    run = subprocess.run([SHELL, SCRIPT], env={"PATH": str(folder)}, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return run.stdout.strip()


def system_version():
    """Return the version of the system's Python, or None if it cannot make an environment."""
    asked = "import ensurepip, sys, venv; print(sys.version_info[:2])"
    run = subprocess.run([SYSTEM, "-c", asked], capture_output=True, text=True) if SYSTEM.exists() else None
    return run.stdout.strip() if run and run.returncode == 0 else None


def test_a_python_built_for_speed_is_taken(tmp_path):
    assert chosen(tmp_path, "--prefix=/opt --enable-optimizations", system_version()) == "python3"


def test_one_built_without_gives_way_to_the_system_s_of_its_version_only(tmp_path):
    version = system_version()
    assert chosen(tmp_path, "--prefix=/opt", "(3, 0)") == "python3"
    assert chosen(tmp_path, "--prefix=/opt", version or "none") == (str(SYSTEM) if version else "python3")


def test_make_reports_a_missing_python(tmp_path):
    run = subprocess.run([SHELL, SCRIPT], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert run.stdout == "python3\n"

"""The lock files name versions and hashes, and satisfy pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ASKED = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]


def entries(name):
    """Return each requirement of a lock file with its hashes."""
    lines = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            pinned, *hashes = re.split(r"\s+--hash=", line.strip())
            yield Requirement(pinned), hashes


def asked_of_tests():
    own = [line for line in EXTRAS["test"] if not line.startswith("rcmviz[")]
    return [*ASKED, *own, *EXTRAS["app"], *EXTRAS["cluster"], *EXTRAS["notebook"]]


@pytest.mark.parametrize(
    ("name", "asked"),
    [("requirements.lock", [*ASKED, *EXTRAS["app"]]), ("requirements-test.lock", asked_of_tests())],
)
def test_a_lock_pins_all_requirements_by_hash(name, asked):
    pinned = {}
    for requirement, hashes in entries(name):
        (version,) = requirement.specifier
        assert version.operator == "==" and hashes, requirement
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes), requirement
        pinned.setdefault(canonicalize_name(requirement.name), []).append(version.version)
    for line in [*asked, *PROJECT["build-system"]["requires"], "editables"]:
        wanted = Requirement(line)
        found = pinned.get(canonicalize_name(wanted.name), [])
        assert found and all(wanted.specifier.contains(version) for version in found), f"{line}: run `make lock`"


def test_uv_itself_comes_by_hash_and_nothing_with_it():
    ((pinned, hashes),) = entries("requirements-uv.lock")
    (version,) = pinned.specifier
    assert pinned.name == "uv" and version.operator == "=="
    assert hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes)


def test_the_tests_run_on_what_the_application_gets():
    tested, installed = (
        {(one.name, str(one.specifier)) for one, _ in entries(name)}
        for name in ("requirements-test.lock", "requirements.lock")
    )
    assert installed <= tested, "run `make lock`"

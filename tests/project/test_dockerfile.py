"""The container has the sources of the wheel, and does not run as root."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()


def test_the_image_has_all_that_the_wheel_is_built_from():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], *project["project"]["license-files"], "pyproject.toml"}
    needed |= {project["project"]["readme"], "requirements.lock"}
    copied = {source for line in LINES if line.startswith("COPY ") for source in line.split()[1:-1]}
    let_in = set(re.findall(r"^!(.+)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"), re.M))
    assert needed == copied == let_in
    assert all((ROOT / source).exists() for source in copied)


def test_the_application_runs_as_a_user_without_rights():
    users = [number for number, line in enumerate(LINES) if line.startswith("USER ")]
    (entry,) = [number for number, line in enumerate(LINES) if line.startswith("ENTRYPOINT ")]
    assert users and users[-1] < entry and LINES[users[-1]] != "USER root"


def test_any_user_of_the_image_may_write_to_the_folder_of_compiled_code():
    text = "\n".join(LINES)
    (folder,) = re.findall(r"XDG_CACHE_HOME=(\S+)", text)
    assert f"--owner rcmviz {folder}" in text and f"chmod --recursive a+rwX {folder}" in text
    assert text.index("warm_up()") < text.index("chmod --recursive"), "compiled code belongs to the user"

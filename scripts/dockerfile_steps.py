"""The steps of the Dockerfile in a fresh root directory, for a machine without Docker (Linux, as root).

    python scripts/dockerfile_steps.py FOLDER [PREFIX] -- [arguments of the application]

Below FOLDER a root is made: a copy of the Python at PREFIX (this one by default) as /usr/local, a copy of /etc, this
machine's /usr to read, and nothing else. There COPY, RUN, USER, WORKDIR, ENV, HEALTHCHECK and ENTRYPOINT of the
Dockerfile run one after the other, in a separate mount namespace; the application's health and the page of a class are
requested, and it is stopped as a container is. Different from the image: the system below Python is this machine's,
network and processes are shared with it, and no layers are kept.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
PORT = 8501
LINKS = ("bin", "lib", "lib64", "sbin")  # into /usr, on a merged system
# A Python that was moved does not find its own library.
PLAIN = {"LD_LIBRARY_PATH": "/usr/local/lib", "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}
PATIENCE = 600  # seconds until the application must be healthy


def fresh_root(folder, prefix):
    """A root with Python in it."""
    for name in ("usr", "etc", "proc", "dev", "tmp", "home", "opt", "root", "var/tmp"):
        (folder / name).mkdir(parents=True)
    (folder / "tmp").chmod(0o1777)
    for name in LINKS:
        (folder / name).symlink_to(f"usr/{name}")
    shutil.copytree("/etc", folder / "etc", symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("shadow-"))
    local = folder.with_name(folder.name + ".local")
    shutil.copytree(prefix, local, symlinks=True, ignore=shutil.ignore_patterns("site-packages", "__pycache__", "test"))
    mount("--bind", "/usr", folder / "usr")
    mount("-o", "remount,ro,bind", folder / "usr")
    mount("--bind", local, folder / "usr/local")
    mount("--rbind", "/dev", folder / "dev")
    mount("-t", "proc", "proc", folder / "proc")
    ensure = ["chroot", folder, "/usr/local/bin/python3", "-m", "ensurepip", "--default-pip"]
    subprocess.run(ensure, env=PLAIN, check=True)
    (local / "bin/python").unlink(missing_ok=True)
    (local / "bin/python").symlink_to("python3")


def mount(*arguments):
    """Call mount."""
    subprocess.run(["mount", *map(str, arguments)], check=True)


class Image:
    """Runs the instructions of a Dockerfile in a root."""

    def __init__(self, folder):
        self.folder, self.user, self.place, self.entry, self.health = folder, "root", "/", None, None
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "http"))}
        self.environment = kept | PLAIN

    def do(self, line):
        """Run one instruction."""
        what, _, rest = line.partition(" ")
        print(f"{time.strftime('%H:%M:%S')}  {line[:110]}", flush=True)
        getattr(self, f"do_{what.lower()}")(rest.strip())

    def do_from(self, rest):
        """Do nothing: the root exists already."""

    do_expose = do_from

    def do_workdir(self, rest):
        """Set the folder of later commands."""
        self.place = rest
        (self.folder / rest.strip("/")).mkdir(parents=True, exist_ok=True)

    def do_user(self, rest):
        """Set the user of later commands."""
        self.user = rest
        self.environment["HOME"] = f"/home/{rest}"

    def do_env(self, rest):
        """Set environment variables of later commands."""
        self.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))

    def do_copy(self, rest):
        """Copy files of the checkout."""
        *sources, target = rest.split()
        there = self.folder / self.place.strip("/") / target
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, there, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
            else:
                shutil.copy2(ROOT / source, there)

    def do_run(self, rest):
        """Run a command of the shell."""
        subprocess.run(self.command("sh", "-c", rest), env=self.environment, check=True)

    def do_healthcheck(self, rest):
        """Set the command that checks the health."""
        self.health = json.loads(rest[rest.index("[") :])

    def do_entrypoint(self, rest):
        """Set the command of the container."""
        self.entry = json.loads(rest)

    def command(self, *words):
        """Return a command of the image as this machine runs it."""
        inner = f"cd {shlex.quote(self.place)} && exec {shlex.join(words)}"
        return ["chroot", f"--userspec={self.user}", str(self.folder), "/bin/sh", "-c", inner]

    def try_out(self, arguments):
        """Start the container, look at it, stop it."""
        start = time.monotonic()
        process = subprocess.Popen(self.command(*self.entry, *arguments), env=self.environment)
        while subprocess.run(self.command(*self.health), env=self.environment, capture_output=True).returncode:
            assert process.poll() is None and time.monotonic() - start < PATIENCE, "it does not become healthy"
            time.sleep(1)
        print(f"healthy after {time.monotonic() - start:.0f} s", flush=True)
        time.sleep(2)
        for path in ("", "step", "class"):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/{path}", timeout=60) as answer:
                    print(f"/{path}: {answer.status}, {len(answer.read())} bytes")
            except urllib.error.HTTPError as error:
                print(f"/{path}: {error.code}")
        stopping = time.monotonic()
        process.terminate()
        process.wait(60)
        print(f"stopped in {time.monotonic() - stopping:.1f} s, exit code {process.returncode}")
        print("files of the link left:", len(list((self.folder / "tmp").glob("rcmviz-class-*"))))


def main(folder, prefix, arguments):
    """Make the root, run all steps, try the application."""
    folder = Path(folder).resolve()
    fresh_root(folder, prefix)
    image, text = Image(folder), (ROOT / "Dockerfile").read_text(encoding="utf-8")
    lines = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    for line in filter(None, map(str.strip, lines)):
        image.do(line)
    image.try_out(arguments)


if __name__ == "__main__":
    if "--inside" not in sys.argv:
        own = [sys.executable, __file__, "--inside", *sys.argv[1:]]
        sys.exit(subprocess.run(["unshare", "--mount", "--propagation", "private", *own], check=False).returncode)
    given = [word for word in sys.argv[1:] if word != "--inside"]
    cut = given.index("--") if "--" in given else len(given)
    main(given[0], given[1] if cut > 1 else sys.base_prefix, given[cut + 1 :])

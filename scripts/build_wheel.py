"""Build the wheel that brings its kernels along, compiled: a first fit or page has nothing to wait for.

    python scripts/build_wheel.py [folder]  (make wheel; the folder is dist by default)

All that `rcmviz warmup` compiles is compiled for x86-64-v3 with the Python that runs this, and goes into the wheel of
that version and platform, which ``rcmviz/kernels/on_disk.py`` loads it from. ``pip wheel .`` builds the wheel for all.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wheel_hook import KERNELS

ROOT = Path(__file__).resolve().parents[1]
X86 = "x86_64", "amd64"


def compile_kernels(folder):
    """What is compiled ahead, into a folder of its own for each digest."""
    from rcmviz.cli.warmup import PARTS
    from rcmviz.kernels.on_disk import FEATURES, PROCESSOR

    with tempfile.TemporaryDirectory() as cache:
        target = {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": FEATURES, "NUMBA_CACHE_DIR": cache}
        others = {"RCMVIZ_NATIVE": "1", "RCMVIZ_QUIET": "1", "PYTHONPATH": str(ROOT)}

        def compile_part(module):
            command = [sys.executable, "-c", f"import {module} as part; part.warm_up()"]
            subprocess.run(command, env=os.environ | target | others, cwd=cache, check=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_part, PARTS.values()))
        gather(Path(cache), folder)


def gather(cache, folder):
    """Copy a cache, whose folders are named after where the sources lie, without those names and without parts."""
    from rcmviz.kernels.part import PREFIX

    for file in sorted(cache.glob("*/*/*.nb[ic]")):
        if file.name.startswith(PREFIX):
            continue
        to = folder / file.parts[-3]
        to.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, to / file.name)


def main():
    if platform.machine().lower() not in X86:
        sys.exit(f"Kernels are compiled ahead for x86-64 only, and this is {platform.machine()}: use pip wheel .")
    dist = Path(sys.argv[1] if sys.argv[1:] else ROOT / "dist").resolve()
    with tempfile.TemporaryDirectory() as folder:
        compile_kernels(Path(folder))
        command = ["-m", "pip", "--quiet", "--disable-pip-version-check", "wheel", "--no-deps", "--wheel-dir"]
        subprocess.run([sys.executable, *command, dist, ROOT], env=os.environ | {KERNELS: folder}, check=True)
    print(*sorted(dist.glob("rcmviz-*.whl")), sep="\n")


if __name__ == "__main__":
    main()

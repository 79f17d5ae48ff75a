"""Messages of the command `app` to a teacher who starts a class: the address for students, and the leading link."""

import os
import sys
import tempfile
import time
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path

from rcmviz.classroom.address import EVERY, HERE, class_address, class_addresses, write_qr

PATIENCE = 0.3  # seconds between two checks for the server


def announce(process, key, host, port, base, browser, named=None, folder=None):
    """Wait for the server, then say where the class is; the link that leads goes to this terminal's person alone.

    ``named`` is the public name of this machine, if it cannot know it itself; one that listens to itself alone has a
    proxy before it, which has TLS. If the terminal is a log or a container, the link is in a file that
    only this user can read, and the file is named instead. Returns that file, to be removed at the end, or None
    if the server did not start. It is in ``folder``, the server's own, which the server removes if this process
    cannot.
    """
    here = local_address(host, port, base)
    if not is_there(process, here):
        return None
    there = here if named is None else f"https://{named}{base}" if host in HERE else f"http://{named}:{port}{base}"
    link, address = f"{there}/class/lead#{key}", class_address(there, host, base)
    file = _private_file(link, folder)
    others = class_addresses(there, host, base)[1:]
    print(f"\nThe class is at {address}" + "".join(f"\n  in another network at {one}" for one in others), flush=True)
    if sys.stdout.isatty():
        write_qr(address, sys.stdout)
        print(f"You lead it by this link; keep it to yourself:\n  {link}\n", flush=True)
    else:
        print(f"The link that leads it is in {file}, which only you can read.", flush=True)
    if browser:
        webbrowser.open(file.with_suffix(".html").as_uri())  # the key itself would be seen among the processes
    return file


def take_away(file):
    """Take the files of the link away."""
    for path in (file, file.with_suffix(".html")):
        path.unlink(missing_ok=True)
    file.parent.rmdir()


def _private_file(link, parent=None):
    """A file with the link, and a page that redirects there, in a folder of this user alone below ``parent``."""
    folder = Path(tempfile.mkdtemp(prefix="rcmviz-class-", dir=parent))
    page = (
        f'<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>rcmviz</title>\n'
        f'<script>location.replace("{link}")</script>\n'
    )
    for name, text in (("teacher-link.txt", f"{link}\n"), ("teacher-link.html", page)):
        with open(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    return folder / "teacher-link.txt"


def local_address(host, port, base):
    """The address by which a browser on this machine finds the server."""
    return f"http://{'localhost' if host in EVERY else host}:{port}{base}"


def is_there(process, address):
    """Whether the server at this address answers before it ends."""
    while process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(PATIENCE)
    return False

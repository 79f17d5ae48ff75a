"""Limits on connections: how many, how long silent, how large a message; nothing here waits for a clock."""

import asyncio
import errno
import subprocess
import sys

import pytest

from rcmviz.classroom.connections import SILENT_SECONDS, Connections
from rcmviz.classroom.open_files import NOTE_SECONDS, OWN_FILES, most_connections, note_lack
from rcmviz.classroom.websocket_frames import MessageSizes, MessageTooLargeError


class Connection:
    """A connection that only notes that it was closed."""

    def __init__(self, began=0.0, has_asked=False):
        self.began, self.has_asked, self.is_closed = began, has_asked, False

    def abort(self):
        self.is_closed = True


def test_the_longest_silent_connection_leaves_its_place_and_websockets_keep_theirs():
    now = [0.0]
    connections = Connections(4, 3, lambda: now[0])
    first, second, third, live = some = [Connection() for _ in range(4)]
    assert all(connections.admit(one) for one in some) and connections.become_live(live)
    connections.record_activity(first)
    for _ in range(1_000):
        assert connections.admit(Connection())
        assert len(connections) == 4
    assert second.is_closed and third.is_closed and first.is_closed and not live.is_closed


def test_places_for_requests_are_kept_free_of_websockets():
    connections = Connections(4, 3)
    live = [Connection() for _ in range(3)]
    assert all(connections.admit(one) and connections.become_live(one) for one in live)
    late = Connection()
    assert connections.admit(late) and not connections.become_live(late)
    connections.forget(live[0])
    assert connections.become_live(late)


def test_silence_and_a_request_that_never_ends_are_closed_after_a_while():
    now = [0.0]
    connections = Connections(9, 9, lambda: now[0])
    silent, slow, asking, live = Connection(), Connection(), Connection(has_asked=True), Connection()
    for one in (silent, slow, asking, live):
        connections.admit(one)
    connections.become_live(live)
    for second in range(1, int(SILENT_SECONDS) + 2):  # one more byte of a header, one more answer
        now[0] = float(second)
        connections.record_activity(slow)
        connections.record_activity(asking)
        connections.close_silent()
    assert silent.is_closed and slow.is_closed and not asking.is_closed and not live.is_closed
    assert len(connections) == 2


def frame(size, kind=0x81, mask=True):
    """Return a frame of ``size`` bytes."""
    code = size if size < 126 else 126 if size < 65_536 else 127
    length = b"" if size < 126 else size.to_bytes(2 if code == 126 else 8, "big")
    return bytes([kind, code | (0x80 if mask else 0)]) + length + (bytes(4) if mask else b"") + b"\x81" * size


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("hard, raised", [(1_024, 1_024), (256, 256)])
def test_the_limit_on_files_is_raised_as_far_as_the_system_allows(hard, raised):
    code = "from rcmviz.classroom.open_files import raise_limit; print(raise_limit())"
    limited = ["sh", "-c", f'ulimit -S -n 200 && ulimit -H -n {hard} && exec "$@"', "sh", sys.executable, "-c", code]
    assert int(subprocess.run(limited, capture_output=True, text=True, check=True).stdout) == raised
    assert most_connections(raised) + OWN_FILES <= raised


@pytest.mark.parametrize("step", [1, 2, 3, 7, 10**9])
@pytest.mark.parametrize("size", [0, 1, 125, 126, 1_000])
def test_messages_are_weighed_however_their_bytes_arrive(step, size):
    ping, begin, end = frame(5, 0x89), frame(size, 0x01), frame(size, 0x80)
    said = frame(size) + ping + begin + ping + end + frame(2 * size, mask=False)
    sizes = MessageSizes(2 * size if size > 3 else 5)
    for at in range(0, len(said), step):
        sizes.feed(said[at : at + step])


@pytest.mark.parametrize("said", [frame(9), frame(126), frame(70_000), frame(9, 0x01), frame(5, 0x01) + frame(4, 0x80)])
@pytest.mark.parametrize("step", [1, 10**9])
def test_large_messages_are_refused_by_their_header(said, step):
    sizes = MessageSizes(8)
    with pytest.raises(MessageTooLargeError, match="the limit is 8"):
        for at in range(0, len(said), step):
            sizes.feed(said[at : at + step])


def test_a_lack_of_files_is_logged_once_a_minute_and_other_errors_always(capsys):
    now, loop = [0.0], asyncio.new_event_loop()
    reported = []
    loop.default_exception_handler = reported.append
    handle = note_lack(lambda: now[0])
    for _ in range(500):
        handle(loop, {"exception": OSError(errno.EMFILE, "Too many open files")})
    assert capsys.readouterr().err.count("\n") == 1 and not reported
    now[0] = NOTE_SECONDS
    handle(loop, {"exception": OSError(errno.ENFILE, "Too many open files")})
    assert capsys.readouterr().err.count("\n") == 1
    handle(loop, {"exception": RuntimeError()})
    assert len(reported) == 1
    loop.close()

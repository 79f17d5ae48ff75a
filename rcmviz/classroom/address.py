"""The address of a class, as text and as a QR code."""

import ipaddress
import socket
from urllib.parse import urlsplit

import segno

EVERY = {"0.0.0.0", "::", "", None}  # a server at these answers under all addresses of its machine
HERE = {"localhost", "127.0.0.1", "::1"}
FAR = ("192.0.2.1", 9)  # of a network that is kept for documentation: nothing is sent there


def own_address():
    """The address of this machine in the network that leads outside; 127.0.0.1 where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(FAR)
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def own_names(host):
    """The names by which a server at this ``host`` may be called, none of them guessed by anybody from outside.

    Examples
    --------
    >>> own_names("127.0.0.1")
    ['127.0.0.1', 'localhost']
    """
    names = ["127.0.0.1", "localhost"]
    if host in EVERY:
        machine = socket.gethostname()
        names += [own_address(), machine, f"{machine}.local"]
    elif host not in HERE:
        names.append(host)
    return list(dict.fromkeys(names))


def class_address(seen, host, base=""):
    """The address of a class for everybody else, from the one by which the teacher sees it.

    ``seen`` is that address; if it is one of this machine alone and the server listens to others too, the machine's
    address in the network is used instead. ``base`` is the path of the application.

    Examples
    --------
    >>> class_address("https://example.org/rcm/step?word=a", "127.0.0.1", "/rcm")
    'https://example.org/rcm/class'
    >>> class_address("http://localhost:8501/", "192.168.0.7")
    'http://192.168.0.7:8501/class'
    """
    parts = urlsplit(seen or "")
    name = parts.hostname or "localhost"
    if name in HERE and host not in HERE:
        name = own_address() if host in EVERY else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme or 'http'}://{name}{port}{base}/class"


def network_of(address):
    """The unit of limits per address: an IPv4 address, and the /64 of an IPv6 address, all of which one machine has.

    Examples
    --------
    >>> network_of("192.168.0.7"), network_of("2001:db8::1:2:3:4"), network_of("")
    ('192.168.0.7', '2001:db8::/64', '')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if found.version == 4:
        return address
    return str(found.ipv4_mapped or ipaddress.ip_network((int(found), 64), strict=False))


def qr_rows(text):
    """A QR code as rows of 0 and 1, without the white around it.

    Examples
    --------
    >>> rows = qr_rows("http://192.168.0.7:8501/class")
    >>> len(rows) == len(rows[0])
    True
    """
    return ["".join("01"[bool(cell)] for cell in row) for row in segno.make_qr(text, error="m").matrix]


def write_qr(text, file):
    """Write a QR code to a terminal, two rows of it in each line."""
    segno.make_qr(text, error="m").terminal(file, compact=True)

"""The address of a class, as text and as a QR code."""

import ipaddress
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import segno

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

EVERY = {"0.0.0.0", "::", "", None}  # a server at these answers under all addresses of its machine
HERE = {"localhost", "127.0.0.1", "::1"}
ADDRESS_OF_INTERFACE = 0x8915  # SIOCGIFADDR of Linux
FAR = ("192.0.2.1", 9)  # of a network that is kept for documentation: nothing is sent there


def own_address():
    """The address of this machine in the network that leads outside; 127.0.0.1 where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(FAR)
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def own_addresses():
    """The IPv4 addresses of this machine in its networks, the one that leads outside first; 127.0.0.1 without any."""
    found = [own_address(), *_addresses_of_interfaces()]
    return [one for one in dict.fromkeys(found) if not one.startswith("127.")] or ["127.0.0.1"]


def _addresses_of_interfaces():
    """The addresses of all interfaces, as far as the system tells them."""
    found = []
    with suppress(OSError):
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    if fcntl is None:
        return found
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has none, or another system numbers the request otherwise
                reply = fcntl.ioctl(probe, ADDRESS_OF_INTERFACE, name.encode()[:15].ljust(256, b"\0"))
                found.append(socket.inet_ntoa(reply[20:24]))
    return found


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
        names += [*own_addresses(), machine, f"{machine}.local"]
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


def class_addresses(seen, host, base=""):
    """The addresses under which others may reach a class: of each network of this machine, if it listens to all.

    The first is that of ``class_address``, whose arguments these are.

    Examples
    --------
    >>> class_addresses("http://localhost:8501/", "192.168.0.7")
    ['http://192.168.0.7:8501/class']
    """
    first = class_address(seen, host, base)
    if host not in EVERY or (urlsplit(seen or "").hostname or "localhost") not in HERE:
        return [first]
    name = urlsplit(first).hostname
    return [first, *(first.replace(name, one, 1) for one in own_addresses() if one != name)]


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

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sends what no client library would send to rvtraced, and checks the answer.

usage: daemon-client.py SOCKET CASE
Exit status 4: it cannot be tried here; the last line says why.
"""
import array
import ctypes
import errno
import fcntl
import json
import os
import random
import re
import signal
import socket
import struct
import sys
import tempfile
import termios
import time

from daemon_processes import family, go_on, stop, user_of


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def send(self, data, fds=()):
        if fds:
            rights = array.array("i", fds)
            self.socket.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        else:
            self.socket.sendall(data)

    def answer(self):
        line = self.lines.readline()
        assert line.endswith(b"\n"), f"cut answer {line!r}"
        return json.loads(line)

    def ask(self, data, fds=()):
        self.send(data + b"\n", fds)
        return self.answer()

    def refused(self, data, text, fds=()):
        answer = self.ask(data, fds)
        assert answer["ok"] is False and answer["errno"] > 0, answer
        assert text in answer["error"], answer
        assert "\n" not in answer["error"], answer

    def close(self):
        self.lines.close()
        self.socket.close()

    def works(self):
        assert self.ask(b'{"request":"list"}')["ok"] is True


def bad_requests(path):
    client = Client(path)
    for data, text in (
        (b"", "unexpected end of data"),
        (b"garbage", "not JSON: offset 0"),
        (b'{"request":"list"', "offset 17: unexpected end of data"),
        (b'{"request":"list"} x', "not JSON: offset 19"),
        (b"[]", "JSON object"),
        (b"null", "JSON object"),
        (b"{}", "needs 'request'"),
        (b'{"request":1}', "needs 'request'"),
        (b'{"request":"frob"}', "unknown request 'frob'"),
        (b'{"request":"list","sink":"a"}', "'list' does not take 'sink'"),
        (b'{"request":"open","colour":1}', "unknown member 'colour'"),
        (b'{"request":"open","mode":3}', "'mode' must be of type string"),
        (b'{"request":"open","buffer_size":-1}', "must not be negative"),
        (b'{"request":"open","buffer_size":1.5}', "must be of type int"),
        (b'{"request":"status","sink":"nosuch"}', "no sink 'nosuch'"),
        (b'{"request":"stop","sink":"nosuch"}', "no session on 'nosuch'"),
        (b'{"request":"close"}', "has no session"),
        (b'{"request":"attach"}', "has no session"),
        (b'{"request":"attach","pid":1}', "'attach' does not take 'pid'"),
        (b'{"request":"open","pid":-1}', "must not be negative"),
        (b'{"request":"open","save_images":1}', "must be of type boolean"),
        (b'{"request":"\xff\xfe"}', "not JSON"),
        ('{"request":"\u00fc\\n"}'.encode(), "unknown request '\u00fc\\x0a'"),
        ('{"request":"stop","sink":"a\\u001b[31m\\r\\u007f\u009b\u202e"}'.encode(),
         "no session on 'a\\x1b[31m\\x0d\\x7f\\xc2\\x9b\\xe2\\x80\\xae'"),
        (('{"request":"stop","sink":"' + "x" * 63 + '\u00fc"}').encode(), "x\\xc3'"),
        (b"\x00\x01\x02", "not JSON: offset 0"),
        (b"[" * 4000, "not JSON"),
        (b"[" * 60000, "too many objects and arrays"),
    ):
        client.refused(data, text)
    client.works()


def no_device(path):
    client = Client(path)
    answer = client.ask(b'{"request":"status"}')
    assert answer["sinks"] == [] and answer["daemon"]["pid"] > 1, answer
    client.refused(b'{"request":"start","directory":"/nowhere"}', "no trace sink")
    client.refused(b'{"request":"open","sink":"rvtrace0"}', "no sink 'rvtrace0'")


def big_request(path):
    client = Client(path)
    client.refused(b'{"request":"' + b"x" * 60000 + b'"}', "unknown request 'xxx")
    client.works()
    client.send(b"y" * (1 << 16) + b"yy")
    assert "longer than 65536" in client.answer()["error"]
    assert client.lines.readline() == b""


def partial_lines(path):
    client = Client(path)
    for byte in b'{"request":"list"}':
        client.send(bytes([byte]))
    client.send(b"\n")
    assert client.answer()["ok"] is True
    client.send(b'{"request":"list"}\n' * 500)
    for _ in range(500):
        assert client.answer()["ok"] is True


def many_clients(path):
    clients = [Client(path) for _ in range(100)]
    for client in clients:
        client.works()
    for client in clients:
        client.send(b'{"request":')
        client.socket.close()
        client.lines.close()
    Client(path).works()


GROUP = 4242    # may connect, and names users 1001 to 1017


# Users are those of effective ids.
def as_user(uid):
    os.seteuid(0)
    os.setgroups([GROUP])
    os.seteuid(uid)


def turned_away(path, text):
    client = Client(path)
    answer = client.answer()
    assert answer["ok"] is False and answer["errno"] == errno.EUSERS and text in answer["error"], answer
    assert client.lines.readline() == b""
    # A client that asks before it listens hears it, too.
    try:
        client.send(b'{"request":"list"}\n')
    except BrokenPipeError:
        pass


def greedy_user(path):
    """As many connections as a user may have: neither that user's nor anybody else's are more or fewer."""
    as_user(1001)
    clients = [Client(path) for _ in range(16)]
    for client in clients:
        client.works()
    for _ in range(20):
        turned_away(path, "user 1001 has 16 connections already (see rvtraced.conf)")
    for uid in range(1002, 1017):
        as_user(uid)
        more = [Client(path) for _ in range(16)]
        for client in more:
            client.works()
        clients += more
    # Sixteen users have them all. What is root's nobody took.
    as_user(1017)
    turned_away(path, "all users together have 256 connections already")
    as_user(0)
    own = [Client(path) for _ in range(128)]
    for client in own:
        client.works()
    turned_away(path, "root has 128 connections already")
    clients.pop().close()
    as_user(1017)
    deadline = time.monotonic() + 60
    while not accepted(path):
        assert time.monotonic() < deadline
    as_user(0)


def served_meanwhile(path):
    """Who is served already does not wait until all that have connected are."""
    client = Client(path)
    pid = client.ask(b'{"request":"status"}')["daemon"]["pid"]
    stop(pid)
    try:
        waiting = []
        for uid in range(1001, 1015):
            as_user(uid)
            waiting += [Client(path) for _ in range(16)]
        as_user(0)
        before = len(list(family(pid)))
        client.send(b'{"request":"list"}\n')
    finally:
        as_user(0)
        go_on(pid)
    assert client.answer()["ok"]
    begun = len(list(family(pid))) - before
    assert begun < len(waiting) / 2, f"answered after {begun} of {len(waiting)} others"
    for other in waiting:
        other.works()


def subordinate_uids(path):
    """Whoever has uids to become, and keeps the group, is one user with all the others who do."""
    clients = []
    for uid in range(100000, 100016):
        as_user(uid)
        clients.append(Client(path))
        clients[-1].works()
    for uid in (100000, 100016, 165535):
        as_user(uid)
        for _ in range(3):
            turned_away(path, "users that group 'members' does not name have 16 connections already (see rvtraced.conf)")
    for uid in (1001, 1017, 0):
        as_user(uid)
        Client(path).works()
    clients.pop().close()
    as_user(100016)
    deadline = time.monotonic() + 60
    while not accepted(path):
        assert time.monotonic() < deadline
    as_user(0)


def patient_client(path):
    """Who may wait, as others do, until the kernel has room for one that is not accepted yet"""
    deadline = time.monotonic() + 60
    while True:
        try:
            return Client(path)
        except BlockingIOError:
            assert time.monotonic() < deadline, "no room to connect"


def flood(path):
    """Whoever connects and closes all the time stands in nobody's way."""
    attackers = []
    for _ in range(2):
        attackers.append(os.fork())
        if not attackers[-1]:
            as_user(1001)
            while True:
                try:
                    with socket.socket(socket.AF_UNIX) as client:
                        client.connect(path)
                except OSError:
                    pass
    try:
        time.sleep(2)
        for uid in (0, 1002, 0, 1002):
            as_user(uid)
            patient_client(path).works()
    finally:
        as_user(0)
        for attacker in attackers:
            os.kill(attacker, signal.SIGKILL)
            os.waitpid(attacker, 0)


def flood_of_files(path):
    """Nor does who has as many as may be, and lets something unread come with all that are turned away."""
    pid = Client(path).ask(b'{"request":"status"}')["daemon"]["pid"]
    as_user(1001)
    clients = [Client(path) for _ in range(16)]
    for client in clients:
        client.works()
    attackers = []
    file = os.open("/dev/null", os.O_RDONLY)
    for files in ([], [file], [file]):
        attackers.append(os.fork())
        while not attackers[-1]:
            try:
                more = Client.__new__(Client)
                more.socket = socket.socket(socket.AF_UNIX)
                more.socket.connect(path)
                more.send(b"x", files)
            except OSError:
                pass
            more.socket.close()
    try:
        for uid in (0, 1002) * 8:
            time.sleep(0.5)
            as_user(uid)
            patient_client(path).works()
            as_user(0)
            count = len(os.listdir(f"/proc/{pid}/fd"))
            assert count < 400, f"{count} files open"
    finally:
        as_user(0)
        for attacker in attackers:
            os.kill(attacker, signal.SIGKILL)
            os.waitpid(attacker, 0)


def accepted(path):
    client = Client(path)
    client.socket.settimeout(60)
    try:
        return client.ask(b'{"request":"list"}')["ok"]
    except BrokenPipeError:
        return False
    finally:
        client.close()


def deaf_client(path):
    deaf = Client(path)
    deaf.socket.setblocking(False)
    sent = 0
    try:
        while sent < 8 << 20:
            sent += deaf.socket.send(b'{"request":"status"}\n' * 100)
    except BlockingIOError:
        pass
    assert sent < 8 << 20, "requests are read although answers are not"
    Client(path).works()


def passed_files(path):
    client = Client(path)
    with tempfile.TemporaryDirectory() as folder:
        fd = os.open(folder, os.O_RDONLY)
        for _ in range(300):
            client.refused(b'{"request":"open","directory":"x"}', "no trace sink", [fd, fd])
        os.close(fd)
    pid = client.ask(b'{"request":"status"}')["daemon"]["pid"]
    count = len(os.listdir(f"/proc/{pid}/fd"))
    assert count < 40, f"{count} files open"


def filled_socket():
    """A connection whose peer reads nothing, and whose end waits a minute for that"""
    listening = socket.create_server(("127.0.0.1", 0))
    sender = socket.create_connection(listening.getsockname())
    peer = listening.accept()[0]
    sender.setblocking(False)
    try:
        while True:
            sender.send(bytes(1 << 16))
    except BlockingIOError:
        pass
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 60))
    return sender, peer


def slow_to_close(path):
    """However such a file comes, and whether it is taken or dropped"""
    client = Client(path)
    pid = client.ask(b'{"request":"status"}')["daemon"]["pid"]

    def sent(request, fds=1, before=b""):
        files = [filled_socket() for _ in range(fds)]
        stop(pid)
        try:
            client.send(before)
            client.send(request, [sender.fileno() for sender, _ in files])
        finally:
            # The last one to have them is the daemon.
            for sender, _ in files:
                sender.close()
            go_on(pid)
        return [peer for _, peer in files]

    peers = sent(b'{"request":"open","directory":"x"')
    client.refused(b"}", "no trace sink")
    Client(path).works()
    # more than are taken in a message, and more than may be under way
    for _ in range(3):
        peers += sent(b'{"request":"status"', 8)
        assert client.ask(b"}")["ok"]
        Client(path).works()
    # in what is not read any more, as the request is too long
    client.send(b"x" * (1 << 16))
    while struct.unpack("i", fcntl.ioctl(client.socket, termios.TIOCOUTQ, bytes(4)))[0]:
        time.sleep(0.01)
    peers += sent(b"x", before=b"x" * 20000)
    Client(path).works()
    client.close()
    Client(path).works()
    for peer in peers:
        peer.close()


class Closed:
    """Which processes close files and directories of a folder for the last time"""
    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        on_close, on_directory, on_child = 0x18, 0x40000000, 0x08000000
        self.fd = libc.fanotify_init(2, os.O_RDONLY)    # FAN_NONBLOCK
        mark = libc.fanotify_mark
        mark.argtypes = [ctypes.c_int, ctypes.c_uint, ctypes.c_uint64, ctypes.c_int, ctypes.c_char_p]
        if self.fd < 0 or mark(self.fd, 1, on_close | on_directory | on_child, -100, folder.encode()):
            print("SKIP fanotify:", os.strerror(ctypes.get_errno()))
            sys.exit(4)

    def pids(self):
        found = set()
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return found
            for at in range(0, len(data), 24):
                file, pid = struct.unpack_from("ii", data, at + 16)
                os.close(file)
                found.add(pid)


def closed(path, case):
    """Whatever becomes of files that a client sends, they are closed in a process that is the client's own."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/d")
        with open(f"{folder}/f", "w", encoding="utf-8"):
            pass
        events = Closed(folder)
        client = Client(path)
        pid = client.ask(b'{"request":"status"}')["daemon"]["pid"]

        def sent(data, count=1, by=client, name="f"):
            files = [os.open(f"{folder}/{name}", os.O_RDONLY) for _ in range(count)]
            stop(pid)
            by.send(data, files)
            for fd in files:
                os.close(fd)

        case(path, client, sent, pid)
        go_on(pid)
        Client(path).works()
        begun, seen = time.monotonic(), set()
        # Some are closed a second later.
        while time.monotonic() < begun + (2.5 if seen - {os.getpid()} else 10):
            time.sleep(0.1)
            seen |= events.pids()
        assert pid not in seen, "the daemon closed a file of its client"
        assert seen - {os.getpid()}, "nobody closed it"


def many_files(path):
    def case(_, client, sent, pid):
        sent(b'{"request":"status"', 12)
        go_on(pid)
        assert client.ask(b"}")["ok"]
    closed(path, case)


def unwanted_files(path):
    def case(_, client, sent, pid):
        for name in ("f", "d"):
            sent(b'{"request":"list"}\n', 2, name=name)
            go_on(pid)
            assert client.answer()["ok"]
    closed(path, case)


def unused_directory(path):
    def case(_, client, sent, pid):
        sent(b'{"request":"open","directory":"x"}\n', name="d")
        go_on(pid)
        assert "no trace sink" in client.answer()["error"]
    closed(path, case)


def files_of_the_gone(path):
    """In requests that are not over, read and unread"""
    def case(path, client, sent, pid):
        sent(b'{"request":"open","directory":"x"', name="d")
        go_on(pid)
        Client(path).works()
        sent(b",", 3)
        client.close()
    closed(path, case)


def files_turned_away(path):
    """With more than is closed at once"""
    limit = 128

    def case(path, client, sent, pid):
        go_on(pid)
        clients = [Client(path) for _ in range(limit - 1)]
        for other in clients:
            other.works()
        for _ in range(250):
            more = Client.__new__(Client)
            more.socket = socket.socket(socket.AF_UNIX)
            stop(pid)
            more.socket.connect(path)
            sent(b"{", by=more)
            go_on(pid)
            assert b"root has 128 connections" in more.socket.recv(1000)
            more.socket.close()
        for other in clients + [client]:
            other.close()
        deadline = time.monotonic() + 60
        while not accepted(path):
            assert time.monotonic() < deadline
    closed(path, case)


def processes_end(path):
    """Each connection has one. Those of clients that went are not left."""
    pid = Client(path).ask(b'{"request":"status"}')["daemon"]["pid"]
    for _ in range(3):
        clients = [Client(path) for _ in range(16)]
        for client in clients:
            client.works()
            client.close()
    deadline = time.monotonic() + 10
    while True:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            count = len(children.read().split())
        if count < 3:
            return
        assert time.monotonic() < deadline, f"{count} processes"
        time.sleep(0.1)


def stopped_gate(path):
    """Whoever stops the process that talks to him has no connection any more, and keeps none."""
    pid = Client(path).ask(b'{"request":"status"}')["daemon"]["pid"]
    as_user(1001)
    clients = [Client(path) for _ in range(16)]
    for client in clients:
        client.works()
    as_user(0)
    for member in list(family(pid)):
        if user_of(member) == 1001:
            os.kill(member, signal.SIGSTOP)
    for client in clients[8:]:
        assert client.lines.readline() == b""
    for client in clients[:8]:
        client.close()
    deadline = time.monotonic() + 10
    while any(user_of(member) == 1001 for member in family(pid)):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    as_user(1001)
    Client(path).works()
    as_user(0)


REQUESTS = [
    '{"request":"list"}', '{"request":"status","sink":"rvtrace0"}', '{"request":"attach","sink":"rvtrace0"}',
    '{"request":"flush"}', '{"request":"stop","sink":"rvtrace0"}', '{"request":"close"}',
    '{"request":"open","directory":"x","command":["sh","-c","true"],"mode":"fill","buffer_size":1048576,"watermark":65536,'
    '"max_size":0,"encoders":["encoder0"],"attributes":{"*":{"inst_mode":"branch"},"encoder0":{"sync_max":5}},"pid":1,'
    '"save_images":true,"sideband":false,"detached":true}',
    '{"request":"start","directory":"/nowhere","attributes":{"encoder0":{"../enable":"1"}}}',
]
VALUES = [None, True, False, 0, 1, -1, 1.5, 1 << 31, 1 << 40, (1 << 63) - 1, 1 << 64, -(1 << 63), float("nan"), "", "x", "rvtrace0",
          "../x", "/", "a" * 5000, "\0", "\x1b[31m", "\u202e", "\n", "list", "start", [], [None], ["a", 1], [[]], {}, {"": ""},
          {"a": {"b": {"c": 1}}}, {"*": {"sync_max": "\0"}}, {"*": ["inst_mode"]}, {"encoder0": {"/": 1}}, ["encoder0"] * 300]


def changed(requests, some):
    """One of them with other values and members, and now and then a few bytes that are wrong"""
    request = json.loads(some.choice(requests))
    names = [name for other in requests for name in json.loads(other)]
    for _ in range(some.randrange(4)):
        request[some.choice(names + ["", "\x1b", "colour"])] = some.choice(VALUES)
    if some.random() < 0.2:
        request.pop("request", None)
    data = bytearray(json.dumps(request, ensure_ascii=some.random() < 0.5).encode())
    for _ in range(some.choice((0, 0, 0, 1, 4, 40))):
        at = some.randrange(len(data) + 1)
        data[at:at + some.randrange(2)] = some.choice((b"", b"{", b"]", b'"', b"\\", b"\0", b"\xff", b"9", b"1e400", b"[" * 400))
    return bytes(data.replace(b"\n", b" "))


def random_requests(path):
    """One answer to each, which says that it is done, or on one line why not"""
    client = Client(path)
    for number in range(int(os.environ["RVTRACE_REQUESTS"])):
        some = random.Random(number)
        lines = [changed(REQUESTS, some) for _ in range(some.choice((1, 1, 5)))]
        for _ in range(some.choice((0, 0, 0, 1, 3))):
            client.send(b" ", [some.randrange(3)])
        client.send(b"\n".join(lines) + b"\n")
        for line in lines:
            answer = client.answer()
            if not answer["ok"]:
                assert answer["errno"] > 0 and re.fullmatch("[^\0-\x1f\x7f-\x9f\u202a-\u202e]+", answer["error"]), (number, line, answer)
    client.works()


globals()[sys.argv[2]](sys.argv[1])

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sends files of a file system that does not answer to rvtraced: what they hold up is their client's.

usage: unshare --mount daemon-fuse.py SOCKET FOLDER
Exit status 4: it cannot be tried here; the last line says why.
"""
import array
import os
import signal
import socket
import sys
import time

from deaf_fuse import FileSystem


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(path)
    return client


def daemon(path):
    """Its process, if it answers"""
    client = connect(path)
    client.sendall(b'{"request":"status"}\n')
    answer = client.recv(1000)
    return int(answer.split(b'"pid":')[1].split(b",")[0])


def answers(client):
    try:
        client.sendall(b'{"request":"list"}\n')
        return b'"ok":true' in client.recv(1000)
    except ConnectionError:
        return False


def fill(path):
    """All the connections that root may have"""
    clients = []
    while len(clients) < 128:
        client = connect(path)
        if answers(client):
            clients.append(client)
        else:
            client.close()      # of those before not all have ended
            time.sleep(0.1)
    return clients


def send(client, data, files):
    client.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
    for fd in files:
        os.close(fd)


def hanging_directory(path, system, _):
    """It came with a request that takes it, but there is no sink."""
    client = connect(path)
    fd = system.directory()
    send(client, b'{"request":"open","directory":"x"', [fd])
    time.sleep(0.5)
    system.falls_silent()
    system.look_up()
    client.sendall(b"}\n")
    return [client]


def hanging_files(path, system, pid):
    """More than are taken"""
    client = connect(path)
    client.sendall(b" ")
    os.kill(pid, signal.SIGSTOP)
    send(client, b"x", system.files(6))
    system.falls_silent()
    os.kill(pid, signal.SIGCONT)
    return [client]


def hanging_unread(path, system, pid):
    """In connections that are turned away, and in those that are closed before they are accepted"""
    clients = fill(path)
    os.kill(pid, signal.SIGSTOP)
    for files in (system.files(3), system.files(3)):
        clients.append(connect(path))
        send(clients[-1], b"x", files)
    system.falls_silent()
    os.kill(pid, signal.SIGCONT)
    time.sleep(2)
    for client in clients:
        client.close()
    time.sleep(1)
    return []


def closers(pid):
    count = 0
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
        for child in children.read().split():
            with open(f"/proc/{child}/comm", encoding="utf-8") as comm:
                count += comm.read() == "rvtraced-close\n"
    return count


def hanging_for_long(path, system, pid):
    """What is turned away second by second takes no more processes."""
    clients, files = fill(path), []
    with open(f"{system.deaf}-to-writes", "w", encoding="ascii"):
        pass
    for i in range(8):
        name = f"{system.folder}/mnt/f{i}"
        files.append(os.open(name, os.O_RDWR))
        os.kill(pid, signal.SIGSTOP)
        with connect(path) as client:
            send(client, b"x", [os.open(name, os.O_RDWR)])
        # The one that was sent waits for this in its close.
        os.write(files[-1], b"x" * 4096)
        os.kill(pid, signal.SIGCONT)
        time.sleep(1.5)
    count = closers(pid)
    assert count <= 5, f"{count} processes close files"
    for client in clients:
        client.close()
    time.sleep(1)
    return []


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
        return stat.read().rpartition(") ")[2][0]


def main(path, folder):
    pid = daemon(path)
    for case in (hanging_directory, hanging_files, hanging_unread, hanging_for_long):
        system, clients = FileSystem(f"{folder}/{case.__name__}"), []
        try:
            clients = case(path, system, pid)
            time.sleep(1)
            assert state(pid) != "D", f"{case.__name__}: the daemon hangs"
            for _ in range(3):
                assert daemon(path) == pid
            print(case.__name__, "ok", len(clients))
        except socket.timeout:
            assert False, f"{case.__name__}: no answer"
        finally:
            os.kill(pid, signal.SIGCONT)
            system.end()
            for client in clients:
                client.close()


main(*sys.argv[1:])

"""Stands between a program and a server on loopback, and breaks connections, for tests.

    faulty_relay.py PORT SEED FAULTS

Prints the port that it listens on. From SIGUSR1 on it cuts connections, each after so many bytes in either direction
or when nothing comes any more, gently or not, until there were that many cuts. It prints how many there were, after
every twenty-fifth, and carries everything from then on.
"""

import asyncio
import os
import random
import signal
import socket
import struct
import sys

# Seconds without a byte: a silent connection is given up, and the next one is to be cut too.
QUIET = 0.25


class Relay:
    def __init__(self, target, seed, faults):
        self.target, self.dice, self.faults, self.cuts, self.is_on = target, random.Random(seed), faults, 0, False

    def begin(self):
        self.is_on = True

    @property
    def is_done(self):
        return self.cuts == self.faults

    def budget(self):
        """How many bytes the next connection may carry. Most break before anything useful has come, at any byte of
        the handshake, the sign-in or the first answers; few live long enough for a batch of messages."""
        if self.dice.random() < 0.015:
            return self.dice.randrange(20_000, 40_000)
        return int(10 ** self.dice.uniform(0, 4))

    async def carry(self, reader, writer, connection):
        while True:
            try:
                data = await asyncio.wait_for(reader.read(16_384), QUIET)
            except TimeoutError:
                if self.is_on and not self.is_done:
                    return self.cut(connection)
                continue
            except OSError:
                data = b""
            if not data:
                return self.close(connection)
            if self.is_on and not self.is_done:
                data = data[:connection["left"]]
                connection["left"] -= len(data)
            try:
                writer.write(data)
                await writer.drain()
            except OSError:
                return self.close(connection)
            if connection["left"] == 0 and not self.is_done:
                return self.cut(connection)

    def close(self, connection):
        for end in connection["ends"]:
            end.close()

    def cut(self, connection):
        if connection["is_cut"]:
            return
        connection["is_cut"] = True
        self.cuts += 1
        if self.cuts % 25 == 0 or self.is_done:
            print(self.cuts, flush=True)
        if self.dice.random() < 0.5:
            return self.close(connection)
        for end in connection["ends"]:
            reset = struct.pack("ii", 1, 0)
            end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            end.transport.abort()

    async def serve(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        connection = {"left": self.budget(), "ends": [writer, far_writer], "is_cut": False}
        await asyncio.gather(
            self.carry(reader, far_writer, connection), self.carry(far_reader, writer, connection))


async def main():
    parent = os.getppid()
    relay = Relay(*map(int, sys.argv[1:]))
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, relay.begin)
    print(server.sockets[0].getsockname()[1], flush=True)
    while os.getppid() == parent:
        await asyncio.sleep(0.5)


signal.pthread_sigmask(signal.SIG_SETMASK, [])
asyncio.run(main())

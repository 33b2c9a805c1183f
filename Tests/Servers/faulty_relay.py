"""Stands between a program and a server on loopback, and breaks connections, for tests.

    faulty_relay.py PORT SEED FAULTS

Prints the port that it listens on. From SIGUSR1 on it cuts one connection after the other, each after some bytes in
one direction or the other, gently or not, until there were that many; then it prints `exhausted` and carries all.
"""

import asyncio
import os
import random
import signal
import socket
import struct
import sys


class Relay:
    def __init__(self, target, seed, faults):
        self.target, self.dice, self.left, self.isOn = target, random.Random(seed), faults, False

    def begin(self):
        self.isOn = True

    def budget(self):
        """How many bytes the next connection may carry; None for all."""
        if not self.isOn or self.left == 0:
            return None
        return int(10 ** self.dice.uniform(0, 5))

    async def carry(self, reader, writer, state, ends):
        try:
            while data := await reader.read(16384):
                if state["left"] is not None:
                    data = data[:state["left"]]
                    state["left"] -= len(data)
                writer.write(data)
                await writer.drain()
                if state["left"] == 0:
                    self.cut(ends)
                    return
        except OSError:
            pass
        for end in ends:
            end.close()

    def cut(self, ends):
        if self.left > 0:
            self.left -= 1
            if self.left == 0:
                print("exhausted", flush=True)
        isHard = self.dice.random() < 0.5
        for end in ends:
            if isHard:
                reset = struct.pack("ii", 1, 0)
                end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                end.transport.abort()
            else:
                end.close()

    async def serve(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.close()
            return
        state, ends = {"left": self.budget()}, [writer, far_writer]
        await asyncio.gather(
            self.carry(reader, far_writer, state, ends), self.carry(far_reader, writer, state, ends))


async def main():
    parent = os.getppid()
    relay = Relay(*map(int, sys.argv[1:]))
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, relay.begin)
    print(server.sockets[0].getsockname()[1], flush=True)
    while os.getppid() == parent:
        await asyncio.sleep(0.5)


asyncio.run(main())

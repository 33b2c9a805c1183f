#!/usr/bin/env python3
"""turns.py PORT MILLISECONDS FILE: leads to a port here, with this latency, and counts round trips.

Prints its own port. FILE has the number of round trips so far: how often a client went on after the server had answered,
on any connection. Nothing is decrypted for that.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

turns = 0


async def serve(target, delay):
    async def lead(reader, writer):
        global turns
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", target)
        is_clients_turn = True

        def from_client():
            nonlocal is_clients_turn
            global turns
            if is_clients_turn:
                turns += 1
            is_clients_turn = False

        def from_server():
            nonlocal is_clients_turn
            is_clients_turn = True

        await asyncio.gather(
            copy(reader, there_writer, delay / 2, from_client), copy(there_reader, writer, delay / 2, from_server))

    server = await asyncio.start_server(lead, "127.0.0.1", 0)
    return server.sockets[0].getsockname()[1]


async def copy(reader, writer, delay, note):
    """All that comes, each piece so much later, however many are on their way."""
    loop = asyncio.get_running_loop()
    under_way = asyncio.Queue(256)

    async def deliver():
        while piece := await under_way.get():
            at, data = piece
            if at > loop.time():
                await asyncio.sleep(at - loop.time())
            writer.write(data)
            await writer.drain()
        writer.close()

    delivery = asyncio.create_task(deliver())
    try:
        while data := await reader.read(1 << 16):
            note()
            await under_way.put((loop.time() + delay, data))
        await under_way.put(None)
        await delivery
    except ConnectionError:
        delivery.cancel()
        writer.close()


async def main():
    parent = os.getppid()
    port = await serve(int(sys.argv[1]), float(sys.argv[2]) / 1000)
    file = Path(sys.argv[3])
    file.write_text("0")
    print(json.dumps({"port": port}), flush=True)
    while os.getppid() == parent:
        await asyncio.sleep(0.1)
        new = file.with_suffix(".new")
        new.write_text(str(turns))
        new.replace(file)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())

"""Servers for streams of bytes."""

import asyncio

from common import cut, listen, never, tls


async def echo(reader, writer):
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


async def greet_then_echo(reader, writer):
    """A greeting comes at once, as from IMAP servers."""
    writer.write(b"* OK ready\r\n")
    await echo(reader, writer)


async def flood(reader, writer):
    """As many bytes as the first line asks for."""
    count = int(await reader.readline())
    block = bytes(range(256)) * 256
    while count > 0:
        writer.write(block[:count])
        count -= len(block)
        await writer.drain()
    writer.close()


async def hang_up(reader, writer):
    await reader.readline()
    writer.write(b"bye")
    await writer.drain()
    cut(writer)


async def swallow_nothing(reader, writer):
    """Never reads, so that the sender cannot go on."""
    writer.transport.pause_reading()
    await never(reader, writer)


def upgrade(context, injected=b""):
    async def serve(reader, writer):
        writer.write(b"* OK plain\r\n")
        await reader.readline()
        # What is injected comes in the same packet as the word to go on.
        writer.write(b"OK begin\r\n" + injected)
        await writer.drain()
        await writer.start_tls(context)
        await echo(reader, writer)

    return serve


async def start(certificates):
    good = tls(certificates)
    return {
        "echo": await listen(echo, good),
        "greeting": await listen(greet_then_echo, good),
        "flood": await listen(flood, good),
        "hangup": await listen(hang_up, good),
        "swallow": await listen(swallow_nothing, good),
        "upgrade": await listen(upgrade(good)),
        "injecting": await listen(upgrade(good, b"* OK injected\r\n")),
        "upgradeStranger": await listen(upgrade(tls(certificates, "stranger"))),
    }

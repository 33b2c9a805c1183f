"""An HTTP and a SOCKS5 proxy that look up every name below mail.test as 127.0.0.1, and refuse “refused”."""

import asyncio
import struct

from common import listen

asked = []


async def pump(reader, writer):
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def join(reader, writer, host, port):
    asked.append(f"{host}:{port}")
    there = await asyncio.open_connection("127.0.0.1" if host.endswith("mail.test") else host, port)
    await asyncio.gather(pump(reader, there[1]), pump(there[0], writer))


async def http(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    method, target, _ = head.decode().split(" ", 2)
    host, port = target.rsplit(":", 1)
    if method != "CONNECT" or "refused" in host:
        writer.write(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        return
    writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
    await join(reader, writer, host, int(port))


async def socks(reader, writer):
    _, count = await reader.readexactly(2)
    await reader.readexactly(count)
    writer.write(b"\x05\x00")
    _, _, _, kind = await reader.readexactly(4)
    if kind != 3:
        # An address: the name was looked up before it came here.
        writer.write(b"\x05\x08\x00\x01" + bytes(6))
        return
    host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    (port,) = struct.unpack(">H", await reader.readexactly(2))
    if "refused" in host:
        writer.write(b"\x05\x02\x00\x01" + bytes(6))
        return
    writer.write(b"\x05\x00\x00\x01" + bytes(6))
    await join(reader, writer, host, port)


async def start(certificates):
    return {"httpProxy": await listen(http), "socks": await listen(socks)}

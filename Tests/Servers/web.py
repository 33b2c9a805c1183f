"""A web server that does what it is asked, however rude."""

import asyncio
import json
import socket
import ssl
import threading
from urllib.parse import parse_qs, unquote, urlsplit

from common import cut, listen, never, tls

# How often a connection was accepted, to see which requests shared one.
accepted = 0


async def respond(writer, status, body=b"", headers=()):
    head = [f"HTTP/1.1 {status} Words", f"Content-Length: {len(body)}", *headers]
    writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)
    await writer.drain()


async def misserve(writer, path, how, headers, count):
    """Serves a file, and not as it should."""
    with open(path, "rb") as file:
        data = file.read()
    start = int(headers.get("range", "bytes=0-")[len("bytes="):-1])
    if how in ("ignores", "more", "lies") or start == 0:
        head, start = "HTTP/1.1 200 OK\r\n", 0
    else:
        head = f"HTTP/1.1 206 Partial\r\nContent-Range: bytes {start}-{len(data) - 1}/{len(data)}\r\n"
    body = data[start:]
    if how == "more":
        # Without a length it goes on until it closes.
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body + bytes(5_000_000))
        await writer.drain()
        writer.close()
        return
    length = len(body) + (1000 if how == "lies" else 0)
    writer.write(f"{head}ETag: \"1\"\r\nContent-Length: {length}\r\n\r\n".encode())
    writer.write(body[:count] if how in ("cuts", "stalls") else body)
    await writer.drain()
    if how == "cuts":
        # Let what was sent arrive: a reset overtakes it.
        await asyncio.sleep(0.2)
        cut(writer)
    elif how == "stalls":
        await asyncio.Event().wait()


async def answer(reader, writer, request):
    address = urlsplit(request["path"])
    query = {key: values[0] for key, values in parse_qs(address.query).items()}
    count = int(query.get("n", 0))
    match address.path:
        case "/echo":
            await respond(writer, int(query.get("status", 200)), json.dumps(request).encode())
        case "/length":
            body = request["body"].encode("latin-1")
            await respond(writer, 200, f"{len(body)} {sum(body)}".encode())
        case "/closing":
            await respond(writer, 200, request["body"].encode("latin-1"))
            writer.close()
        case "/pulse":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
            for number in range(count):
                await asyncio.sleep(float(query["pause"]))
                writer.write(f"data: {number}\n\n".encode())
                await writer.drain()
            writer.close()
        case "/size":
            await respond(writer, 200, b"x" * count)
        case "/cut":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"y" * count)
            await writer.drain()
            cut(writer)
        case "/hang":
            await never(reader, writer)
        case "/stall":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            await never(reader, writer)
        case "/garbage":
            writer.write(b"220 mail.test ESMTP\r\n" * 3)
            await writer.drain()
            writer.close()
        case "/headers":
            writer.write(b"HTTP/1.1 200 OK\r\n")
            for number in range(100_000):
                writer.write(f"X-{number}: {'z' * 100}\r\n".encode())
                await writer.drain()
        case "/redirect":
            location = unquote(query["to"])
            await respond(writer, int(query.get("status", 302)), b"elsewhere", [f"Location: {location}"])
        case "/circle":
            await respond(writer, 302, b"", ["Location: circle"])
        case "/file":
            await misserve(writer, query["path"], query["how"], request["headers"], count)
        case "/cookie":
            await respond(writer, 200, b"", ["Set-Cookie: a=b", "Set-Cookie: c=d"])
        case "/early":
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            await respond(writer, 200, b"late")
        case _:
            await respond(writer, 404, b"there is nothing")


async def serve(reader, writer):
    global accepted
    accepted += 1
    connection = accepted
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines if ": " in line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        await answer(reader, writer, {
            "connection": connection, "method": method, "path": path, "headers": headers,
            "body": body.decode("latin-1"), "proxied": False})


def old(context):
    """Offers TLS 1.1 and nothing newer. Not of asyncio, which does not send what is wrong."""
    door = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            client, _ = door.accept()
            try:
                context.wrap_socket(client, server_side=True).close()
            except OSError:
                client.close()

    threading.Thread(target=serve, daemon=True).start()
    return door.getsockname()[1]


async def start(certificates):
    return {
        "web": await listen(serve, tls(certificates)),
        "plain": await listen(serve),
        "expired": await listen(serve, tls(certificates, "expired")),
        "elsewhere": await listen(serve, tls(certificates, "elsewhere")),
        "stranger": await listen(serve, tls(certificates, "stranger")),
        "self": await listen(serve, tls(certificates, "self")),
        "old": old(tls(certificates, newest=ssl.TLSVersion.TLSv1_1)),
        "silent": await listen(never),
    }

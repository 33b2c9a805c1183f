"""Plays the DNS and the HTTPS of the mail domains in a file: mail_domains.py FOLDER DOMAINS.

Prints one line of JSON with the ports of the DNS and of a proxy, which leads every name to this process, and serves
until the process that started it is gone. FOLDER/ca.pem is to be trusted; FOLDER/asked lists all that was asked.
With `routes`, a domain has servers behind these names that run on this machine: `{"imap.x.example:993": 4321}`.
"""

import asyncio
import base64
import hashlib
import json
import os
import ssl
import struct
import sys
from pathlib import Path

import trustme
from common import listen

KINDS = {15: "MX", 16: "TXT", 33: "SRV"}


class Plan:
    """What every name has, made of the kinds of the file."""

    def __init__(self, path):
        content = json.loads(path.read_text())
        self.records, self.files, self.answers, self.routes = {}, {}, set(), {}
        for kind, names in content["domains"].items():
            for name in names:
                self.add(name, content["kinds"][kind]["play"])
        for name, play in content["hosters"].items():
            self.add(name, play)

    def add(self, domain, play):
        fill = lambda text: text.replace("{d}", domain).replace("{s}", domain.split(".")[0])
        if "mx" in play:
            self.records[domain, "MX"] = [
                struct.pack(">H", 10 * number) + name(fill(host)) for number, host in enumerate(play["mx"], 1)]
        for service, (target, port) in play.get("srv", {}).items():
            self.records[f"{service}._tcp.{domain}", "SRV"] = [struct.pack(">HHH", 0, 1, port) + name(fill(target))]
        for place, content in play.get("files", {}).items():
            self.files[fill(place)] = self.file(domain, {
                key: fill(value) if isinstance(value, str) else value for key, value in content.items()})
        self.answers |= {fill(place) for place in play.get("answers", [])}
        self.routes |= play.get("routes", {})

    def file(self, domain, content):
        """The bytes of a file, an address to redirect to, or None for silence."""
        if "autoconfig" in content:
            return config(domain, content["autoconfig"], content.get("security", "SSL"))
        if "pacc" in content:
            issuer = content.get("issuer")
            data = json.dumps({
                "protocols": {"imap": {"host": f"imap.{domain}"}, "smtp": {"host": f"smtp.{domain}"}},
                "authentication": {"oauth-public": {"issuer": issuer}} if issuer else {"password": True}}).encode()
            digest = base64.b64encode(hashlib.sha256(data if content["pacc"] else b"other").digest()).decode()
            text = f"v=UAAC1; a=sha256; d={digest}".encode()
            self.records[f"_ua-auto-config.{domain}", "TXT"] = [bytes([len(text)]) + text]
            return data
        if "redirect" in content:
            return content["redirect"]
        return None if content.get("silent") else content["text"].encode()

    @property
    def hosts(self):
        return {place.split("/")[0] for place in self.files} | {
            place.split(":")[0] for place in [*self.answers, *self.routes]}


def config(domain, host, security):
    ports = {"SSL": (993, 465), "STARTTLS": (143, 587), "plain": (143, 25)}[security]
    server = lambda kind, way, port: (
        f'<{way}Server type="{kind}"><hostname>{host}</hostname><port>{port}</port>'
        f"<socketType>{security}</socketType><username>%EMAILADDRESS%</username>"
        f"<authentication>password-cleartext</authentication></{way}Server>")
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<clientConfig version="1.1"><emailProvider id="{domain}">'
        f"<domain>{domain}</domain>{server('imap', 'incoming', ports[0])}{server('smtp', 'outgoing', ports[1])}"
        "</emailProvider></clientConfig>").encode()


def name(text):
    return b"".join(bytes([len(label)]) + label.encode() for label in text.split(".") if label) + b"\0"


class Names(asyncio.DatagramProtocol):
    def __init__(self, plan, asked):
        self.plan, self.asked = plan, asked

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        labels, place = [], 12
        while data[place]:
            labels.append(data[place + 1:place + 1 + data[place]].decode())
            place += data[place] + 1
        question = data[12:place + 5]
        kind = KINDS.get(struct.unpack(">H", data[place + 1:place + 3])[0], "other")
        asked = ".".join(labels).lower()
        self.asked.write(f"dns {kind} {asked}\n")
        records = self.plan.records.get((asked, kind), [])
        number = next((number for number, name in KINDS.items() if name == kind), 0)
        head = data[:2] + struct.pack(">HHHHH", 0x8180 if records else 0x8183, 1, len(records), 0, 0)
        body = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", number, 1, 60, len(record)) + record for record in records)
        self.transport.sendto(head + question + body, address)


async def serve(plan, folder, asked):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*sorted(plan.hosts)).configure_cert(context)

    async def web(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        target = head.split(" ")[1]
        host = next(line[5:].strip() for line in head.split("\r\n") if line.lower().startswith("host:"))
        place = host.split(":")[0] + target.split("?")[0]
        asked.write(f"https {host.split(':')[0]}{target}\n")
        file = plan.files.get(place, b"")
        if file is None:
            await asyncio.sleep(60)
        elif isinstance(file, str):
            writer.write(f"HTTP/1.1 302 Found\r\nLocation: {file}\r\nContent-Length: 0\r\n\r\n".encode())
        else:
            status = "200 OK" if file else "404 Not Found"
            head = f"HTTP/1.1 {status}\r\nContent-Length: {len(file)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + file)
        await writer.drain()

    port = await listen(web, context)
    places = dict.fromkeys(
        {host + ":443" for host in (place.split("/")[0] for place in plan.files)} | plan.answers, port)
    for place, other in plan.routes.items():
        places[place] = await listen(passing(other), context)

    async def proxy(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        place = head.split(" ")[1]
        asked.write(f"connect {place}\n")
        if place not in places:
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        inner = await asyncio.open_connection("127.0.0.1", places[place])
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await joined(reader, writer, *inner)

    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Names(plan, asked), local_addr=("127.0.0.1", 0))
    return {"dns": transport.get_extra_info("sockname")[1], "proxy": await listen(proxy)}


def passing(port):
    """The way to a server on this machine, whose certificate has another name."""
    context = ssl._create_unverified_context()

    async def pass_on(reader, writer):
        await joined(reader, writer, *await asyncio.open_connection("127.0.0.1", port, ssl=context))

    return pass_on


async def joined(reader, writer, inner_reader, inner_writer):
    await asyncio.gather(copy(reader, inner_writer), copy(inner_reader, writer))


async def copy(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    writer.close()


async def main():
    parent = os.getppid()
    folder = Path(sys.argv[1])
    asked = open(folder / "asked", "a", buffering=1)
    ports = await serve(Plan(Path(sys.argv[2])), folder, asked)
    print(json.dumps(ports), flush=True)
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())

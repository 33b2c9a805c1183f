"""What the test servers share."""

import asyncio
import contextlib
import ssl


def tls(certificates, name="good", oldest=None, newest=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    if newest:
        # Such versions are refused by the library itself otherwise.
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = oldest or newest
        context.maximum_version = newest
    return context


async def listen(handle, context=None):
    """Serves on a free port; a client that goes away in the middle is no news."""

    async def guarded(reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, TimeoutError):
            await handle(reader, writer)
        with contextlib.suppress(Exception):
            writer.close()

    server = await asyncio.start_server(guarded, "127.0.0.1", 0, ssl=context, limit=1 << 20)
    return server.sockets[0].getsockname()[1]


def cut(writer):
    """Closes without a goodbye of TCP or TLS."""
    writer.transport.abort()


async def never(reader, writer):
    await asyncio.Event().wait()

"""Servers for the tests of Network, on free ports of 127.0.0.1: serve.py CERTIFICATES.

Prints one line of JSON, what listens where, and serves until the process that started it is gone.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import proxies
import streams
import submission
import web


async def main():
    parent = os.getppid()
    certificates = Path(sys.argv[1])
    ports = {}
    for part in (web, streams, submission, proxies):
        ports.update(await part.start(certificates))
    print(json.dumps(ports), flush=True)
    # A killed test leaves nothing behind.
    while os.getppid() == parent:
        await asyncio.sleep(0.5)
    os._exit(0)


asyncio.run(main())

"""A PostgreSQL of a test's own, reached by a socket: postgresql.py.

Prints the connection string as one line, and serves until the process that started it is gone.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAMS = "/usr/lib/postgresql/15/bin"
OPTIONS = "-c listen_addresses='' -c fsync=off -c max_connections=50 -c unix_socket_directories='{}'"


def run(folder, name, *arguments):
    # PostgreSQL refuses to run as root.
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    with open(f"{folder}/log", "a") as log:
        command = [*user, f"{PROGRAMS}/{name}", "-D", f"{folder}/data", *arguments]
        environment = {**os.environ, "LC_ALL": "C"}
        result = subprocess.run(command, env=environment, cwd=folder, stdout=log, stderr=log)
    if result.returncode != 0:
        with open(f"{folder}/log") as log:
            sys.exit(f"{name} failed: {log.read()[-2000:]}")


def main():
    parent = os.getppid()
    folder = tempfile.mkdtemp(prefix="pg-")
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
    try:
        run(folder, "initdb", "-U", "mail", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
        run(folder, "pg_ctl", "-w", "-s", "-l", f"{folder}/server.log", "-o", OPTIONS.format(folder), "start")
        print(f"host={folder} user=mail dbname=postgres", flush=True)
        # No test has to clean up after one that was killed.
        while not ends and os.getppid() == parent:
            time.sleep(0.2)
        run(folder, "pg_ctl", "-m", "immediate", "-s", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()

"""A PostgreSQL server of a test's own."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
STORAGE = "org.mailkernel.postgresql"
#: Why a test is skipped.
MISSING = f"PostgreSQL is not installed in {PROGRAMS}"


def is_installed():
    return os.access(PROGRAMS / "postgres", os.X_OK)


class Postgres:
    """Reached by a socket in its folder, without a password except for the role `guarded`."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "-D", self.data, "-U", "mail", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")
        rules = self.data / "pg_hba.conf"
        rules.write_text("local all guarded scram-sha-256\n" + rules.read_text())
        self.start()

    @property
    def connection(self):
        return f"host={self.folder} user=mail dbname=postgres"

    def run(self, program, *words):
        # PostgreSQL refuses to run as root.
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
        subprocess.run([*user, PROGRAMS / program, *words], check=True, stdin=subprocess.DEVNULL, cwd=self.folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, env={**os.environ, "LC_ALL": "C"})

    def start(self):
        options = f"-c listen_addresses='' -c fsync=off -c unix_socket_directories='{self.folder}'"
        self.run("pg_ctl", "-D", self.data, "-l", self.folder / "log", "-w", "-s", "-o", options, "start")

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-s", "-m", "immediate", "stop")

    def sql(self, text):
        self.run("psql", "-h", self.folder, "-U", "mail", "-d", "postgres", "-c", text)

    def pause(self):
        """It hangs, with everything that it does."""
        self.paused = self.processes()
        for process in self.paused:
            os.kill(process, signal.SIGSTOP)

    def go_on(self):
        for process in self.paused:
            os.kill(process, signal.SIGCONT)
        self.paused = []

    paused = []

    def processes(self):
        parent = int((self.data / "postmaster.pid").read_text().split()[0])
        children = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, timeout=30).stdout
        return [parent, *map(int, children.split())]

    def close(self):
        self.go_on()
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

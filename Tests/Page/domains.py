"""Mail domains on this machine: their DNS, the files that they serve, and servers behind their names."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from room import ROOT


class Domains:
    """`Tests/Servers/mail_domains.py`. `environment` leads a program there; `plan` is a file, or what would be in it."""

    def __init__(self, plan):
        self.folder = Path(tempfile.mkdtemp(prefix="domains-"))
        if not isinstance(plan, Path):
            written = self.folder / "plan.json"
            written.write_text(json.dumps({"domains": {}, "kinds": {}, "hosters": plan}))
            plan = written
        self.process = subprocess.Popen(
            [sys.executable, "-B", ROOT / "Tests/Servers/mail_domains.py", self.folder, plan],
            stdout=subprocess.PIPE, text=True)
        ports = json.loads(self.process.stdout.readline())
        self.environment = {
            "https_proxy": f"http://127.0.0.1:{ports['proxy']}",
            "MAILKERNEL_NAME_SERVER": f"127.0.0.1:{ports['dns']}",
            "SSL_CERT_FILE": str(self.folder / "ca.pem"),
        }

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

"""A service in the shape of Gmail, on this machine."""

import imaplib
import json
import shutil
import ssl
import subprocess

import httpx
from room import ROOT

ADDRESS = "ada@example.test"


class GmailService:
    """`mail_service.py`: an OAuth server in the shape of Google's, Dovecot, a submission server."""

    def __init__(self):
        self.process = subprocess.Popen(
            [ROOT / ".build/python/bin/python", "-B", ROOT / "Tests/Servers/mail_service.py", "gmail"],
            stdout=subprocess.PIPE, text=True)
        self.place = json.loads(self.process.stdout.readline())
        self.oauth = f"https://localhost:{self.place['oauth']}"

    def client(self):
        context = ssl.create_default_context(cafile=self.place["certificate"])
        with httpx.Client(verify=context, trust_env=False) as asking:
            return asking.post(f"{self.oauth}/_test/client").raise_for_status().json()

    def graph(self, place, message=None):
        """Puts a message into an inbox of Microsoft Graph, or lists the subjects of a folder there."""
        context = ssl.create_default_context(cafile=self.place["certificate"])
        with httpx.Client(verify=context, trust_env=False) as asking:
            address = f"{self.oauth}/_test/graph/{place}"
            answer = asking.post(address, content=message) if message else asking.get(address)
            return answer.raise_for_status().json()

    def mailbox(self, address):
        context = ssl.create_default_context(cafile=self.place["certificate"])
        mailbox = imaplib.IMAP4_SSL("localhost", self.place["imaps"], ssl_context=context)
        mailbox.login(address, "password-for-tests")
        return mailbox

    def subjects(self, name, address):
        with self.mailbox(address) as mailbox:
            mailbox.select(name, readonly=True)
            found = mailbox.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")[1]
            return [part[1].decode().strip().removeprefix("Subject: ") for part in found if isinstance(part, tuple)]

    def fill(self, count=50, address=ADDRESS):
        """Mail that is there before."""
        with self.mailbox(address) as mailbox:
            for number in range(count):
                mailbox.append("INBOX", None, None, (
                    f"From: Grace <grace@example.test>\r\nTo: {address}\r\nSubject: Number {number}\r\n"
                    f"Message-ID: <{number}@example.test>\r\n\r\nHello.\r\n").encode())

    def configure(self, folder):
        """Makes a program whose configuration this is use it in place of Google's."""
        (folder / "plugins").mkdir(parents=True, exist_ok=True)
        shutil.copy(self.place["certificate"], folder / "certificates.pem")
        (folder / "plugins/org.mailkernel.gmail.json").write_text(json.dumps({
            "hosts": ["localhost"], "authorizationUrl": f"{self.oauth}/o/oauth2/v2/auth",
            "tokenUrl": f"{self.oauth}/token", "revocationUrl": f"{self.oauth}/revoke",
            "imap": {"host": "localhost", "port": self.place["imaps"]},
            "submission": {"host": "localhost", "port": self.place["submissions"]}}))

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)

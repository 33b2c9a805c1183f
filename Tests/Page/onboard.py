#!/usr/bin/env python3
"""Drives onboarding from the welcome to the inbox in Chromium, with Gmail's sign-in against the local servers of
Tests/Servers. Prints {"seconds": …} for each of several tries. Runs the release build, which `make build` makes."""

import imaplib
import json
import re
import shutil
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

import httpx
import room
from playwright.sync_api import expect
from room import Browser, Program, ROOT, WIDE

room.PROGRAM = ROOT / ".build/release/mailkernel"
ADDRESS = "ada@example.test"
TRIES = 3


class Service:
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

    def fill(self, count=50):
        """Mail that is there before."""
        context = ssl.create_default_context(cafile=self.place["certificate"])
        with imaplib.IMAP4_SSL("localhost", self.place["imaps"], ssl_context=context) as mailbox:
            mailbox.login(ADDRESS, "password-for-tests")
            for number in range(count):
                mailbox.append("INBOX", None, None, (
                    f"From: Grace <grace@example.test>\r\nTo: {ADDRESS}\r\nSubject: Number {number}\r\n"
                    f"Message-ID: <{number}@example.test>\r\n\r\nHello.\r\n").encode())

    def settings(self):
        return {
            "hosts": ["localhost"], "authorizationUrl": f"{self.oauth}/o/oauth2/v2/auth",
            "tokenUrl": f"{self.oauth}/token", "revocationUrl": f"{self.oauth}/revoke",
            "imap": {"host": "localhost", "port": self.place["imaps"]},
            "submission": {"host": "localhost", "port": self.place["submissions"]}}

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def drive(service):
    folder = Path(tempfile.mkdtemp(prefix="onboard-"))
    try:
        (folder / "config/plugins").mkdir(parents=True)
        shutil.copy(service.place["certificate"], folder / "config/certificates.pem")
        (folder / "config/plugins/org.mailkernel.gmail.json").write_text(json.dumps(service.settings()))
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        program = Program("--vault-key-file", str(key), folder=folder)
        try:
            return walk(program, service.client())
        finally:
            program.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def walk(program, client):
    """The seconds from the welcome to the first message in the inbox."""
    context = Browser.get().new_context(
        viewport=WIDE, base_url=f"http://{program.place}", ignore_https_errors=True)
    context.request.get(program.link)
    page = context.new_page()
    began = time.monotonic()
    page.goto("/")
    button(page, "Continue").click()
    button(page, "Add Account").click()
    for name, value in (("address", ADDRESS), ("clientId", client["id"]), ("clientSecret", client["secret"])):
        page.locator(f"[name={name}]").fill(value)
    # The page opens the service's by itself.
    with context.expect_page() as opened:
        button(page, "Continue").click()
    tab = opened.value
    tab.locator("[name=email]").fill(ADDRESS)
    tab.get_by_role("button", name="Allow").click()
    expect(tab.get_by_text("You are signed in.")).to_be_visible()
    # Whoever has read that goes back; a page behind another tab is drawn once a second.
    tab.close()
    expect(page.get_by_role("list", name="Added accounts")).to_contain_text(ADDRESS, timeout=30_000)
    button(page, "Next").click()
    expect(page.get_by_role("heading", name="Protect your data")).to_be_visible()
    button(page, "Next").click()
    page.get_by_role("button", name=re.compile("^Skip")).click()
    button(page, "Go to Inbox").click()
    page.wait_for_selector(".row:not(.row-empty)", timeout=30_000)
    seconds = time.monotonic() - began
    context.close()
    return seconds


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def main():
    service = Service()
    try:
        service.fill()
        for _ in range(TRIES):
            print(json.dumps({"seconds": drive(service)}), flush=True)
    finally:
        Browser.close()
        service.stop()


if __name__ == "__main__":
    main()

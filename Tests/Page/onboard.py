#!/usr/bin/env python3
"""Drives onboarding in Chromium against the local servers of Tests/Servers: from the welcome to the inbox with Gmail's
sign-in, and from an address to the first message that can be read, with an app password. Prints {"seconds": …} and
{"readable": …} for each of several tries. Runs the release build, which `make build` makes."""

import json
import re
import shutil
import tempfile
import time
from pathlib import Path

import room
from gmail_service import ADDRESS, GmailService
from playwright.sync_api import expect
from room import Browser, Program, ROOT, WIDE

room.PROGRAM = ROOT / ".build/release/mailkernel"
TRIES = 3
PASSWORD = "password-for-tests"


def drive(service, walk):
    folder = Path(tempfile.mkdtemp(prefix="onboard-"))
    try:
        service.configure(folder / "config")
        key = folder / "key"
        key.write_text("a passphrase of the vault")
        key.chmod(0o600)
        program = Program("--vault-key-file", str(key), folder=folder)
        try:
            return walk(program, service)
        finally:
            program.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def first_message(program, service):
    """The seconds from the typed address to a message that can be read."""
    context = Browser.get().new_context(viewport=WIDE, base_url=f"http://{program.place}")
    context.request.get(program.link)
    page = context.new_page()
    page.goto("/")
    button(page, "Continue").click()
    page.get_by_label("Mail address").fill("ada@gmail.com")
    began = time.monotonic()
    page.keyboard.press("Enter")
    page.get_by_role("list", name="Ways to sign in").get_by_role("button", name=re.compile("app password")).click()
    page.get_by_label("App password", exact=True).fill(PASSWORD)
    button(page, "Continue").click()
    expect(page.get_by_role("list", name="Added accounts")).to_contain_text("ada@gmail.com", timeout=30_000)
    to_the_inbox(page)
    page.locator(".row:not(.row-empty)").first.click()
    expect(page.frame_locator(".mail-frame >> nth=-1").locator("body")).to_contain_text("Hello.")
    seconds = time.monotonic() - began
    context.close()
    return seconds


def welcome_to_inbox(program, service):
    """The seconds from the welcome to the first message in the inbox."""
    client = service.client()
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
    # A user who has read that goes back; a page behind another tab is drawn once a second.
    tab.close()
    expect(page.get_by_role("list", name="Added accounts")).to_contain_text(ADDRESS, timeout=30_000)
    to_the_inbox(page)
    seconds = time.monotonic() - began
    context.close()
    return seconds


def to_the_inbox(page):
    """The steps after an account was added, and its first mail."""
    button(page, "Next").click()
    expect(page.get_by_role("heading", name="Protect your data")).to_be_visible()
    button(page, "Next").click()
    page.get_by_role("button", name=re.compile("^Skip")).click()
    button(page, "Go to Inbox").click()
    page.wait_for_selector(".row:not(.row-empty)", timeout=30_000)


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def main():
    service = GmailService()
    try:
        service.fill()
        service.fill(address="ada@gmail.com")
        for _ in range(TRIES):
            print(json.dumps({"seconds": drive(service, welcome_to_inbox)}), flush=True)
            print(json.dumps({"readable": drive(service, first_message)}), flush=True)
    finally:
        Browser.close()
        service.stop()


if __name__ == "__main__":
    main()

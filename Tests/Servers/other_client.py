"""A mail program that knows nothing of ours, for tests: a plain IMAP client.

    other_client.py fill PORT USER COUNT          adds messages to the inbox
    other_client.py spread PORT USER COUNT        adds messages to each of several mailboxes
    other_client.py act PORT USER SEED STEPS      changes this and that, as a user would
    other_client.py redraft PORT USER NUMBER      replaces the one draft there is, as a program on another device
    other_client.py show PORT USER                prints all that there is, as JSON
    other_client.py read PORT USER                prints the messages of the inbox, in Base64, as JSON
"""

import base64
import imaplib
import json
import random
import re
import ssl
import sys
import time

import dovecot

FLAGS = ["\\Seen", "\\Flagged", "\\Answered"]
FOLDERS = ["INBOX", "Archive", "Trash", "Sent"]


def message(name):
    return (
        f"From: Grace <grace@example.test>\r\nTo: ada@example.test\r\nSubject: About {name}\r\n"
        f"Message-ID: <{name}@other.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n"
        f"Some words about {name}.\r\n").encode()


def connect(port, user):
    context = ssl._create_unverified_context()
    client = imaplib.IMAP4_SSL("localhost", port, ssl_context=context)
    client.authenticate("PLAIN", lambda _: f"\0{user}\0{dovecot.PASSWORD}".encode())
    return client


def fill(client, count):
    for number in range(count):
        date = imaplib.Time2Internaldate(time.time() - number * 60)
        client.append("INBOX", None, date, message(f"m{number}"))


def spread(client, count):
    for folder in FOLDERS:
        for number in range(count):
            date = imaplib.Time2Internaldate(time.time() - number * 60)
            client.append(folder, None, date, message(f"{folder}-{number}"))


def act(client, seed, steps):
    dice = random.Random(seed)
    for step in range(steps):
        time.sleep(dice.random() * 0.05)
        folder = dice.choice(FOLDERS)
        client.select(folder)
        uids = client.uid("SEARCH", "ALL")[1][0].split()
        kind = dice.randrange(10)
        if kind < 2 or not uids:
            client.append(folder, None, imaplib.Time2Internaldate(time.time()), message(f"o{seed}-{step}"))
            continue
        uid = dice.choice(uids).decode()
        if kind < 6:
            client.uid("STORE", uid, dice.choice(["+FLAGS", "-FLAGS"]), f"({dice.choice(FLAGS)})")
        elif kind < 8:
            client.uid("MOVE", uid, dice.choice([name for name in FOLDERS if name != folder]))
        elif kind < 9:
            client.uid("COPY", uid, dice.choice(FOLDERS))
        else:
            client.uid("STORE", uid, "+FLAGS", "(\\Deleted)")
            client.uid("EXPUNGE", uid)


def redraft(client, number):
    client.select("Drafts")
    [uid] = client.uid("SEARCH", "ALL")[1][0].split()
    head = client.uid("FETCH", uid, "(BODY.PEEK[HEADER.FIELDS (FROM TO SUBJECT)])")[1][0][1]
    new = (
        f"Message-ID: <elsewhere{number}@other.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n"
        ).encode() + head + f"Written elsewhere {number}".encode()
    date = imaplib.Time2Internaldate(time.time() + 3600)
    client.append("Drafts", "(\\Draft \\Seen)", date, new)
    client.uid("STORE", uid, "+FLAGS", "(\\Deleted)")
    client.uid("EXPUNGE", uid)


def read(client):
    client.select("INBOX", readonly=True)
    uids = client.uid("SEARCH", "ALL")[1][0].split()
    messages = [client.uid("FETCH", uid, "(BODY.PEEK[])")[1][0][1] for uid in uids]
    print(json.dumps([base64.b64encode(message).decode() for message in messages]))


def show(client):
    shown = {}
    for line in client.list()[1]:
        name = re.match(rb'\(.*?\) "." "?(.*?)"?$', line)[1].decode()
        client.select(f'"{name}"', readonly=True)
        shown[name] = []
        if client.uid("SEARCH", "ALL")[1][0]:
            answer = client.uid("FETCH", "1:*", "(FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])")[1]
            for head, header in (part for part in answer if isinstance(part, tuple)):
                flags = set(re.search(rb"FLAGS \((.*?)\)", head)[1].decode().split()) & set(FLAGS)
                found = re.search(rb"<(.*?)>", header)
                shown[name].append(" ".join([found[1].decode() if found else "?"] + sorted(flags)))
        shown[name].sort()
    print(json.dumps(shown))


def main():
    action, port, user, *more = sys.argv[1:]
    client = connect(int(port), user)
    {"fill": fill, "spread": spread, "act": act, "redraft": redraft, "show": show, "read": read}[action](client, *map(int, more))
    client.logout()


main()

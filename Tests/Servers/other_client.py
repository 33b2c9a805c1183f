"""A mail program that knows nothing of ours, for tests: a plain IMAP client.

    other_client.py fill PORT USER COUNT          adds messages to the inbox
    other_client.py spread PORT USER COUNT        adds messages to each of several mailboxes
    other_client.py days PORT USER COUNT          adds a message for each day, from today back
    other_client.py act PORT USER SEED STEPS      changes this and that, as a user would
    other_client.py redraft PORT USER NUMBER      replaces the one draft there is, as a program on another device
    other_client.py load PORT USER FOLDER         adds the messages of a Maildir, one for each minute until now
    other_client.py all PORT USER                 fetches everything and prints how many seconds that took
    other_client.py round PORT USER NUMBER        adds 10 messages, flags 100 others, and prints when it was done
    other_client.py deliver PORT USER NUMBER      adds one message to the inbox, and prints when it was there
    other_client.py burst PORT USER NUMBER        adds 1,000 messages at once, and prints when they were there
    other_client.py listen PORT USER COUNT        prints when the server told of each of so many messages
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
from pathlib import Path

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


def days(client, count):
    for number in range(count):
        date = imaplib.Time2Internaldate(time.time() - number * 86_400 - 3_600)
        client.append("INBOX", None, date, message(f"day{number}"))


def load(client, folder):
    """As many as can be in one command, for a mailbox may be large."""
    paths = sorted(Path(folder, "cur").iterdir(), key=lambda path: int(path.name.split(".")[0]))
    flags = {"F": "\\Flagged", "R": "\\Answered", "S": "\\Seen"}
    now = time.time()
    for start in range(0, len(paths), 500):
        parts = []
        for number, path in enumerate(paths[start:start + 500], start):
            content = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
            words = " ".join(flags[letter] for letter in path.name.rpartition(",")[2])
            parts.append((words, now - (len(paths) - number) * 60, content))
        append_all(client, parts)


def append_all(client, messages):
    """In one command, so that all of them are there at the same moment."""
    parts = [b""]
    for words, when, content in messages:
        date = imaplib.Time2Internaldate(when)
        parts.append(f"({words}) {date} {{{len(content)}+}}\r\n".encode() + content)
    tag = client._new_tag()
    client.send(tag + b" APPEND INBOX" + b" ".join(parts) + b"\r\n")
    while not (line := client.readline()).startswith(tag):
        if not line:
            raise EOFError
    if b" OK " not in line:
        raise RuntimeError(line)


def all_of_it(client):
    client.select("INBOX", readonly=True)
    began = time.perf_counter()
    client.send(b"a1 UID FETCH 1:* (UID FLAGS BODY.PEEK[])\r\n")
    tail = b""
    while b"\r\na1 OK" not in tail:
        tail = tail[-4000:] + client.sock.recv(1 << 20)
    print(time.perf_counter() - began)


def one_round(client, number):
    client.select("INBOX")
    # A flag that other programs keep as well: of keywords mbsync and notmuch learn nothing.
    uids = client.uid("SEARCH", "UNFLAGGED")[1][0].split()
    chosen = b",".join(random.Random(number).sample(uids, 100)).decode()
    for one in range(10):
        client.append("INBOX", None, imaplib.Time2Internaldate(time.time()), message(f"round{number}x{one}"))
    client.uid("STORE", chosen, "+FLAGS.SILENT", "(\\Flagged)")
    print(time.time())


def deliver(client, number):
    client.append("INBOX", None, imaplib.Time2Internaldate(time.time()), message(f"news{number}"))
    print(time.time())


def burst(client, number):
    """Of each 25, one is of each group. They came within the last four minutes."""
    now = time.time() - 250
    append_all(client, [("", now + one / 4, message(f"burst{number}-g{one % 25:02}-{one}")) for one in range(1000)])
    print(time.time())


def listen(client, count):
    """With IDLE, as this program does. Prints when it was told of the first message that came, of the second, and so
    on: a server may tell of some together."""
    before = int(client.select("INBOX", readonly=True)[1][0])
    told = 0
    client.send(client._new_tag() + b" IDLE\r\n")
    client.readline()
    print("listening", flush=True)
    while told < count:
        line = client.readline()
        if not line:
            raise EOFError
        if b" EXISTS" in line:
            come = int(line.split()[1]) - before
            for number in range(told + 1, come + 1):
                print(f"told {number} {time.time()}", flush=True)
            told = come
    client.send(b"DONE\r\n")
    client.readline()


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
    if action == "load":
        return load(client, *more)
    {"fill": fill, "spread": spread, "days": days, "act": act, "redraft": redraft, "show": show, "read": read,
     "all": all_of_it, "deliver": deliver, "round": one_round, "burst": burst, "listen": listen}[action](client, *map(int, more))
    client.logout()


main()

"""A day's work with jmap-engine, which signs in with a password.

Usage: with_jmap_engine.py HOST:PORT TOKEN CERTIFICATE. It knows the certificate by REQUESTS_CA_BUNDLE."""

import sys
import threading

import day
import ready
from jmap_engine import JMAPClient

ready.wait(*sys.argv[1:])
client = JMAPClient(f"https://{sys.argv[1]}", "me", sys.argv[2])
client.connect()
tree = client.get_mailbox_tree()
assert tree.get_by_role("inbox") and client.get_identities()
inbox = tree.get_by_role("inbox").id
found = client.query_emails({"inMailbox": inbox}, [{"property": "receivedAt", "isAscending": False}], 3)
assert [email["id"] for email in client.get_emails(found, ["subject"])] == found
heard = threading.Event()


def listen():
    url = client.session.event_source_url.replace("{types}", "Email").replace("{closeafter}", "state")
    if "event: state" in client.session.session.get(url.replace("{ping}", "0"), timeout=120).text:
        heard.set()


threading.Thread(target=listen, daemon=True).start()


def call(calls):
    answer = client.make_request([[name, arguments, str(index)] for index, (name, arguments) in enumerate(calls)], day.USING)
    return [arguments for name, arguments, _ in answer["methodResponses"]]


session = {"primaryAccounts": client.session.primary_accounts, "accounts": client.session.accounts}
day.Day(session, call).work("jmap-engine")
assert heard.wait(20), "no event came"
print("event")

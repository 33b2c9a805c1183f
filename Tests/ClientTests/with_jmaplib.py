"""Drives the program with jmaplib: session, query, get, set, upload, download, send, event source.

Usage: with_jmaplib.py HOST:PORT TOKEN CERTIFICATE."""

import ssl
import sys
import threading

import httpx
import ready
from jmap import CreationRef
from jmap.auth import BearerAuth
from jmap.client import JMAPClient
from jmap.push import EventSourceClient

place, token, certificate = sys.argv[1:]
ready.wait(place, token, certificate)
http = httpx.Client(follow_redirects=True, verify=ssl.create_default_context(cafile=certificate))
client = JMAPClient.connect(f"https://{place}/.well-known/jmap", auth=BearerAuth(token), http=http)
# Blobs belong to no capability, so the account has to be chosen where there are several.
client.default_account = client.session.primary_accounts["urn:ietf:params:jmap:mail"]
assert client.echo(hello=True) == {"hello": True}
print("session", client.session.username)

with client.batch() as batch:
    mailboxes = batch.mail.mailbox.get(ids=None)
    identities = batch.submission.identity.get(ids=None)
boxes = {box.role: box for box in mailboxes.result.items if box.role}
identity = identities.result.items[0]

with client.batch() as batch:
    found = batch.mail.email.query(
        filter={"inMailbox": boxes["inbox"].id}, sort=[{"property": "receivedAt", "isAscending": False}],
        limit=10, calculate_total=True)
    emails = batch.mail.email.get(ids=found.ref_ids(), properties=["subject", "from", "receivedAt", "threadId"])
assert found.result.total > 0 and len(emails.result.items) == min(10, found.result.total)
print("query", found.result.total)

state = emails.result.state
blob = client.upload("Grüße\n".encode(), content_type="text/plain")
assert client.download(blob.blob_id) == "Grüße\n".encode()

heard = threading.Event()


def listen():
    for event in EventSourceClient(client).events():
        if any("Email" in changed for changed in getattr(event, "changed", {}).values()):
            heard.set()
            return


threading.Thread(target=listen, daemon=True).start()

with client.batch() as batch:
    batch.mail.email.set(create={"draft": {
        "mailboxIds": {boxes["drafts"].id: True}, "keywords": {"$draft": True}, "subject": "From jmaplib ☂",
        "from": [{"name": identity.name, "email": identity.email}], "to": [{"email": identity.email}],
        "textBody": [{"partId": "1", "type": "text/plain"}], "bodyValues": {"1": {"value": "Written with jmaplib."}},
        "attachments": [{"blobId": blob.blob_id, "type": "text/plain", "name": "note.txt"}]}})
    sending = batch.submission.email_submission.set(create={"send": {
        "emailId": CreationRef("draft"), "identityId": identity.id}})
submission = sending.result.created_id("send")
print("draft and submission", submission)

for _ in range(300):
    with client.batch() as batch:
        arrived = batch.mail.email.query(filter={"inMailbox": boxes["inbox"].id, "subject": "jmaplib"})
    if arrived.result.ids:
        break
    # An event may have come before the stream was open.
    with client.batch() as batch:
        batch.mail.email.set(update={emails.result.items[0].id: {"keywords/heard": None if heard.is_set() else True}})
    threading.Event().wait(0.1)
else:
    raise SystemExit("it did not arrive")
print("sent")

with client.batch() as batch:
    changes = batch.mail.email.changes(since_state=state)
assert changes.result.created
assert heard.wait(20), "no event came"
print("event")

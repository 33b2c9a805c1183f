"""Drives the program with jmapc: session, query, get, set, upload, download, send, event source.

Usage: with_jmapc.py HOST:PORT TOKEN CERTIFICATE. jmapc knows the certificate by REQUESTS_CA_BUNDLE."""

import sys
import tempfile
import threading
from pathlib import Path

import jmapc
import ready
from jmapc import Client, Comparator, EmailAddress, EmailBodyPart, EmailBodyValue, EmailHeader, MailboxQueryFilterCondition, Ref
from jmapc.methods import (
    EmailGet, EmailGetResponse, EmailQuery, EmailSet, EmailSubmissionGet, EmailSubmissionSet, IdentityGet,
    MailboxGet, MailboxQuery, ThreadGet,
)

ready.wait(*sys.argv[1:])
client = Client.create_with_api_token(sys.argv[1], sys.argv[2])
assert client.jmap_session.capabilities.core.max_objects_in_get == 1000
print("session", client.account_id)

boxes = {box.role: box for box in client.request(MailboxGet(ids=None)).data if box.role}
assert "drafts" in boxes and "sent" in boxes
found = client.request(MailboxQuery(filter=MailboxQueryFilterCondition(role="inbox")))
assert found.ids == [boxes["inbox"].id]
print("mailboxes", len(boxes))

answers = client.request([
    EmailQuery(collapse_threads=True, filter=jmapc.EmailQueryFilterCondition(in_mailbox=boxes["inbox"].id),
               sort=[Comparator(property="receivedAt", is_ascending=False)], limit=10),
    EmailGet(ids=Ref("/ids"), properties=["threadId", "subject", "from", "receivedAt"]),
    ThreadGet(ids=Ref("/list/*/threadId")),
])
emails = answers[1].response.data
assert 0 < len(emails) <= 10 and all(email.thread_id for email in emails)
assert [email.id for email in emails] == answers[0].response.ids
assert len(answers[2].response.data) == len(emails)
print("query", len(emails))

heard = threading.Event()
listening = threading.Event()


def listen():
    listening.set()
    for event in client.events:
        if any(state.email for state in event.data.changed.values()):
            heard.set()
            return


threading.Thread(target=listen, daemon=True).start()
listening.wait()

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "note.txt")
    file.write_text("Grüße aus dem Anhang\n")
    blob = client.upload_blob(file)
    assert blob.size == file.stat().st_size

identity = client.request(IdentityGet()).data[0]
own = identity.email
draft = jmapc.Email(
    mail_from=[EmailAddress(name=identity.name, email=own)], to=[EmailAddress(email=own)], subject="From jmapc ☂",
    keywords={"$draft": True}, mailbox_ids={boxes["drafts"].id: True},
    body_values={"body": EmailBodyValue(value="Written with jmapc.")},
    text_body=[EmailBodyPart(part_id="body", type="text/plain")],
    attachments=[EmailBodyPart(blob_id=blob.id, type="text/plain", name="note.txt", disposition="attachment")],
)
created = client.request(EmailSet(create={"draft": draft}), raise_errors=True).created["draft"]
read = client.request(EmailGet(ids=[created.id], fetch_all_body_values=True), raise_errors=True)
assert isinstance(read, EmailGetResponse) and read.data[0].subject == "From jmapc ☂"
assert any("Written with jmapc." in value.value for value in read.data[0].body_values.values())
with tempfile.TemporaryDirectory() as folder:
    client.download_attachment(read.data[0].attachments[0], Path(folder, "copy"))
    assert Path(folder, "copy").read_text() == "Grüße aus dem Anhang\n"
print("draft", created.id)

assert heard.wait(20), "no event came"
print("event")

updated = client.request(EmailSet(update={created.id: {"keywords/$flagged": True}}), raise_errors=True)
assert created.id in updated.updated

sent = client.request(
    EmailSubmissionSet(
        on_success_update_email={"#send": {
            f"mailboxIds/{boxes['drafts'].id}": None, f"mailboxIds/{boxes['sent'].id}": True, "keywords/$draft": None}},
        create={"send": jmapc.EmailSubmission(email_id=created.id, identity_id=identity.id)}),
    raise_errors=True)
first = sent[0] if isinstance(sent, list) else sent
submission = getattr(first, "response", first).created["send"].id
for _ in range(300):
    state = client.request(EmailSubmissionGet(ids=[submission]), raise_errors=True).data[0]
    if state.undo_status.value == "final":
        break
    threading.Event().wait(0.1)
else:
    raise SystemExit("it was not sent")
for _ in range(300):
    arrived = client.request(EmailQuery(filter=jmapc.EmailQueryFilterCondition(
        in_mailbox=boxes["inbox"].id, text="jmapc")), raise_errors=True)
    if arrived.ids:
        break
    threading.Event().wait(0.1)
else:
    raise SystemExit("it did not arrive")
print("sent")

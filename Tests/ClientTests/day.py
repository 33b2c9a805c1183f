"""A day's work with mail, by whatever client makes the calls: find, read, flag, file, write, send, call back, and the
settings of the account."""

import base64
import hashlib
import threading

MAIL = "urn:ietf:params:jmap:mail"
USING = ["urn:ietf:params:jmap:" + name for name in ["core", "mail", "submission", "vacationresponse", "sieve", "blob"]]


class Day:
    def __init__(self, session, call):
        """`call` takes calls without their ids and returns the arguments of their answers; an error ends the test."""
        self.session, self.call = session, call
        self.account = session["primaryAccounts"][MAIL]

    def one(self, method, **arguments):
        return self.call([[method, {"accountId": self.account, **arguments}]])[0]

    def work(self, name):
        self.look()
        self.file()
        blob = self.blobs()
        self.settings()
        self.write(name, blob)
        self.take_back(name)

    def look(self):
        self.boxes = {box["role"]: box["id"] for box in self.one("Mailbox/get", ids=None)["list"] if box["role"]}
        self.identity = self.one("Identity/get", ids=None)["list"][0]
        found = self.one("Email/query", filter={"inMailbox": self.boxes["inbox"]}, limit=5,
                         sort=[{"property": "receivedAt", "isAscending": False}])
        emails = self.one("Email/get", ids=found["ids"], properties=["subject", "threadId", "blobId", "textBody", "bodyValues"],
                          fetchTextBodyValues=True)["list"]
        assert len(emails) == len(found["ids"]) > 0 and all(email["bodyValues"] for email in emails)
        self.email = emails[0]
        word = max(self.email["subject"].split(), key=len)
        assert self.one("Email/query", filter={"text": word})["ids"], word
        print("looked", len(emails))

    def file(self):
        email = self.email["id"]
        made = self.one("Mailbox/set", create={"box": {"name": "From another client"}})
        box = made["created"]["box"]["id"]
        self.update(email, {"keywords/$flagged": True, "keywords/$seen": True})
        assert self.get(email, "keywords")["$flagged"]
        limit = self.session["accounts"][self.account]["accountCapabilities"][MAIL]["maxMailboxesPerEmail"]
        before = self.get(email, "mailboxIds")
        if limit is None:
            self.update(email, {f"mailboxIds/{box}": True})
            assert self.get(email, "mailboxIds") == {**before, box: True}
        else:
            both = self.one("Email/set", update={email: {f"mailboxIds/{box}": True}})
            assert both["notUpdated"][email]["type"] == "tooManyMailboxes", both
        self.update(email, {"mailboxIds": {box: True}})
        assert self.get(email, "mailboxIds") == {box: True}
        self.update(email, {"mailboxIds": before, "keywords/$flagged": None})
        assert box in self.one("Mailbox/set", destroy=[box])["destroyed"]
        print("filed")

    def update(self, email, patch):
        answer = self.one("Email/set", update={email: patch})
        assert email in (answer["updated"] or {}), answer

    def get(self, email, name):
        return self.one("Email/get", ids=[email], properties=[name])["list"][0][name]

    def blobs(self):
        made = self.one("Blob/upload", create={"b": {"type": "text/plain", "data": [
            {"data:asText": "Grüße "}, {"data:asBase64": base64.b64encode(b"to all\n").decode()}]}})["created"]["b"]
        text = "Grüße to all\n".encode()
        assert made["size"] == len(text)
        read = self.one("Blob/get", ids=[made["id"]], properties=["data:asText", "digest:sha-256", "size"])["list"][0]
        assert read["data:asText"].encode() == text
        assert read["digest:sha-256"] == base64.b64encode(hashlib.sha256(text).digest()).decode()
        known = self.one("Blob/lookup", typeNames=["Email", "Thread", "Mailbox"], ids=[self.email["blobId"]])["list"][0]
        assert known["matchedIds"]["Email"] == [self.email["id"]]
        assert known["matchedIds"]["Thread"] == [self.email["threadId"]]
        print("blobs")
        return made["id"]

    def settings(self):
        vacation = {"isEnabled": True, "subject": "Away", "textBody": "Back on Monday."}
        assert "singleton" in self.one("VacationResponse/set", update={"singleton": vacation})["updated"]
        assert self.one("VacationResponse/get", ids=["singleton"])["list"][0]["textBody"] == "Back on Monday."
        self.one("VacationResponse/set", update={"singleton": {"isEnabled": False}})
        script = self.one("Blob/upload", create={"s": {"data": [{"data:asText": "keep;\r\n"}]}})["created"]["s"]["id"]
        assert self.one("SieveScript/validate", blobId=script)["error"] is None
        made = self.one("SieveScript/set", create={"s": {"name": "From another client", "blobId": script}})
        kept = made["created"]["s"]["id"]
        assert kept in self.one("SieveScript/set", destroy=[kept])["destroyed"]
        print("settings")

    def draft(self, subject, blob=None):
        own = self.identity["email"]
        attachments = [{"blobId": blob, "type": "text/plain", "name": "note.txt", "disposition": "attachment"}]
        return {
            "mailboxIds": {self.boxes["drafts"]: True}, "keywords": {"$draft": True}, "subject": subject,
            "from": [{"name": self.identity["name"], "email": own}], "to": [{"email": own}],
            "textBody": [{"partId": "t", "type": "text/plain"}], "bodyValues": {"t": {"value": "Written elsewhere."}},
            "attachments": attachments if blob else []}

    def send(self, email, **more):
        return {"create": {"s": {"emailId": email, "identityId": self.identity["id"], **more}},
                "onSuccessUpdateEmail": {"#s": {
                    f"mailboxIds/{self.boxes['drafts']}": None, f"mailboxIds/{self.boxes['sent']}": True,
                    "keywords/$draft": None}}}

    def write(self, name, blob):
        made = self.one("Email/set", create={"d": self.draft(f"From {name}", blob)})["created"]["d"]["id"]
        assert self.get(made, "attachments")[0]["name"] == "note.txt"
        sent = self.one("EmailSubmission/set", **self.send(made))["created"]["s"]["id"]
        self.until("it was not sent", lambda: self.status(sent) == "final")
        wanted = {"inMailbox": self.boxes["inbox"], "subject": name}
        self.until("it did not arrive", lambda: self.one("Email/query", filter=wanted)["ids"])
        print("sent")

    def take_back(self, name):
        own = self.identity["email"]
        made = self.one("Email/set", create={"d": self.draft(f"Held by {name}")})["created"]["d"]["id"]
        envelope = {"mailFrom": {"email": own, "parameters": {"HOLDFOR": "3600"}}, "rcptTo": [{"email": own}]}
        held = self.one("EmailSubmission/set", **self.send(made, envelope=envelope))["created"]["s"]["id"]
        assert self.status(held) == "pending"
        back = self.one("EmailSubmission/set", update={held: {"undoStatus": "canceled"}})
        assert held in back["updated"] and self.status(held) == "canceled"
        print("taken back")

    def status(self, submission):
        return self.one("EmailSubmission/get", ids=[submission])["list"][0]["undoStatus"]

    @staticmethod
    def until(problem, is_met):
        for _ in range(300):
            if is_met():
                return
            threading.Event().wait(0.1)
        raise SystemExit(problem)

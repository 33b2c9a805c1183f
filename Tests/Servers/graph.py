"""Microsoft Graph as far as the plugin uses it, for the tokens of `oauth.py`: every address has a mailbox in memory.

`POST /_test/graph/ADDRESS` puts a message into an inbox, and `GET /_test/graph/ADDRESS/FOLDER` lists subjects.
"""

import base64
import datetime
import email
import email.policy
import re
import threading
from urllib.parse import parse_qs, unquote, urlsplit

from flask import Blueprint, Response, jsonify, request

import oauth

FOLDERS = ("inbox", "sentitems", "drafts", "deleteditems", "junkemail", "archive", "outbox")
SIZE, VERB = "Integer 0xe08", "Integer 0x1081"
NOT_FOUND = (404, {"error": {"code": "ErrorItemNotFound", "message": "The object was not found in the store."}})

graph = Blueprint("graph", "graph")
boxes, lock = {}, threading.RLock()


class Message:
    def __init__(self, number, content, folder, is_draft):
        self.id, self.content, self.folder = f"AAkALgAA_m{number}=", content, folder
        self.header = email.message_from_bytes(content, policy=email.policy.default)
        self.received = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.verb, self.changed, self.bcc = None, number, self.people("bcc")
        self.marks = {"isRead": is_draft, "isDraft": is_draft, "flag": {"flagStatus": "notFlagged"},
                      "categories": [], "importance": "normal"}

    def people(self, field):
        found = self.header[field].addresses if self.header[field] else ()
        return [{"emailAddress": {"address": one.addr_spec}} for one in found]

    @property
    def json(self):
        properties = [{"id": SIZE, "value": str(len(self.content) + 900)}]
        if self.verb:
            properties.append({"id": VERB, "value": self.verb})
        return {
            **self.marks, "id": self.id, "receivedDateTime": self.received, "parentFolderId": folder_id(self.folder),
            "lastModifiedDateTime": str(self.changed), "internetMessageId": str(self.header["message-id"]),
            "toRecipients": self.people("to"), "ccRecipients": self.people("cc"), "bccRecipients": self.bcc,
            "singleValueExtendedProperties": properties}


def folder_id(name):
    return f"AAMk-{name}="


class Box:
    """One person's mailbox. Its version counts the changes."""

    def __init__(self, owner):
        self.owner, self.messages, self.gone, self.version = owner, {}, [], 0

    def add(self, content, folder, is_draft=False):
        self.version += 1
        made = Message(self.version, content, folder, is_draft)
        self.messages[made.id] = made
        return made

    def leaves(self, message, target=None):
        self.version += 1
        self.gone.append((self.version, message.folder, message.id))
        if target is None:
            del self.messages[message.id]
        else:
            message.folder, message.changed = target, self.version

    def within(self, folder):
        return [one for one in reversed(self.messages.values()) if one.folder == folder]

    def answer(self, method, place, body, root):
        """The status and what comes with it: JSON, or the bytes of a message."""
        address = urlsplit(place)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        path = [unquote(part) for part in re.sub(r"\('(.*?)'\)", r"/\1", address.path).strip("/").split("/")]
        match method, path:
            case "GET", ["me"]:
                return 200, {"mail": self.owner, "userPrincipalName": self.owner, "displayName": "Ada Lovelace"}
            case "GET", ["me", "mailFolders", "delta"]:
                all = [] if "$deltatoken" in query else [self.folder(name) for name in FOLDERS]
                return 200, {"value": all, "@odata.deltaLink": f"{root}/me/mailFolders/delta?$deltatoken=1"}
            case "GET", ["me", "messages"]:
                newest = sorted(self.messages.values(), key=lambda one: -one.changed)
                return 200, {"value": [one.json for one in newest[:int(query["$top"])]]}
            case "POST", ["me", "messages"]:
                return 201, self.add(base64.b64decode(body), "drafts", is_draft=True).json
            case _, ["me", "mailFolders", name, *rest]:
                name = re.sub(r"^AAMk-(.*)=$", r"\1", name)
                return self.in_folder(method, name, rest, query, body, root)
            case _, ["me", "messages", id, *rest] if id in self.messages:
                return self.with_message(method, self.messages[id], rest, body)
        return NOT_FOUND

    def folder(self, name):
        inside = self.within(name)
        return {"id": folder_id(name), "displayName": name, "parentFolderId": folder_id("msgfolderroot"),
                "isHidden": False, "totalItemCount": len(inside),
                "unreadItemCount": sum(not one.marks["isRead"] for one in inside)}

    def in_folder(self, method, name, rest, query, body, root):
        match method, rest:
            case "GET", [] if name in (*FOLDERS, "msgfolderroot"):
                return 200, self.folder(name)
            case "POST", ["messages"] if name in FOLDERS:
                return 201, self.add(base64.b64decode(body), name, is_draft=True).json
            case "GET", ["messages"] if name in FOLDERS:
                wanted = query.get("$filter", "").removeprefix("internetMessageId eq ").strip("'")
                found = [one for one in self.within(name) if wanted in ("", one.json["internetMessageId"])]
                return 200, {"value": [one.json for one in found]}
            case "GET", ["messages", "delta"] if name in FOLDERS:
                since = int(query.get("$deltatoken", 0))
                value = [one.json for one in self.within(name) if one.changed > since]
                value += [{"id": id, "@removed": {"reason": "deleted"}} for at, folder, id in self.gone
                          if folder == name and at > since > 0]
                link = f"{root}/me/mailFolders('{folder_id(name)}')/messages/delta?$deltatoken={self.version}"
                return 200, {"value": value, "@odata.deltaLink": link}
        return NOT_FOUND

    def with_message(self, method, message, rest, body):
        match method, rest:
            case "GET", ["$value"]:
                return 200, message.content
            case "GET", []:
                return 200, message.json
            case "PATCH", []:
                self.change(message, body)
                return 200, message.json
            case "POST", ["move"]:
                self.leaves(message, re.sub(r"^AAMk-(.*)=$", r"\1", body["destinationId"]))
                return 201, message.json
            case "POST", ["permanentDelete"]:
                self.leaves(message)
                return 204, None
            case "POST", ["send"] if message.marks["isDraft"]:
                message.marks["isDraft"] = False
                self.leaves(message, "sentitems")
                return 202, None
        return NOT_FOUND

    def change(self, message, patch):
        self.version += 1
        message.changed = self.version
        message.marks |= {name: value for name, value in patch.items() if name in message.marks}
        message.bcc = patch.get("bccRecipients", message.bcc)
        for one in patch.get("singleValueExtendedProperties", ()):
            if one["id"] == VERB:
                message.verb = one["value"]
            elif one["id"] == "Integer 0x0E07":
                message.marks["isDraft"] = one["value"] != "1"


def box(owner):
    return boxes.setdefault(owner, Box(owner))


@graph.route("/v1.0/<path:_>", methods=["GET", "POST", "PATCH"])
def answer(_):
    owner = oauth.user_of(request.headers.get("Authorization", "").removeprefix("Bearer "))
    if not owner:
        return jsonify(error={"code": "InvalidAuthenticationToken", "message": "The token is not valid."}), 401
    root, place = request.host_url + "v1.0", request.environ["REQUEST_URI"].removeprefix("/v1.0")
    body = request.get_json() if request.is_json else request.get_data()
    with lock:
        if unquote(place) == "/$batch":
            return jsonify(responses=[inner(box(owner), one, root) for one in body["requests"]])
        status, value = box(owner).answer(request.method, place, body, root)
    return Response(value, status) if value is None or isinstance(value, bytes) else (jsonify(value), status)


def inner(mailbox, asked, root):
    status, value = mailbox.answer(asked["method"], asked["url"], asked.get("body"), root)
    body = base64.b64encode(value).decode() if isinstance(value, bytes) else value
    return {"id": asked["id"], "status": status, "headers": {}, "body": body}


@graph.post("/_test/graph/<owner>")
def fill(owner):
    with lock:
        return jsonify(id=box(owner).add(request.get_data(), "inbox").id)


@graph.get("/_test/graph/<owner>/<folder>")
def subjects(owner, folder):
    with lock:
        return jsonify([str(one.header["subject"]) for one in box(owner).within(folder)])

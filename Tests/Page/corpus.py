"""Real messages, which are not part of this checkout, for tests that read many of them."""

import base64
import email
import subprocess

from room import PageTest, ROOT

CORPUS = ROOT.parent / "shared/corpora"
ABSENT = "The real messages are not beside this checkout."


def messages(folder=CORPUS):
    """Those with HTML."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in (".json", ".txt", ".md", ".py"):
            text = path.read_bytes()
            parts = email.message_from_bytes(text).walk()
            if any(part.get_content_type() == "text/html" for part in parts):
                yield text


class CorpusTest(PageTest):
    long = True
    options = {"bypass_csp": True}
    allowed_errors = ("404",)

    def mail_bundle(self):
        """What shows messages in their frames, as a script that sets `mail`."""
        bundle, entry = self.program.folder / "mail.js", self.program.folder / "entry.ts"
        mail = ROOT / "Sources/WebUI/mail"
        entry.write_text(f'export {{ dress }} from "{mail}/looks.ts"; export {{ fill }} from "{mail}/wrapper.ts";'
                         f'export {{ choosesColors }} from "{mail}/frameStyle.ts";')
        subprocess.run(["esbuild", entry, "--bundle", "--format=iife", "--global-name=mail", f"--outfile={bundle}"],
                       check=True, capture_output=True)
        return bundle.read_text() + ";window.mail = mail;"

    def bring(self, texts):
        """Puts messages into an inbox. Returns the account, and their ids in this order, None for a refused one."""
        account = self.mail_accounts()["mira@demo.example"]
        boxes, = self.jmap(["Mailbox/get", {"accountId": account, "ids": None}])
        inbox = next(box["id"] for box in boxes["list"] if box["role"] == "inbox")
        blobs = self.page.evaluate("""async ([account, texts]) => {
            const blobs = [];
            for (const text of texts) {
                const body = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
                const answer = await fetch(`/jmap/upload/${account}/`, {method: "POST", body});
                blobs.push((await answer.json()).blobId);
            }
            return blobs;
        }""", [account, [base64.b64encode(text).decode() for text in texts]])
        made, = self.jmap(["Email/import", {"accountId": account, "emails": {
            str(at): {"blobId": blob, "mailboxIds": {inbox: True}} for at, blob in enumerate(blobs)}}])
        created = made["created"] or {}
        return account, [created.get(str(at), {}).get("id") for at in range(len(blobs))]

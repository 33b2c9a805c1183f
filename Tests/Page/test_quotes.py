"""Real messages, answered and forwarded: what their recipients see of them looks as it did.

QUOTES=300 takes as many messages; usually a few do."""

import base64
import difflib
import os
import unittest

from corpus import ABSENT, CORPUS, CorpusTest, messages

REAL = CORPUS / "spamassassin"
COUNT = int(os.environ.get("QUOTES", 24))
#: So many messages are answered at once.
AT_ONCE = 12
#: Where pictures are to be kept, to be looked at.
PICTURES = os.environ.get("QUOTE_PICTURES")
TALLEST = 5000
#: How alike two pictures must be, of at most 1.
ALIKE = 0.95

#: What the editor hands on of a draft that is opened and not changed.
EDITED = """async (pages) => {
    const {openEditor} = await import("/editor.js");
    return pages.map((html) => {
        const place = document.createElement("div");
        const none = () => null;
        const editor = openEditor(place, {html, label: "Message", changed: none, selected: none, addImage: none,
            addFiles: none, imageURL: none, leftOut: none});
        const edited = editor.html;
        editor.destroy();
        return edited;
    });
}"""

#: Shows a message, or what it quotes, in the font of messages that are sent. Returns its texts, with places and looks.
SHOW = """([html, part]) => {
    const {body} = document;
    mail.fill(body, html);
    if (part) {
        const quoted = body.querySelector(part);
        if (!quoted) return null;
        body.querySelector("mail-body").replaceChildren(...quoted.childNodes);
    }
    mail.dress(document, {rem: 16, isDark: false, isOriginal: false, hasColors: mail.choosesColors(html)});
    document.head.querySelector("style").textContent += "body { font: 14px/1.5 Arial, Helvetica, sans-serif; }";
    const texts = [], walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.data.replace(/\\s+/g, " ").trim();
        const one = node.parentElement;
        if (!text || one.nodeName === "STYLE" || !one.checkVisibility({visibilityProperty: true})) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const {x, y, width, height} = range.getBoundingClientRect();
        const {color, fontSize, fontWeight, fontStyle} = getComputedStyle(one);
        if (width && height) texts.push([text, Math.round(x), Math.round(y), [color, fontSize, fontWeight, fontStyle].join()]);
    }
    return texts;
}"""

#: The structural similarity of two pictures at a quarter of their size, where there is anything to see in them.
COMPARE = """async (pictures) => {
    const bitmaps = await Promise.all(pictures.map((one) =>
        createImageBitmap(new Blob([Uint8Array.from(atob(one), (byte) => byte.charCodeAt(0))]))));
    const width = Math.ceil(Math.max(...bitmaps.map((one) => one.width)) / 4);
    const height = Math.ceil(Math.max(...bitmaps.map((one) => one.height)) / 4);
    const [a, b] = bitmaps.map((one) => {
        const context = new OffscreenCanvas(width, height).getContext("2d", {willReadFrequently: true});
        context.fillStyle = "#fff";
        context.fillRect(0, 0, width, height);
        context.imageSmoothingQuality = "high";
        context.drawImage(one, 0, 0, one.width / 4, one.height / 4);
        const {data} = context.getImageData(0, 0, width, height);
        return Float64Array.from({length: width * height}, (_, at) =>
            0.299 * data[4 * at] + 0.587 * data[4 * at + 1] + 0.114 * data[4 * at + 2]);
    });
    const [SIDE, C1, C2] = [8, 6.5025, 58.5225];
    let [sum, count] = [0, 0];
    for (let top = 0; top + SIDE <= height; top += 4) {
        for (let left = 0; left + SIDE <= width; left += 4) {
            let [sa, sb, saa, sbb, sab] = [0, 0, 0, 0, 0];
            for (let y = top; y < top + SIDE; y += 1) {
                for (let x = left; x < left + SIDE; x += 1) {
                    const [p, q] = [a[y * width + x], b[y * width + x]];
                    sa += p; sb += q; saa += p * p; sbb += q * q; sab += p * q;
                }
            }
            const n = SIDE * SIDE, [ma, mb] = [sa / n, sb / n];
            const [va, vb, cov] = [saa / n - ma * ma, sbb / n - mb * mb, sab / n - ma * mb];
            if (va < 1 && vb < 1 && Math.abs(ma - mb) < 1) continue;
            sum += ((2 * ma * mb + C1) * (2 * cov + C2)) / ((ma * ma + mb * mb + C1) * (va + vb + C2));
            count += 1;
        }
    }
    return count ? sum / count : 1;
}"""

PARTS = {"reply": "[data-quote=quote]", "forward": ".mk-forwarded"}


class Likeness:
    """How alike a message and its quote are."""

    def __init__(self, name, before, after, similarity):
        self.name, self.similarity = name, similarity
        words = lambda texts: " ".join(text for text, *_ in texts).split()
        before_words, after_words = words(before), words(after)
        blocks = difflib.SequenceMatcher(None, before_words, after_words, autojunk=False).get_matching_blocks()
        self.lost = len(before_words) - sum(block.size for block in blocks)
        pairs = list(zip(before, after)) if len(before) == len(after) else []
        self.moved = sum(abs(one[1] - other[1]) > 2 or abs(one[2] - other[2]) > 2 for one, other in pairs)
        self.restyled = [f"{one[0][:30]!r} {one[3]} {other[3]}" for one, other in pairs if one[3] != other[3]]
        self.total = len(before_words)

    @property
    def isAlike(self):
        return self.similarity >= ALIKE and self.lost == 0

    def __str__(self):
        looks = f"; looks changed: {len(self.restyled)}, first {self.restyled[0]}" if self.restyled else ""
        return f"{self.name}: {self.similarity:.3f}, {self.lost} of {self.total} words lost, {self.moved} moved{looks}"


@unittest.skipUnless(REAL.is_dir(), ABSENT)
class Quotes(CorpusTest):
    def test_real_messages_look_the_same_where_they_are_quoted_and_forwarded(self):
        self.jmap(["Preferences/set", {
            "accountId": "program", "update": {"singleton": {"undoSendDelaySeconds": 0}}}])
        self.jonas = self.mail_accounts()["jonas@demo.example"]
        self.paper = self.open("/mail.frame.html", viewport={"width": 720, "height": 900})
        self.paper.evaluate(self.mail_bundle())
        every = list(messages(REAL))
        chosen = [every[at * len(every) // COUNT] for at in range(min(COUNT, len(every)))]
        found = []
        for at in range(0, len(chosen), AT_ONCE):
            found += self.likenesses(at, chosen[at:at + AT_ONCE])
        alike = [one for one in found if one.isAlike]
        ranked = sorted(one.similarity for one in found)
        print(f"{len(found)} quotes of {len(chosen)} messages: {len(alike)} are alike ({ALIKE} of structural similarity, no "
              f"word lost); the median is {ranked[len(ranked) // 2]:.4f}, a twentieth are below "
              f"{ranked[len(ranked) // 20]:.3f}")
        for one in sorted(found, key=lambda one: one.similarity):
            if not one.isAlike:
                print(one)
        self.assertGreater(len(found), len(chosen) * 2 * 0.95)
        self.assertGreaterEqual(len(alike), len(found) * 0.9)

    def likenesses(self, start, texts):
        account, ids = self.bring(texts)
        asked = [(mode, at, id) for at, id in enumerate(ids) if id for mode in PARTS]
        sent = self.send(account, start, asked)
        views = self.views(account, {id for _, _, id in asked})
        arrived = self.views(self.jonas, set(sent.values()))
        likenesses, shown = [], {}
        for mode, at, id in asked:
            html, quote = views[id], arrived[sent[mode, at]]
            if not html:
                continue
            if id not in shown:
                shown[id] = self.look(html, None)
            before, after = shown[id], self.look(quote, PARTS[mode])
            name = f"{start + at:03}-{mode}"
            self.keep(name, before, after)
            similarity = self.paper.evaluate(
                COMPARE, [base64.b64encode(picture).decode() for _, picture in (before, after)])
            likenesses.append(Likeness(name, before[0], after[0], similarity))
        return likenesses

    def look(self, html, part):
        texts = self.paper.evaluate(SHOW, [html, part])
        self.assertIsNotNone(texts, "there is no quote")
        height = self.paper.evaluate("document.documentElement.getBoundingClientRect().height")
        clip = {"x": 0, "y": 0, "width": 720, "height": min(TALLEST, max(8, round(height)))}
        return texts, self.paper.screenshot(full_page=True, clip=clip)

    def keep(self, name, before, after):
        if PICTURES:
            for side, (_, picture) in (("a", before), ("b", after)):
                with open(f"{PICTURES}/{name}-{side}.png", "wb") as file:
                    file.write(picture)

    def send(self, account, start, asked):
        """Answers and forwards messages. Returns the ids of what arrived."""
        prefilled = self.jmap(*(["Draft/prefill", {"accountId": account, "mode": mode, "emailId": id}]
                                for mode, _, id in asked))
        drafts = [one["draft"] for one in prefilled]
        edited = self.page.evaluate(EDITED, [draft["html"] for draft in drafts])
        names = [f"Quoted {start + at} {mode}" for mode, at, _ in asked]
        kept = ("identityId", "mode", "sourceEmailId", "attachments", "inReplyTo", "references")
        made, = self.jmap(["Draft/set", {"accountId": account, "create": {
            f"d{at}": {**{key: draft[key] for key in kept}, "html": html, "subject": name,
                       "to": [{"email": "jonas@demo.example"}]}
            for at, (name, draft, html) in enumerate(zip(names, drafts, edited))}}])
        self.assertFalse(made.get("notCreated"))
        self.jmap(*(["Draft/send", {"accountId": account, "id": made["created"][f"d{at}"]["id"]}]
                    for at in range(len(names))))
        return {(mode, at): self.await_arrival(name) for (mode, at, _), name in zip(asked, names)}

    def await_arrival(self, subject):
        def arrived():
            _, got = self.jmap(
                ["Email/query", {"accountId": self.jonas, "filter": {"subject": f'"{subject}"'}}],
                ["Email/get", {"accountId": self.jonas, "properties": ["subject"],
                               "#ids": {"resultOf": "0", "name": "Email/query", "path": "/ids"}}])
            return next((one["id"] for one in got["list"] if one["subject"] == subject), None)

        return self.wait(arrived, seconds=60)

    def views(self, account, ids):
        got, = self.jmap(["EmailView/get", {"accountId": account, "ids": sorted(ids)}])
        return {one["id"]: one["html"] for one in got["list"]}

"""Real messages in the dark: nearly all of their text can be read."""

import unittest

from corpus import ABSENT, CORPUS, CorpusTest, messages

#: So many messages are brought at once.
AT_ONCE = 50

#: How many letters of a message can be seen, and how many of them have a contrast of 4.5 to 1; and how long it took.
MEASURE = """async ([account, ids]) => {
    const ask = async (name, values) => {
        const answer = await fetch("/jmap/api", {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({using: ["urn:ietf:params:jmap:core", "urn:mailkernel:reading"],
                methodCalls: [[name, values, "0"]]})});
        return (await answer.json()).methodResponses[0][1];
    };
    const numbers = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
    const over = ([r, g, b, a = 1], under) => [r, g, b].map((value, at) => value * a + under[at] * (1 - a));
    const light = (color) => color.map((value) => value / 255)
        .map((value) => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0.05);
    const ratio = (one, other) => { const [a, b] = [light(one), light(other)]; return Math.max(a, b) / Math.min(a, b); };
    const contrastOf = (element, look, outer) => {
        const path = [];
        for (let at = element; at; at = at.parentElement) path.unshift(look(at));
        let [ground, opacity] = [outer, 1];
        for (const style of path) {
            opacity *= Number(style.opacity);
            if (style.backgroundImage.includes("url(")) ground = null;
            const [r, g, b, a = 1] = numbers(style.backgroundColor);
            if (a > 0 && (ground || a === 1)) ground = over([r, g, b, a * opacity], ground ?? [0, 0, 0]);
        }
        const [r, g, b, a = 1] = numbers(look(element).color);
        return ground && ratio(over([r, g, b, a * opacity], ground), ground);
    };
    const frame = document.createElement("iframe");
    frame.src = "/mail.frame.html";
    frame.style.cssText = "position:fixed;inset:0;width:700px;height:800px";
    await new Promise((loaded) => { frame.onload = loaded; document.body.append(frame); });
    const inside = frame.contentDocument, look = (at) => frame.contentWindow.getComputedStyle(at);
    const found = [];
    for (const {id, html} of (await ask("EmailView/get", {accountId: account, ids})).list) {
        if (!html) continue;
        mail.fill(inside.body, html);
        const hasColors = mail.choosesColors(html), rem = 16;
        const dress = (isDark) => mail.dress(inside, {rem, isDark, isOriginal: false, hasColors});
        dress(false);
        const texts = [], walker = inside.createTreeWalker(inside.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const one = node.parentElement, letters = node.data.match(/[\\p{L}\\p{N}]/gu)?.length ?? 0;
            if (!letters || one.nodeName === "STYLE" || one.getClientRects().length === 0) continue;
            if (!one.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
            const given = contrastOf(one, look, [255, 255, 255]);
            if (given === null || given >= 1.12) texts.push([one, letters]);
        }
        const began = performance.now();
        dress(true);
        const took = performance.now() - began;
        const ratios = texts.map(([one, letters]) => [contrastOf(one, look, [31, 34, 42]), letters, one]);
        const sum = (some) => some.reduce((all, [, letters]) => all + letters, 0);
        const faint = ratios.filter(([value]) => value !== null && value < 4.49);
        found.push({all: sum(ratios), faint: sum(faint), took, hasColors, elements: inside.querySelectorAll("*").length,
            example: faint[0] && `${faint[0][0].toFixed(2)} ${faint[0][2].outerHTML.slice(0, 200)}`});
    }
    frame.remove();
    return found;
}"""


@unittest.skipUnless(CORPUS.is_dir(), ABSENT)
class Newsletters(CorpusTest):
    def test_nearly_all_text_of_real_messages_can_be_read_in_the_dark(self):
        self.page.add_script_tag(content=self.mail_bundle())
        texts = list(messages())
        self.assertGreater(len(texts), 300)
        found = []
        for at in range(0, len(texts), AT_ONCE):
            account, ids = self.bring(texts[at:at + AT_ONCE])
            found += self.page.evaluate(MEASURE, [account, [id for id in ids if id]])
        found = [one for one in found if one["all"]]
        faint, all = sum(one["faint"] for one in found), sum(one["all"] for one in found)
        slowest = max(found, key=lambda one: one["took"])
        print(f"{len(found)} messages, {sum(one['hasColors'] for one in found)} with colors: {faint} of {all} letters "
              f"are faint; the slowest took {slowest['took']:.0f} ms for {slowest['elements']} elements, the median "
              f"{sorted(one['took'] for one in found)[len(found) // 2]:.1f} ms")
        for one in sorted(found, key=lambda one: -one["faint"])[:10]:
            if one["faint"]:
                print(one["faint"], one["all"], one["example"])
        self.assertLess(faint, all / 100)

import { equal } from "../../testing/assert.ts";
import { contentID, withoutLostImages } from "./images.ts";

Deno.test("images that were never saved are left out, and those of an original stay", () => {
  const [kept, lost] = [contentID(), contentID()];
  const image = (cid: string) => `<img src="cid:${cid}" alt="x">`;
  const html = (...cids: string[]) => `<p>a${cids.map(image).join("")}b</p>`;
  equal(withoutLostImages(html(kept, lost, "1@elsewhere.example"), [{ cid: kept }, {}]), {
    html: html(kept, "1@elsewhere.example"),
    count: 1,
  });
  equal(withoutLostImages("<p>a</p>", []), { html: "<p>a</p>", count: 0 });
});

import { equal } from "../testing/assert.ts";
import { fromMatch, pieces } from "./snippets.ts";

Deno.test("a snippet is cut into marked and plain pieces", () => {
  equal(pieces("Fish &amp; <mark>chips</mark> &#39;now&#x27;"), [
    { text: "Fish & ", isMarked: false },
    { text: "chips", isMarked: true },
    { text: " 'now'", isMarked: false },
  ]);
});

Deno.test("a snippet cannot bring in anything but marks", () => {
  equal(pieces("<b>x</b> &lt;mark&gt;y"), [{ text: "<b>x</b> <mark>y", isMarked: false }]);
});

Deno.test("little stands before the first match, so that a narrow row shows the match", () => {
  const texts = (html: string) => fromMatch(pieces(html)).map(({ text }) => text);
  equal(texts("nice day. Order 596657, <mark>parcel</mark> E4D46"), ["…Order 596657, ", "parcel", " E4D46"]);
  equal(texts("Your new <mark>parcel</mark> is here"), ["Your new ", "parcel", " is here"]);
  equal(texts("<mark>parcel</mark> after parcel"), ["parcel", " after parcel"]);
  equal(texts("without a match there is nothing to cut"), ["without a match there is nothing to cut"]);
  equal(texts(`${"界".repeat(30)}<mark>山</mark>`), [`…${"界".repeat(16)}`, "山"]);
});

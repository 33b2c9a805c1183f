import { equal } from "../testing/assert.ts";
import { pieces } from "./snippets.ts";

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

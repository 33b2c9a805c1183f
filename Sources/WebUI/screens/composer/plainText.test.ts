import { equal } from "../../testing/assert.ts";
import { htmlOf } from "./plainText.ts";

Deno.test("plain text becomes paragraphs, lines and quotes", () => {
  const cases: [string, string][] = [
    ["", "<p></p>"],
    ["One\ntwo\n\nthree < four & five", "<p>One<br>two</p><p>three &lt; four &amp; five</p>"],
    [
      "Yes.\n\nAna wrote:\n> Shall we?\n> > Or not?\n>\n> Ana\n",
      '<p>Yes.</p><p>Ana wrote:</p><blockquote type="cite"><p>Shall we?</p><blockquote type="cite"><p>Or not?</p>' +
      "</blockquote><p>Ana</p></blockquote>",
    ],
  ];
  for (const [text, html] of cases) equal(htmlOf(text), html);
});

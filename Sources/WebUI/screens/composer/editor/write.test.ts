import { equal } from "../../../testing/assert.ts";
import { isAsInserted } from "./parts.ts";
import type { Mark, Node } from "./prosemirror.ts";
import { schema } from "./schema.ts";
import { writeHTML } from "./write.ts";

const { marks } = schema;
const text = (words: string, ...set: Mark[]) => schema.text(words, set);
const p = (...content: Node[]) => schema.node("paragraph", null, content);
const written = (...content: Node[]) => writeHTML(schema.node("doc", null, content));

Deno.test("marks are nested in one order, and closed where they end", () => {
  const [bold, italic] = [marks.bold.create(), marks.italic.create()];
  const link = marks.link.create({ href: 'https://a.example/?q="x"&y' });
  equal(
    written(p(text("a ", bold), text("b", bold, italic), text(" c", italic), text("d <&>", link))),
    '<p><b>a <i>b</i></b><i> c</i><a href="https://a.example/?q=&quot;x&quot;&amp;y">d &lt;&amp;&gt;</a></p>',
  );
  const color = marks.color.create({ value: "#b3202a" });
  equal(written(p(text("red", color))), '<p><span style="color:#b3202a">red</span></p>');
});

Deno.test("empty lines, breaks and spaces stay", () => {
  const br = schema.node("hard_break");
  equal(written(p()), "<p><br></p>");
  equal(written(p(text(" a  b "), br, text("c"))), "<p>&nbsp;a&nbsp; b&nbsp;<br>c</p>");
  equal(written(schema.node("code_block", null, text("\n a  b"))), "<pre>\n\n a  b</pre>");
});

Deno.test("items of lists and cells of tables have no paragraph around words alone", () => {
  const item = (...content: Node[]) => schema.node("list_item", null, content);
  const inner = schema.node("ordered_list", { start: 3 }, [item(p(text("b")))]);
  const list = schema.node("bullet_list", null, [
    item(p(text("a")), inner),
    item(p(text("c")), p(text("d"))),
  ]);
  equal(written(list), '<ul><li>a<ol start="3"><li>b</li></ol></li><li><p>c</p><p>d</p></li></ul>');
  const row = schema.node("table_row", null, [
    schema.node("table_header", { colspan: 2, rowspan: 1 }, [p(text("x"))]),
    schema.node("table_cell", null, [p(text("y")), p()]),
  ]);
  equal(
    written(schema.node("table", null, [row])),
    '<table><tbody><tr><th colspan="2">x</th><td><p>y</p><p><br></p></td></tr></tbody></table>',
  );
});

Deno.test("a signature is as it was inserted, however its lines and images are written", () => {
  const signature = (...content: Node[]) => schema.node("signature", null, content);
  const br = schema.node("hard_break");
  const image = (cid: string) => schema.node("image", { cid });
  const inserted = signature(p(text("Ada")), p(text("London"), image("1@x")));
  equal(isAsInserted(signature(p(text("Ada"), br, text("London"), image("2@x"))), inserted), true);
  equal(isAsInserted(signature(p(text("Ada")), p(text("Paris"), image("1@x"))), inserted), false);
  equal(isAsInserted(signature(p(text("Ada", marks.bold.create())), p(text("London"))), inserted), false);
  equal([isAsInserted(null, inserted), isAsInserted(null, null)], [false, true]);
});

Deno.test("images are named by their content id, and a folded quote stays as it came", () => {
  const image = schema.node("image", { cid: "1@x", alt: 'A "dog"', width: 20, height: null });
  const folded = schema.node("folded", {
    html: '<blockquote type="cite"><div style="x">y</div></blockquote>',
  });
  equal(
    written(p(image), folded),
    '<p><img src="cid:1@x" alt="A &quot;dog&quot;" width="20"></p>' +
      '<blockquote type="cite"><div style="x">y</div></blockquote>',
  );
});

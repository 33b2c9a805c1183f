import { equal } from "../../../testing/assert.ts";
import { addressIn, linkBefore } from "./links.ts";
import { EditorState, TextSelection } from "./prosemirror.ts";
import { loud, quiet } from "./quiet.ts";
import { schema } from "./schema.ts";
import { readStyle } from "./styles.ts";

Deno.test("while HTML is read, nothing in it has a style, a handler or another document", () => {
  const cases: [string, string][] = [
    ['<p style="color: red" class=a>x</p>', '<p data-mk-style="color: red" class=a>x</p>'],
    ["<P STYLE='a' onclick='b()' title=\"style=c > d\">x", "<P data-mk-style='a'  title=\"style=c > d\">x"],
    ["<style>p{}</style><script>a<b</script>x<base href=y><meta x><link y><iframe srcdoc=z>", "x"],
    ["a < b style=c", "a < b style=c"],
    ['<div data-mk-folded="<script>">x</div>', "<div >x</div>"],
    ['<img alt="<style>"><!-- <style> -->x', '<img alt="<style>">x'],
  ];
  for (const [html, quieted] of cases) equal(quiet(html), quieted);
  equal(loud('<p data-mk-style="color: red">x</p>'), '<p style="color: red">x</p>');
});

Deno.test("of styles, what the editor keeps is read", () => {
  const cases: [string, Record<string, unknown>][] = [
    ["font-weight: 700; font-style:italic", { isBold: true, isItalic: true }],
    ["font-weight: normal", { isBold: false, isItalic: null }],
    ["text-decoration: underline line-through", { isUnderlined: true, isStruck: true }],
    ["color: RGB(179, 32, 42) !important", { color: "#b3202a" }],
    ["color: #000; background: #fff", { color: null, highlight: null }],
    ["color: red; background-color: #ff0", { color: "#ff0000", highlight: "#ffff00" }],
    ["color: rgba(255, 0, 0, 0.1); background: url(https://a.example/x.png)", {
      color: null,
      highlight: null,
    }],
    ["font-size: 14px", { size: null }],
    ["font-size: 18pt", { size: "x-large" }],
    ["font-size: large", { size: "large" }],
    ["font-size: 10px", { size: "small" }],
    ["color: expression(alert(1)); font-size: calc(1px)", { color: null, size: null }],
  ];
  for (const [style, expected] of cases) {
    const read = readStyle(style);
    equal(
      Object.fromEntries(Object.keys(expected).map((key) => [key, read[key as keyof typeof read]])),
      expected,
    );
  }
});

Deno.test("addresses in text become links, without the sentence's own signs", () => {
  const cases: [string, string | null, string?][] = [
    ["https://a.example/x.", "https://a.example/x"],
    ["(https://a.example/b_(c))", "https://a.example/b_(c)"],
    ["www.a.example,", "https://www.a.example", "www.a.example"],
    ["ana@b.example!", "mailto:ana@b.example", "ana@b.example"],
    ["www.", null],
    ["a.example", null],
    ["javascript:alert(1)", null],
  ];
  for (const [word, href, text] of cases) {
    equal(addressIn(word), href === null ? null : { text: text ?? href, href });
  }
});

Deno.test("the last word becomes a link when the message is complete, wherever the caret is in it", () => {
  const linked = (text: string, caret: number, isWhole: boolean) => {
    const doc = schema.node("doc", null, [schema.node("paragraph", null, [schema.text(text)])]);
    const state = EditorState.create({ doc, selection: TextSelection.create(doc, caret + 1) });
    const found = linkBefore(state, isWhole);
    return found && [doc.textBetween(found.from, found.to), found.mark.attrs.href];
  };
  const whole = "https://a.example/plan";
  equal(linked(`See ${whole}`, 4 + whole.length, true), [whole, whole]);
  equal(linked(`See ${whole} now`, 14, true), [whole, whole]);
  equal(linked(`See ${whole}`, 14, false), ["https://a", "https://a"]);
  equal(linked("See it", 6, true), null);
});

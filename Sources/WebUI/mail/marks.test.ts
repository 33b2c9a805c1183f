import { equal } from "../testing/assert.ts";
import { findMarks, markedPieces } from "./marks.ts";

const prefix = (...words: string[]) => ({ words, isPrefix: true });
const phrase = (...words: string[]) => ({ words, isPrefix: false });
const marked = (text: string, ...marks: ReturnType<typeof prefix>[]) =>
  markedPieces(text, marks).map((piece) => piece.isMarked ? `[${piece.text}]` : piece.text).join("");

Deno.test("ORG-36: the words that were looked for are marked as the program finds them", () => {
  equal(marked("A new roof, new ROOFS.", prefix("roof")), "A new [roof], new [ROOFS].");
  equal(marked("A new roof, new roofs.", phrase("new", "roof")), "A [new roof], new roofs.");
  equal(marked("Bücher u\u0308ber", prefix("bucher"), prefix("uber")), "[Bücher] [u\u0308ber]");
  equal(marked("proof", prefix("roof")), "proof");
  equal(marked("nothing"), "nothing");
});

Deno.test("a phrase can go on in the next piece of text", () => {
  equal(findMarks(["a new ", "roof b"], [phrase("new", "roof")]), [{ from: [0, 2], to: [1, 4] }]);
  equal(findMarks(["new", "roof"], [prefix("new", "ro")]), [{ from: [0, 0], to: [1, 4] }]);
});

import { equal } from "../testing/assert.ts";
import { doubted } from "./doubted.ts";
import type { Glyph } from "./eye.ts";

function glyphs(...runs: [text: string, color: string][]): Glyph[] {
  return runs.flatMap(([text, doubt]) => [...text].map((letter) => ({ text: letter, doubt }) as Glyph));
}

const read = (seen: Glyph[]) => seen.map(({ text }) => text).join("");

Deno.test("letters on a plain color are in no doubt", () => {
  equal(doubted(glyphs(["bank.com.evil.example", ""]), read), []);
});

Deno.test("on a gradient any of the colors may be invisible", () => {
  const found = doubted(glyphs(["bank", "blue"], ["-or-not", "white"], [".com", "blue"]), read);
  equal(found.includes("bank.com"), true);
  equal(found.includes("-or-not"), true);
});

Deno.test("on a gradient a host may seem to end early", () => {
  equal(doubted(glyphs(["bank.com.evil.example", "white"]), read), ["", "bank.com"]);
  equal(doubted(glyphs(["bank.company.example", "white"]), read), ["", "bank.com"]);
  equal(doubted(glyphs(["www.bank.com www.bank.co.uk", "white"]), read), [""]);
});

import { equal } from "../testing/assert.ts";
import { condition, ruleLike } from "./rules.ts";

const ana = { from: [{ name: "Ana", email: "ana@example.org" }] };

Deno.test("a rule like a message is about its mailing list, else about its sender", () => {
  const about = (listId: string | null) => {
    const { name, conditions } = ruleLike(ana, listId);
    return [name, conditions];
  };
  equal(about(null), ["Ana", [condition("sender", "ana@example.org")]]);
  equal(about("not a list"), ["Ana", [condition("sender", "ana@example.org")]]);
  equal(about('"Rowers" <rowers.example.org>'), ["Rowers", [condition("list", "rowers.example.org")]]);
  equal(about("<rowers.example.org>"), ["rowers.example.org", [condition("list", "rowers.example.org")]]);
  equal(ruleLike({ from: null }).conditions, []);
});

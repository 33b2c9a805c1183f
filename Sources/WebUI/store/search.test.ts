import { equal } from "../testing/assert.ts";
import { asWords, searchFilter } from "./search.ts";

Deno.test("words that were read as filters can be meant as words", () => {
  equal(asWords("letter from Ana"), '"letter from Ana"');
  equal(asWords('letter  from "Ana Lima"'), '"letter from Ana Lima"');
});

Deno.test("nothing typed is nothing to look for", () => {
  equal(searchFilter("  "), null);
  equal(searchFilter("from:ana -roof"), { search: "from:ana -roof" });
});

import { equal } from "../testing/assert.ts";
import { asWords, limitedTo, searchFilter } from "./search.ts";

Deno.test("words that were read as filters can be meant as words", () => {
  equal(asWords("letter from Ana"), '"letter from Ana"');
  equal(asWords('letter  from "Ana Lima"'), '"letter from Ana Lima"');
});

Deno.test("nothing typed is nothing to look for", () => {
  equal(searchFilter("  "), null);
  equal(searchFilter("from:ana -roof"), { search: "from:ana -roof" });
});

Deno.test("a search in one folder is saved with the folder", () => {
  equal(limitedTo(" roof ", "inbox", "Inbox"), "roof in:inbox");
  equal(limitedTo("roof", "junk", "Spam"), "roof in:spam");
  equal(limitedTo("roof", "flagged", "Starred"), "roof is:starred");
  equal(limitedTo("roof OR tiles", null, "Work/Travel plans"), 'roof OR tiles in:"Work/Travel plans"');
});

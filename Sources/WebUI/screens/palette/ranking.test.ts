import { equal } from "../../testing/assert.ts";
import { found } from "./ranking.ts";

const ITEMS = [
  { title: "Archive" },
  { title: "Go to Archive" },
  { title: "Mark as unread" },
  { title: "Récépissés", words: "mira@example.com" },
  { title: "Appearance", words: "theme density" },
];

Deno.test("the best comes first", () => {
  equal(found(ITEMS, "arch").map(({ title }) => title), ["Archive", "Go to Archive"]);
  equal(found(ITEMS, "go arch").map(({ title }) => title), ["Go to Archive"]);
  equal(found(ITEMS, "recep").map(({ title }) => title), ["Récépissés"]);
  equal(found(ITEMS, "density").map(({ title }) => title), ["Appearance"]);
  equal(found(ITEMS, "read").map(({ title }) => title), ["Mark as unread"]);
  equal(found(ITEMS, "mira@ex").length, 1);
  equal(found(ITEMS, "nothing like it"), []);
  equal(found(ITEMS, "").length, ITEMS.length);
});

import { equal } from "../testing/assert.ts";
import { name } from "./shortcuts.ts";

const key = (key: string, held: Partial<KeyboardEvent> = {}) =>
  name({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held });

Deno.test("keys have one name each", () => {
  equal(key("j"), "j");
  equal(key("U", { shiftKey: true }), "Shift+U");
  equal(key("#", { shiftKey: true }), "#");
  equal(key("Enter", { ctrlKey: true }), "Mod+Enter");
  equal(key("d", { ctrlKey: true, shiftKey: true }), "Mod+Shift+D");
  equal(key("ArrowDown"), "ArrowDown");
});

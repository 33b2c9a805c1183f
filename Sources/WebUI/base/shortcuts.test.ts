import { equal } from "../testing/assert.ts";
import { name, Shortcuts, shown } from "./shortcuts.ts";

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

function pressed(key: string, held: Partial<KeyboardEvent> = {}): KeyboardEvent {
  const event = new Event("keydown", { cancelable: true });
  return Object.assign(event, {
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...held,
  }) as unknown as KeyboardEvent;
}

Deno.test("keys that are pressed before there is a screen count once it is ready, up to one that opens a field", () => {
  globalThis.HTMLElement ??= class {} as unknown as typeof HTMLElement;
  const shortcuts = new Shortcuts();
  const done: string[] = [];
  for (const key of ["j", "j", "c", "e"]) shortcuts.handle(pressed(key));
  shortcuts.handle(pressed("e", { ctrlKey: true }));
  shortcuts.add({
    title: "Mail",
    shortcuts: [
      { keys: ["j"], run: () => void done.push("next") },
      { keys: ["e", "Mod+E"], run: () => void done.push("archive") },
      { keys: ["c"], opensField: true, run: () => void done.push("write") },
    ],
  });
  equal(done, []);
  shortcuts.begin();
  equal(done, ["next", "next", "write"]);
  shortcuts.begin();
  shortcuts.handle(pressed("e"));
  equal(done, ["next", "next", "write", "archive"]);
});

Deno.test("one key after the other", () => {
  globalThis.HTMLElement ??= class {} as unknown as typeof HTMLElement;
  const shortcuts = new Shortcuts();
  const done: string[] = [];
  shortcuts.begin();
  shortcuts.add({
    title: "Mail",
    shortcuts: [
      { keys: ["g i"], run: () => void done.push("inbox") },
      { keys: ["i"], run: () => void done.push("alone") },
      { keys: ["e"], run: () => void done.push("archive") },
    ],
  });
  for (const key of ["g", "i", "i"]) shortcuts.handle(pressed(key));
  equal(done, ["inbox", "alone"]);
  // A second key that means nothing there does nothing: it was not meant for the mail.
  for (const key of ["g", "e", "e"]) shortcuts.handle(pressed(key));
  equal(done, ["inbox", "alone", "archive"]);
  equal(shown("g i"), "g then i");
});

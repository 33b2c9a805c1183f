/**
 * The first script of the page asks the program for the mail that is shown first. What shows it is larger, and is
 * compiled while the program answers.
 */
import { Shortcuts } from "./base/shortcuts.ts";
import { connect } from "./store/connect.ts";
import { prepareWords } from "./store/words.ts";

// Keys pressed before the first rendering count too.
const shortcuts = new Shortcuts();
document.addEventListener("keydown", (event) => {
  // What is behind a dialog gets no keys, even if nothing in the dialog has the focus.
  if (!document.querySelector("dialog:modal")) shortcuts.handle(event);
});
const open = () => connect(shortcuts);
const first = open();
// Its failure is shown once there is something to show it with.
first.catch(() => {});
const screens = import("./main.tsx");
// Takes long, and now there is nothing to do but to wait.
prepareWords();
const { show } = await screens;
show(first, open);

import { createRoot } from "react-dom/client";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/overlays.css";
import { connect, Start } from "./screens/Start.tsx";
import { keepOfflinePage } from "./screens/webApp.ts";
import { Shortcuts } from "./base/shortcuts.ts";

// Keys pressed before the first rendering count too.
const shortcuts = new Shortcuts();
document.addEventListener("keydown", (event) => {
  // What is behind a dialog gets no keys, even if nothing in the dialog has the focus.
  if (!document.querySelector("dialog:modal")) shortcuts.handle(event);
});
// Requested before the first rendering, which waits for the response unless that takes so long that it has to be seen.
const open = () => connect(shortcuts);
const first = open();
const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 350));
Promise.race([first.catch(() => null), late]).then((known) => {
  const root = document.getElementById("root");
  if (root) createRoot(root).render(<Start {...{ first, known }} again={open} />);
});
keepOfflinePage();

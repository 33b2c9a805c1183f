import { createRoot } from "react-dom/client";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/overlays.css";
import { connect, Start } from "./screens/Start.tsx";
import { Shortcuts } from "./base/shortcuts.ts";

// What is pressed before anything is drawn counts as well.
const shortcuts = new Shortcuts();
document.addEventListener("keydown", shortcuts.handle);
// Asked before anything is drawn: what is shown first waits for the answer.
const open = () => connect(shortcuts);
const first = open();
first.catch(() => {});
const root = document.getElementById("root");
if (root) createRoot(root).render(<Start first={first} again={open} />);

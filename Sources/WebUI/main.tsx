import { createRoot } from "react-dom/client";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/overlays.css";
import { connect, Start } from "./screens/Start.tsx";

// Asked before anything is drawn: what is shown first waits for the answer.
const first = connect();
first.catch(() => {});
const root = document.getElementById("root");
if (root) createRoot(root).render(<Start first={first} />);

import { createRoot } from "react-dom/client";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/overlays.css";
import { Start } from "./screens/Start.tsx";

const root = document.getElementById("root");
if (root) createRoot(root).render(<Start />);

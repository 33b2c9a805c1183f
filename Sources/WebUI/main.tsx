import { createRoot } from "react-dom/client";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/controls.css";
import "./ui/overlays.css";
import { ready, Start } from "./screens/Start.tsx";
// After the screens: its styles come later than theirs, such as those for paper.
import { prepareParts } from "./screens/laterParts.ts";
import { keepOfflinePage } from "./screens/webApp.ts";
import type { App } from "./store/app.ts";

prepareParts(location.hash);

/** The first rendering waits for the response unless that takes so long that it has to be seen. */
export function show(connecting: Promise<App>, connectAgain: () => Promise<App>): void {
  const first = connecting.then(ready);
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), 350));
  Promise.race([first.catch(() => null), late]).then((known) => {
    const root = document.getElementById("root");
    const again = () => connectAgain().then(ready);
    if (root) createRoot(root).render(<Start {...{ first, known, again }} />);
  });
  keepOfflinePage();
}

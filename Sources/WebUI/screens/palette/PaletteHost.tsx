import { useState } from "react";
import { APPEARANCE } from "../../actions/appearance.ts";
import { useCommands } from "../../actions/commands.ts";
import { PALETTE } from "../../actions/everywhere.ts";
import { GOING } from "../../actions/going.ts";
import { commands, type Offer, shortcuts } from "../../actions/offers.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import type { App } from "../../store/app.ts";
import { Palette } from "./Palette.tsx";

interface PaletteHostProps {
  app: App;
  /** What this screen can do, besides what every screen can. */
  offered: () => Offer[];
}

/** Opens the command palette on a screen. */
export function PaletteHost({ app, offered }: PaletteHostProps) {
  const [what, setWhat] = useState<"everything" | "folders" | null>(null);
  const subject = { app, targets: [], find: setWhat };
  useShortcuts(app.shortcuts, "Everywhere", [
    ...shortcuts(PALETTE, () => subject),
    ...shortcuts(GOING, () => subject),
  ]);
  useCommands(app, () => [...offered(), ...commands(GOING, subject), ...commands(APPEARANCE, subject)]);
  if (what === null) return null;
  return <Palette what={what} onClose={() => setWhat(null)} />;
}

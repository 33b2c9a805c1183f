import { useState } from "react";
import { APPEARANCE } from "../../actions/appearance.ts";
import { useCommands } from "../../actions/commands.ts";
import { EVERYWHERE, PALETTE, type ScreenSubject } from "../../actions/everywhere.ts";
import { GOING } from "../../actions/going.ts";
import { CORRECTING } from "../../actions/list.ts";
import { commands, shortcuts } from "../../actions/offers.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import { Palette } from "./Palette.tsx";

/** Opens the command palette, and gives it what can be done on every screen of mail. */
export function PaletteHost({ subject }: { subject: ScreenSubject }) {
  const { app } = subject;
  const [what, setWhat] = useState<"everything" | "folders" | null>(null);
  const finding = { ...subject, find: setWhat };
  useShortcuts(app.shortcuts, "Everywhere", [
    ...shortcuts(PALETTE, () => finding),
    ...shortcuts(GOING, () => subject),
  ]);
  useCommands(app, () => [
    ...commands(EVERYWHERE, subject),
    ...commands(CORRECTING, subject),
    ...commands(GOING, subject),
    ...commands(APPEARANCE, subject),
  ]);
  if (what === null) return null;
  return <Palette what={what} onClose={() => setWhat(null)} />;
}

import { useState } from "react";
import { HELP } from "../actions/everywhere.ts";
import { useCommands } from "../actions/commands.ts";
import { commands, shortcuts } from "../actions/offers.ts";
import { useObservable } from "../base/observable.ts";
import { shown, useShortcuts } from "../base/shortcuts.ts";
import type { App } from "../store/app.ts";
import { Dialog } from "../ui/Dialog.tsx";

/** Opens with `?`, and lists what the keys do on the screens that are open. */
export function HelpSheet({ app }: { app: App }) {
  const { groups } = useObservable(app.shortcuts);
  const [isOpen, setOpen] = useState(false);
  const subject = { app, targets: [], showHelp: () => setOpen(true) };
  useShortcuts(app.shortcuts, "Everywhere", shortcuts(HELP, () => subject));
  useCommands(app, () => commands(HELP, subject));
  if (!isOpen) return null;
  const titles = [...new Set(groups.map((group) => group.title))];
  return (
    <Dialog title="Keyboard shortcuts" isWide onClose={() => setOpen(false)}>
      <div className="help" role="group" aria-label="Keys" tabIndex={0}>
        {titles.map((title) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {groups.filter((group) => group.title === title).flatMap((group) => group.shortcuts)
                .filter((shortcut) => shortcut.does).map((shortcut) => (
                  <div key={shortcut.does}>
                    <dt>{shortcut.does}</dt>
                    <dd>
                      {shortcut.keys.map((keys, index) => (
                        <span key={keys}>
                          {index > 0 && <span className="help-or">or</span>}
                          <kbd>{shown(keys)}</kbd>
                        </span>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

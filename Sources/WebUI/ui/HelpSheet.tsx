import { useState } from "react";
import { useObservable } from "../base/observable.ts";
import { Dialog } from "./Dialog.tsx";
import { type Shortcuts, shown, useShortcuts } from "../base/shortcuts.ts";

/** Opens with `?`, and lists what the keys do on the screens that are open. */
export function HelpSheet({ shortcuts }: { shortcuts: Shortcuts }) {
  const { groups } = useObservable(shortcuts);
  const [isOpen, setOpen] = useState(false);
  useShortcuts(shortcuts, "Everywhere", [
    { keys: ["?"], does: "Show these shortcuts", run: () => setOpen(true) },
  ]);
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

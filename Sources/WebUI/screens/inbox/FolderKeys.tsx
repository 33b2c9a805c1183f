import { useCommands } from "../../actions/commands.ts";
import { FOLDER, FOLDERS } from "../../actions/folder.ts";
import { folderSubject } from "../../actions/folderSubject.ts";
import { commands, shortcuts } from "../../actions/offers.ts";
import { useShortcuts } from "../../base/shortcuts.ts";
import { useApp } from "../../store/app.ts";
import type { Scope } from "../../store/scope.ts";

/** The keys of the folder that has the focus, and commands for the one whose conversations are shown. */
export function FolderKeys({ scope }: { scope: Scope | null }) {
  const app = useApp();
  const keys = shortcuts(FOLDER, ({ target }) => {
    const path = pathAt(target);
    return path && folderSubject(app, path);
  });
  useShortcuts(
    app.shortcuts,
    "Folders",
    keys.map((shortcut) => ({
      ...shortcut,
      run: (event) => pathAt(event.target) ? shortcut.run(event) : false,
    })),
  );
  useCommands(app, () => [
    ...commands(FOLDERS, { app, targets: [], account: null }),
    ...(scope ? commands(FOLDER, folderSubject(app, ["mail", scope.accountId, scope.mailboxId])) : []),
  ]);
  return null;
}

/** The address of the folder that has the focus. */
function pathAt(target: EventTarget | null): string[] | null {
  if (!(target instanceof HTMLElement)) return null;
  const path = target.closest<HTMLElement>("[data-folder]")?.dataset["folder"]?.split("/");
  return path?.[0] === "mail" ? path : null;
}

import type { KeyboardEvent } from "react";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { useAppearance } from "../../store/appearance.ts";
import { Icon } from "../../ui/Icon.tsx";

/** Whether the content of an account or a folder is hidden, and what changes that. */
export interface Folding {
  isCollapsed: boolean;
  toggle: () => void;
}

/** What is collapsed, as the preferences have it. Keys are `ACCOUNT` and `ACCOUNT/MAILBOX`. */
export function useFolding(): (key: string) => Folding {
  const app = useApp();
  const { collapsed } = useAppearance(app);
  return (key) => ({
    isCollapsed: collapsed[key] === true,
    toggle: () => {
      const { [key]: wasCollapsed, ...others } = collapsed;
      const collapsedFolders = wasCollapsed ? others : { ...others, [key]: true };
      app.preferences.update("singleton", { collapsedFolders })
        .catch((error) => app.toasts.problem(words(error)));
    },
  });
}

export function FoldButton({ folding: { isCollapsed, toggle }, label }: { folding: Folding; label: string }) {
  return (
    <button
      type="button"
      className="sidebar-fold"
      aria-label={label}
      aria-expanded={!isCollapsed}
      onClick={toggle}
    >
      <Icon name={isCollapsed ? "chevronRight" : "chevronDown"} />
    </button>
  );
}

/** The arrows of a tree: left hides what is in it, right shows it. */
export function foldByKey({ key }: KeyboardEvent, { isCollapsed, toggle }: Folding): void {
  if (key === (isCollapsed ? "ArrowRight" : "ArrowLeft")) toggle();
}

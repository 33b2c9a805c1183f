import { type MouseEvent, type ReactNode, useState } from "react";
import { ContextMenu, type Point } from "../ui/Menu.tsx";
import type { Action, Place, Subject } from "./action.ts";
import { menuItems } from "./offers.ts";

interface ActionMenu {
  onContextMenu: (event: MouseEvent) => void;
  menu: ReactNode;
}

/** The menu of the right button, of the menu key and of a finger that stays, with the actions for a subject. */
export function useActionMenu<S extends Subject>(
  label: string,
  actions: Action<S>[],
  place: Place,
  subjectOf: (event: MouseEvent) => S | null,
): ActionMenu {
  const [open, setOpen] = useState<{ at: Point; subject: S } | null>(null);
  const onContextMenu = (event: MouseEvent) => {
    const subject = subjectOf(event);
    if (!subject) return;
    event.preventDefault();
    event.stopPropagation();
    setOpen({ at: { x: event.clientX, y: event.clientY }, subject });
  };
  if (!open) return { onContextMenu, menu: null };
  const items = menuItems(actions, open.subject, place);
  return {
    onContextMenu,
    menu: <ContextMenu label={label} at={open.at} items={items} onClose={() => setOpen(null)} />,
  };
}

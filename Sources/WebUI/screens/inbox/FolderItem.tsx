import { type DragEvent, useState } from "react";
import { FOLDER } from "../../actions/folder.ts";
import { folderSubject } from "../../actions/folderSubject.ts";
import { folderTint } from "../../actions/folderIcon.ts";
import { useActionMenu } from "../../actions/useActionMenu.tsx";
import { useValue } from "../../base/observable.ts";
import type { FolderColor } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { dropAction, type DropPlace, takes } from "../../store/dragged.ts";
import { address } from "../../store/router.ts";
import { count, counted } from "../../store/words.ts";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { FoldButton, foldByKey, type Folding } from "./folding.tsx";

interface FolderItemProps {
  icon: IconName;
  title: string;
  /** What else tells it from others of its name. */
  detail?: string;
  unread: number;
  unit: string;
  /** The address. */
  path: string[];
  isCurrent: boolean;
  depth?: number;
  /** The color that the user gave it. */
  color?: FolderColor | null;
  /** The drop target; `v` opens a list of the same places. */
  place?: DropPlace;
  /** Hides and shows the folders in it. */
  folding?: Folding | undefined;
  onGone: () => void;
}

/** A place in the list of folders. */
export function FolderItem(
  { icon, title, detail, unread, unit, path, isCurrent, depth = 0, color, place, folding, onGone }:
    FolderItemProps,
) {
  const { signs, ...dropping } = useDropping(place);
  const app = useApp();
  const { onContextMenu, menu } = useActionMenu(
    title,
    FOLDER,
    "folderMenu",
    () => path[0] === "mail" ? folderSubject(app, path, folding ?? null) : null,
  );
  const isUnread = unread > 0 && unit !== "draft";
  return (
    <li className="sidebar-row">
      <a
        className={`sidebar-item ${isUnread ? "sidebar-unread" : ""} ${folderTint(color ?? null)} ${signs}`}
        data-folder={path.join("/")}
        draggable={false}
        {...dropping}
        style={{ paddingInlineStart: `${0.625 + depth * 0.875}rem` }}
        href={address(path)}
        aria-current={isCurrent ? "page" : undefined}
        aria-label={[title, detail, unread > 0 && counted(unread, unit)].filter(Boolean).join(", ")}
        title={detail ? `${title}, ${detail}` : title}
        onClick={onGone}
        onContextMenu={onContextMenu}
        onKeyDown={(event) => folding && foldByKey(event, folding)}
      >
        <Icon name={icon} />
        <span className="sidebar-title">{title}</span>
        {unread > 0 && <span className="sidebar-count">{count(unread)}</span>}
      </a>
      {folding && <FoldButton folding={folding} label={`Folders in ${title}`} />}
      {menu}
    </li>
  );
}

/** Makes a mailbox a drop target, which shows whether it accepts the dragged conversations. */
function useDropping(place: DropPlace | undefined) {
  const app = useApp();
  const dragged = useValue(app.dragged);
  const [isOver, setOver] = useState(false);
  const action = place && takes(app, dragged, place) ? dropAction(app, place) : null;
  const over = (event: DragEvent) => {
    if (!action) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    setOver(false);
    const chosen = action && place && dropAction(app, place, event.shiftKey);
    if (!chosen) return;
    event.preventDefault();
    app.dragged.value = [];
    app.actions.perform(chosen, dragged);
  };
  return {
    signs: action
      ? `sidebar-takes ${isOver ? "sidebar-over" : ""}`
      : dragged.length > 0
      ? "sidebar-refuses"
      : "",
    onDragEnter: over,
    onDragOver: over,
    onDragLeave: () => setOver(false),
    onDrop: drop,
  };
}

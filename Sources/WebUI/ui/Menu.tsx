import { type ReactNode, useId, useRef, useState } from "react";
import { giveFocusBack } from "./focus.ts";
import { Icon, type IconName } from "./Icon.tsx";
import { type MenuItem, MenuList } from "./MenuList.tsx";

export type { MenuItem } from "./MenuList.tsx";

interface MenuButtonProps {
  label: string;
  icon?: IconName;
  items: MenuItem[];
  className?: string;
  children?: ReactNode;
  isDisabled?: boolean;
}

/** A button that opens a menu. */
export function MenuButton(
  { label, icon = "more", items, className = "", children, isDisabled }: MenuButtonProps,
) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (isBack: boolean) => {
    setOpen(false);
    if (isBack) button.current?.focus();
  };
  const anchor = {
    box: () => button.current?.getBoundingClientRect() ?? new DOMRect(),
    owns: (target: Node) => button.current?.contains(target) ?? false,
  };
  const name = children ? undefined : label;
  return (
    <span className="menu-anchor">
      <button
        ref={button}
        type="button"
        className={children ? `button button-quiet ${className}` : `icon-button ${className}`}
        aria-label={name}
        title={name}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        disabled={isDisabled}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children ?? <Icon name={icon} />}
      </button>
      {isOpen && <MenuList id={id} label={label} items={items} anchor={anchor} onClose={close} />}
    </span>
  );
}

export interface Point {
  x: number;
  y: number;
}

interface ContextMenuProps {
  label: string;
  items: MenuItem[];
  /** Where the pointer was. */
  at: Point;
  onClose: () => void;
}

/** A menu where the right button was pressed. */
export function ContextMenu({ label, items, at, onClose }: ContextMenuProps) {
  const id = useId();
  const [before] = useState(() => document.activeElement);
  const anchor = { box: () => new DOMRect(at.x, at.y), owns: () => false };
  const close = (isBack: boolean) => {
    onClose();
    if (isBack) giveFocusBack(before);
  };
  return <MenuList id={id} label={label} items={items} anchor={anchor} onClose={close} />;
}

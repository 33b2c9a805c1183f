import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Icon, type IconName } from "./Icon.tsx";

export interface MenuItem {
  label: string;
  icon?: IconName;
  hint?: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Why it does nothing. It can still be chosen, so that the reason can be found by keyboard, too. */
  problem?: string | null;
  run: () => void;
}

interface MenuButtonProps {
  label: string;
  icon?: IconName;
  items: MenuItem[];
  className?: string;
  children?: ReactNode;
  isDisabled?: boolean;
}

/** A button that opens a menu; arrows, Home, End, letters and Escape work as in any menu. */
export function MenuButton(
  { label, icon = "more", items, className = "", children, isDisabled }: MenuButtonProps,
) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  return (
    <span className="menu-anchor">
      <button
        ref={button}
        type="button"
        className={children ? `button button-quiet ${className}` : `icon-button ${className}`}
        aria-label={children ? undefined : label}
        title={children ? undefined : label}
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
      {isOpen && (
        <MenuList
          id={id}
          label={label}
          items={items}
          anchor={() => button.current}
          onClose={(isBack) => {
            setOpen(false);
            if (isBack) button.current?.focus();
          }}
        />
      )}
    </span>
  );
}

interface MenuListProps {
  id: string;
  label: string;
  items: MenuItem[];
  anchor: () => HTMLElement | null;
  onClose: (isBack: boolean) => void;
}

function MenuList({ id, label, items, anchor, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place(list.current, anchor());
    buttons()[0]?.focus();
  }, []);
  useEffect(() => {
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!list.current?.contains(target) && !anchor()?.contains(target)) onClose(false);
    };
    // It would stand where its button is no longer.
    const resized = () => onClose(true);
    document.addEventListener("pointerdown", outside, true);
    addEventListener("resize", resized);
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      removeEventListener("resize", resized);
    };
  });

  function buttons(): HTMLButtonElement[] {
    return [...list.current?.querySelectorAll<HTMLButtonElement>("button:not(:disabled)") ?? []];
  }

  function move(event: KeyboardEvent): void {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const targets: Record<string, number> = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    };
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") {
      event.preventDefault();
      onClose(true);
    } else if (event.key in targets) {
      event.preventDefault();
      all[targets[event.key] ?? 0]?.focus();
    } else if (event.key.length === 1) {
      const letter = event.key.toLowerCase();
      const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
      order.find((button) => button.textContent?.trim().toLowerCase().startsWith(letter))?.focus();
    }
  }

  return (
    <div ref={list} id={id} className="menu" role="menu" aria-label={label} onKeyDown={move}>
      {items.map((item, index) => (
        <button
          key={item.label}
          type="button"
          role="menuitem"
          tabIndex={index === 0 ? 0 : -1}
          className={`menu-item ${item.isDanger ? "menu-danger" : ""}`}
          disabled={item.isDisabled}
          aria-disabled={item.problem ? true : undefined}
          title={item.problem ?? undefined}
          onClick={() => {
            onClose(true);
            item.run();
          }}
        >
          {item.icon && <Icon name={item.icon} />}
          <span className="menu-label">{item.label}</span>
          {item.hint && <kbd aria-hidden="true">{item.hint}</kbd>}
        </button>
      ))}
    </div>
  );
}

/** Below the button, or above it where there is no room; never beyond the window. */
function place(menu: HTMLElement | null, anchor: HTMLElement | null): void {
  if (!menu || !anchor) return;
  const [box, own] = [anchor.getBoundingClientRect(), menu.getBoundingClientRect()];
  const edge = 8;
  const below = innerHeight - box.bottom - edge;
  const isAbove = own.height > below && box.top > below;
  menu.style.maxHeight = `${Math.max(isAbove ? box.top - edge * 2 : below, 80)}px`;
  menu.style.left = `${Math.max(edge, Math.min(box.left, innerWidth - own.width - edge))}px`;
  if (isAbove) menu.style.bottom = `${innerHeight - box.top + 4}px`;
  else menu.style.top = `${box.bottom + 4}px`;
}

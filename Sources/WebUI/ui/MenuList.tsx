import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
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

/** What a menu belongs to: a button, or a place that was clicked. */
export interface Anchor {
  box: () => DOMRect;
  /** Clicks on it do not close the menu. */
  owns: (target: Node) => boolean;
}

interface MenuListProps {
  id: string;
  label: string;
  items: MenuItem[];
  anchor: Anchor;
  /** The focus goes back unless something else was clicked. */
  onClose: (isBack: boolean) => void;
}

/** The items of an open menu; arrows, Home, End, letters and Escape work as in any menu. */
export function MenuList({ id, label, items, anchor, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!list.current) return;
    place(list.current, anchor.box());
    buttonsIn(list.current)[0]?.focus();
  }, []);
  useClosing(list, anchor, onClose);
  return (
    <div
      ref={list}
      id={id}
      className="menu popup"
      role="menu"
      aria-label={label}
      onKeyDown={(event) => move(event, () => onClose(true))}
    >
      {items.map((item, index) => (
        <MenuButton
          key={item.label}
          item={item}
          isFirst={index === 0}
          onChoose={() => onClose(true)}
        />
      ))}
    </div>
  );
}

function MenuButton({ item, isFirst, onChoose }: { item: MenuItem; isFirst: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={isFirst ? 0 : -1}
      className={`menu-item ${item.isDanger ? "menu-danger" : ""}`}
      disabled={item.isDisabled}
      aria-disabled={item.problem ? true : undefined}
      title={item.problem ?? undefined}
      onClick={() => {
        onChoose();
        item.run();
      }}
    >
      {item.icon && <Icon name={item.icon} />}
      <span className="menu-label">{item.label}</span>
      {item.hint && <kbd aria-hidden="true">{item.hint}</kbd>}
    </button>
  );
}

function useClosing(
  list: RefObject<HTMLDivElement>,
  anchor: Anchor,
  onClose: MenuListProps["onClose"],
): void {
  useEffect(() => {
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!list.current?.contains(target) && !anchor.owns(target)) onClose(false);
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
}

function buttonsIn(list: HTMLElement): HTMLButtonElement[] {
  return [...list.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
}

function move(event: KeyboardEvent<HTMLElement>, close: () => void): void {
  const all = buttonsIn(event.currentTarget);
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
    close();
  } else if (event.key in targets) {
    event.preventDefault();
    all[targets[event.key] ?? 0]?.focus();
  } else if (event.key.length === 1) {
    const letter = event.key.toLowerCase();
    const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
    order.find((button) => button.textContent?.trim().toLowerCase().startsWith(letter))?.focus();
  }
}

/** Below the box, or above it where there is no room; never beyond the window. */
function place(menu: HTMLElement, box: DOMRect): void {
  const own = menu.getBoundingClientRect();
  const edge = 8;
  const below = innerHeight - box.bottom - edge;
  const isAbove = own.height > below && box.top > below;
  menu.style.maxHeight = `${Math.max(isAbove ? box.top - edge * 2 : below, 80)}px`;
  menu.style.left = `${Math.max(edge, Math.min(box.left, innerWidth - own.width - edge))}px`;
  if (isAbove) menu.style.bottom = `${innerHeight - box.top + 4}px`;
  else menu.style.top = `${box.bottom + 4}px`;
}

import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from "react";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import type { Action, Place } from "../../actions/action.ts";
import type { FormatState } from "../../actions/format.ts";
import type { FormattingSubject } from "../../actions/formatting.ts";
import { offers } from "../../actions/offers.ts";
import { useValue, type Value } from "../../base/observable.ts";
import { MenuButton, type MenuItem } from "../../ui/Menu.tsx";
import type { BodyTools } from "./bodyTools.ts";
import type { Look } from "./editor/types.ts";
import { Chooser } from "./FileList.tsx";
import { COLORS, HIGHLIGHTS, SIZES } from "./looks.ts";

interface ToolbarProps<S extends FormattingSubject> {
  /** All that can be done here. */
  actions: Action<S>[];
  subject: S;
  format: Value<FormatState | null>;
  body: RefObject<BodyTools>;
  images: RefObject<HTMLInputElement>;
}

/** What can be done to the text. Arrows lead from button to button; Tab leads on. */
export function Toolbar<S extends FormattingSubject>(
  { actions: all, subject: whole, format, body, images }: ToolbarProps<S>,
) {
  const look = useValue(format);
  const subject = { ...whole, look };
  const bar = useRef<HTMLDivElement>(null);
  const current = useRef(0);
  useLayoutEffect(() => {
    const buttons = buttonsIn(bar.current);
    current.current = Math.min(current.current, buttons.length - 1);
    buttons.forEach((button, index) => button.tabIndex = index === current.current ? 0 : -1);
  });
  const values = (what: Look, all: { label: string; value: string | null }[]): MenuItem[] =>
    all.map(({ label, value }) => ({
      label,
      icon: (look?.looks[what] ?? null) === value ? "check" : "blank",
      run: () => {
        body.current?.look(what, value);
        body.current?.focus();
      },
    }));
  const actions = (place: Place): MenuItem[] =>
    offers(all, subject, place).map(({ label, icon, hint, isOn, run }) => ({
      label,
      icon: isOn ? "check" : icon ?? "blank",
      ...(hint ? { hint } : {}),
      run: () => {
        run();
        body.current?.focus();
      },
    }));
  return (
    <div
      ref={bar}
      className="format-bar"
      role="toolbar"
      aria-label="Formatting"
      // The selection stays in the text.
      onMouseDown={(event) => event.preventDefault()}
      onFocus={(event) => {
        const at = buttonsIn(bar.current).indexOf(event.target as HTMLElement);
        if (at >= 0) current.current = at;
      }}
      onKeyDown={(event) => move(event, bar.current)}
      onClick={() => {
        if (!bar.current?.contains(document.activeElement)) body.current?.focus();
      }}
    >
      <MenuButton label="Text style" icon="textStyle" items={actions("textStyle")} />
      <ActionButtons actions={all} subject={subject} place="format" />
      {look === null || look.image === null
        ? (
          <>
            <MenuButton label="Text color" icon="textColor" items={values("color", COLORS)} />
            <MenuButton label="Highlight" icon="highlight" items={values("highlight", HIGHLIGHTS)} />
            <MenuButton label="Text size" icon="textSize" items={values("size", SIZES)} />
          </>
        )
        // They take the place of what images do not have, so that the toolbar stays as it is.
        : <ActionButtons actions={all} subject={subject} place="formatImage" />}
      <ActionButtons actions={all} subject={subject} place="formatMore" />
      <MenuButton label="More formatting" items={actions("formatMenu")} />
      <Chooser
        ref={images}
        label="Images to insert"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        onFiles={(files) => body.current?.insertImages(files)}
      />
    </div>
  );
}

/** The toolbar's own buttons, without those of an open menu. */
function buttonsIn(bar: HTMLElement | null): HTMLElement[] {
  return [...bar?.querySelectorAll<HTMLElement>("button:not([role=menuitem])") ?? []];
}

function move(event: KeyboardEvent<HTMLElement>, bar: HTMLElement | null): void {
  const all = buttonsIn(bar);
  const at = all.indexOf(event.target as HTMLElement);
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const last = all.length - 1;
  const targets: Record<string, number> = {
    ArrowLeft: at === 0 ? last : at - 1,
    ArrowRight: at === last ? 0 : at + 1,
    Home: 0,
    End: last,
  };
  const target = all[targets[event.key] ?? -1];
  if (!target) return;
  event.preventDefault();
  for (const button of all) button.tabIndex = button === target ? 0 : -1;
  target.focus();
}

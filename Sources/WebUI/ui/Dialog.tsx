import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import type { Dialogs } from "../base/dialogs.ts";
import { useObservable } from "../base/observable.ts";
import { Button, IconButton } from "./Button.tsx";

interface DialogProps {
  title: string;
  /** Called on Escape, on the close button and on a click beside it. */
  onClose: () => void;
  children: ReactNode;
  /** Buttons below; without them the dialog has a close button. */
  footer?: ReactNode;
  isWide?: boolean;
  role?: "dialog" | "alertdialog";
}

/**
 * A modal dialog. The browser keeps focus inside, gives it back afterwards, and makes the rest inert.
 * The element with `data-autofocus` gets the focus, else the first that can (React's `autoFocus` comes too early).
 */
export function Dialog({ title, onClose, children, footer, isWide, role = "dialog" }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      role={role}
      className={`dialog${isWide ? " dialog-wide" : ""}`}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit(event);
      }}
      onMouseDown={(event) => event.target === element.current && onClose()}
    >
      <div className="dialog-inside">
        <div className="dialog-header">
          <h2 id={heading}>{title}</h2>
          {!footer && <IconButton icon="close" label="Close" onClick={onClose} />}
        </div>
        <div className="dialog-body">{children}</div>
        {footer && <div className="dialog-footer">{footer}</div>}
      </div>
    </dialog>
  );
}

/** Ctrl+Enter is the button that Enter is in a field of one line. */
function submit(event: KeyboardEvent<HTMLDialogElement>): void {
  event.preventDefault();
  event.currentTarget.querySelector<HTMLButtonElement>("button[type=submit]:not(:disabled)")?.click();
}

/** Shows what `dialogs.confirm` asks. */
export function QuestionDialog({ dialogs }: { dialogs: Dialogs }) {
  const { current } = useObservable(dialogs);
  if (!current) return null;
  return (
    <Dialog
      key={current.title}
      role="alertdialog"
      title={current.title}
      onClose={() => current.answer(false)}
      footer={
        <>
          <Button data-autofocus onClick={() => current.answer(false)}>{current.cancel ?? "Cancel"}</Button>
          <Button kind={current.isDestructive ? "danger" : "primary"} onClick={() => current.answer(true)}>
            {current.confirm}
          </Button>
        </>
      }
    >
      {current.text && <p>{current.text}</p>}
    </Dialog>
  );
}

import { type ReactNode, useEffect, useRef } from "react";

/** A pane that slides in from the side and stands above the rest until it is left. */
export function Drawer(
  { label, onClose, children }: { label: string; onClose: () => void; children: ReactNode },
) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className="drawer"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onMouseDown={(event) => event.target === element.current && onClose()}
    >
      {children}
    </dialog>
  );
}

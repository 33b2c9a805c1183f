import { useObservable } from "../base/observable.ts";
import type { Toast, Toasts } from "../base/toasts.ts";
import { Icon } from "./Icon.tsx";

/**
 * The place of toasts: one per window, always rendered, because a live region must exist before it is
 * announced.
 */
export function ToastRegion({ toasts }: { toasts: Toasts }) {
  const { list } = useObservable(toasts);
  return (
    <div className="toasts">
      {(["plain", "problem"] as const).map((kind) => (
        <div key={kind} role={kind === "plain" ? "status" : "alert"}>
          {list.filter((toast) =>
            toast.kind === kind
          )
            .map((toast) => <ToastView key={toast.id} toast={toast} toasts={toasts} />)}
        </div>
      ))}
    </div>
  );
}

function ToastView({ toast, toasts }: { toast: Toast; toasts: Toasts }) {
  const { id, kind, text, isTappable, hasCountdown, seconds } = toast;
  return (
    <div
      className={`toast toast-${kind}`}
      onMouseEnter={() => !hasCountdown && toasts.hold(id)}
      onMouseLeave={() => toasts.resume(id)}
    >
      {kind === "problem" && <Icon name="warning" />}
      <span className="toast-text" onClick={isTappable ? () => toasts.act(id) : undefined}>{text}</span>
      {(["action", "second"] as const).map((which) =>
        toast[which] && (
          <button
            key={which}
            type="button"
            className="toast-action"
            onClick={() => toasts.act(id, which)}
          >
            {toast[which].label}
          </button>
        )
      )}
      <button type="button" className="toast-close" aria-label="Dismiss" onClick={() => toasts.dismiss(id)}>
        <Icon name="close" />
      </button>
      {hasCountdown && seconds !== null && (
        <span className="toast-countdown" style={{ animationDuration: `${seconds}s` }} />
      )}
    </div>
  );
}

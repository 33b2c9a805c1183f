import { useObservable } from "../base/observable.ts";
import type { Toasts } from "../base/toasts.ts";
import { Icon } from "./Icon.tsx";

/** Where toasts appear. One per window, always there, for a live region has to exist before it speaks. */
export function ToastRegion({ toasts }: { toasts: Toasts }) {
  const { list } = useObservable(toasts);
  return (
    <div className="toasts">
      {(["plain", "problem"] as const).map((kind) => (
        <div key={kind} role={kind === "plain" ? "status" : "alert"}>
          {list.filter((toast) =>
            toast.kind === kind
          ).map((toast) => (
            <div
              key={toast.id}
              className={`toast toast-${kind}`}
              onMouseEnter={() => !toast.hasCountdown && toasts.hold(toast.id)}
              onMouseLeave={() => toasts.resume(toast.id)}
            >
              {kind === "problem" && <Icon name="warning" />}
              <span
                className="toast-text"
                onClick={toast.isTappable ? () => toasts.act(toast.id) : undefined}
              >
                {toast.text}
              </span>
              {toast.action && (
                <button
                  type="button"
                  className="toast-action"
                  onClick={() => toasts.act(toast.id)}
                >
                  {toast.action.label}
                </button>
              )}
              {toast.second && (
                <button
                  type="button"
                  className="toast-action"
                  onClick={() => toasts.act(toast.id, "second")}
                >
                  {toast.second.label}
                </button>
              )}
              <button
                type="button"
                className="toast-close"
                aria-label="Dismiss"
                onClick={() => toasts.dismiss(toast.id)}
              >
                <Icon name="close" />
              </button>
              {toast.hasCountdown && toast.seconds !== null && (
                <span className="toast-countdown" style={{ animationDuration: `${toast.seconds}s` }} />
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

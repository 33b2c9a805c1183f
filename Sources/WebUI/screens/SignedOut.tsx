import { useEffect } from "react";

interface SignedOutProps {
  /** Whether something that was written is in this window alone. */
  isWriting?: boolean;
  /** Looks whether the browser is signed in by now. */
  again: () => void;
}

/** The cookie is gone or has ended: only the program can make another link. */
export function SignedOut({ isWriting, again }: SignedOutProps) {
  // The user may sign in in another tab; then this one continues too.
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && again();
    addEventListener("focus", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [again]);
  return (
    <main className="center">
      <div className="empty">
        <h1 className="empty-title">This browser is not signed in</h1>
        <p className="empty-text">
          Open mailkernel from your desktop, or run this command in a terminal. It opens the page with a new
          link.
        </p>
        <pre className="command">mailkernel open</pre>
        {isWriting && (
          <p className="empty-text">
            Your unsaved text is kept in this window until you have signed in.
          </p>
        )}
      </div>
    </main>
  );
}

/** The cookie is gone or has ended: only the program can make another link. */
export function SignedOut() {
  return (
    <main className="center">
      <div className="empty">
        <h1 className="empty-title">This browser is not signed in</h1>
        <p className="empty-text">
          Open mailkernel again from your desktop, or run this in a terminal. It opens the page with a new
          link.
        </p>
        <pre className="command">mailkernel open</pre>
      </div>
    </main>
  );
}

/** The API that makes an address acceptable to the page's policy; TypeScript does not know it yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): {
    createScriptURL(url: string): string;
  };
}

/**
 * Installed as an app, the page has something to show while the program is not running: a service worker with nothing
 * but that page. In a tab there is none, so that nothing stands between the browser and the program.
 */
export function keepOfflinePage(): void {
  if (!navigator.serviceWorker) return;
  if (matchMedia("(display-mode: standalone)").matches) register();
  else addEventListener("appinstalled", register, { once: true });
}

function register(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("offline", { createScriptURL: (url) => url });
  const worker = policy?.createScriptURL("/offline.js") ?? "/offline.js";
  // Without it, the browser shows its own page.
  navigator.serviceWorker.register(worker).catch(() => {});
}

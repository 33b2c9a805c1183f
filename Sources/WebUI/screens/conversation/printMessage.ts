import type { Toasts } from "../../base/toasts.ts";

/** What is slower than so many milliseconds, such as an image, is left out. */
const PATIENCE = 10_000;

/** Only a wait of more milliseconds is worth a word. */
const SLOW = 500;

/** The message that is being prepared. */
let preparing: AbortController | null = null;

/** Prints one message of the conversation, once all of it is there: the style sheet leaves out what is not marked. */
export async function printMessage(message: Element | null, toasts: Toasts): Promise<void> {
  if (!message) return;
  preparing?.abort();
  const stop = preparing = new AbortController();
  let toast: number | null = null;
  const timer = setTimeout(() => {
    toast = toasts.show("Preparing to print…", { seconds: null });
  }, SLOW);
  await settled(message, stop.signal);
  clearTimeout(timer);
  if (toast !== null) toasts.dismiss(toast);
  // Another one was asked for meanwhile, or the user has gone on.
  if (stop.signal.aborted || !message.isConnected) return;
  // Its timer has nothing left to do.
  stop.abort();
  preparing = null;
  message.setAttribute("data-printed", "");
  printOnly("message", () => message.removeAttribute("data-printed"));
}

/** Prints the selected conversations that are ready for it. */
export function printSelection(onEnd: () => void): void {
  printOnly("selection", onEnd);
}

function printOnly(what: string, onEnd: () => void): void {
  const root = document.documentElement;
  root.dataset["print"] = what;
  const end = () => {
    delete root.dataset["print"];
    onEnd();
  };
  addEventListener("afterprint", end, { once: true });
  print();
}

/** Waits until the frames of messages have their height, and their images are there. */
export async function settled(paper: Element, signal: AbortSignal): Promise<void> {
  const limit = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PATIENCE);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
  await Promise.race([limit, framesIn(paper, signal)]);
  const images = [...paper.querySelectorAll("iframe")]
    .flatMap((frame) => [...frame.contentDocument?.images ?? []])
    .map((image) => image.decode().catch(() => {}));
  await Promise.race([limit, Promise.all(images)]);
}

function framesIn(paper: Element, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      const frames = [...paper.querySelectorAll("iframe")];
      if (frames.some((frame) => frame.style.height === "0px")) return;
      watch.disconnect();
      resolve();
    };
    const watch = new MutationObserver(look);
    signal.addEventListener("abort", () => watch.disconnect(), { once: true });
    watch.observe(paper, { subtree: true, childList: true, attributes: true, attributeFilter: ["style"] });
    look();
  });
}

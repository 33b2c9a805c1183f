/** What is slower than so many milliseconds, such as an image, is left out. */
const PATIENCE = 10_000;

/** Prints one message of the conversation: the style sheet leaves out what is not marked. */
export function printMessage(message: Element | null): void {
  if (!message) return;
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

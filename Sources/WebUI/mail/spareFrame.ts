/** Frames for mail. One is loaded ahead of time: its document takes longer to come than most messages. */

/** The document that mail is shown in. Its policy is in the program's answer. */
const DOCUMENT = "/mail.frame.html";

/** An element that can take another one without the frames in it being loaded again. */
interface Mover {
  moveBefore?: (node: Element, child: Node | null) => void;
}

let spare: HTMLIFrameElement | null = null;

/** Loads a frame for the next message, where the browser can put it in its place without loading it again. */
export function prepareFrame(): void {
  if (spare || !("moveBefore" in Element.prototype)) return;
  const store = document.createElement("div");
  store.hidden = true;
  spare = make();
  store.append(spare);
  document.body.append(store);
}

/** Puts an empty frame into an element: the one that is loaded, or one that will be. A frame holds one message only. */
export function placeFrame(place: HTMLElement): HTMLIFrameElement {
  const ready = spare && isLoaded(spare) && spare.isConnected ? spare : null;
  const store = spare?.parentElement;
  // One that did not come in time, or at all, is not waited for.
  spare = null;
  const frame = ready ?? make();
  frame.className = "mail-frame";
  if (ready) (place as Mover).moveBefore?.(ready, null);
  else place.append(frame);
  store?.remove();
  return frame;
}

/** Whether it has the document for mail, and not one that says why it could not be loaded. */
export function isLoaded({ contentDocument }: HTMLIFrameElement): boolean {
  return contentDocument?.readyState === "complete" && contentDocument.location.pathname === DOCUMENT;
}

function make(): HTMLIFrameElement {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  frame.referrerPolicy = "no-referrer";
  frame.title = "Message";
  frame.src = DOCUMENT;
  return frame;
}

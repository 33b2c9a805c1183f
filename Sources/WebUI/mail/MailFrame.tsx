import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { goTo, isShown, targetOf, watchPlaces } from "./anchors.ts";
import { watchHeight } from "./frameHeight.ts";
import type { SearchMark } from "../jmap/vendor.ts";
import { choosesColors } from "./frameStyle.ts";
import { isBlank } from "./legible.ts";
import { LinkGuard, type LinkHandlers } from "./linkGuard.ts";
import { dress } from "./looks.ts";
import { markFound } from "./marks.ts";
import { FOLDED, markQuotedEnd } from "./quotes.ts";
import { isLoaded, placeFrame, prepareFrame } from "./spareFrame.ts";
import { useSuffixes } from "./useSuffixes.ts";
import { fill, unformat, WRAPPER } from "./wrapper.ts";

interface MailFrameProps extends LinkHandlers {
  /** From `EmailView/get`: made safe by the program. Null while it is asked for. */
  html: string | null;
  /** Images that are still coming. When some have come, the mail is put in once more. */
  pendingImageCount: number;
  title: string;
  rem: number;
  isDark: boolean;
  /** Whether it keeps its colors, on white paper, where the page is dark. */
  isOriginal: boolean;
  /** Whether the quoted end is shown. */
  showsQuote: boolean;
  /** Whether the sender's formatting is left out. */
  isPlain: boolean;
  /** Warnings about look-alike hosts, keyed by host. */
  linkWarnings: Record<string, string>;
  /** What was searched for, to be marked. */
  marks: SearchMark[];
  /** Whether the first marked place is brought into view, once. */
  isSought: boolean;
  onQuote: (hasQuote: boolean) => void;
  /** Whether its formatting hides its text. */
  onBlank: (isBlank: boolean) => void;
  /** A link leads into the quoted end, which has to be shown. */
  onUnfold: () => void;
  /** So many images of other servers were asked for and did not come. */
  onFailedImages: (count: number) => void;
  /** Keys that are pressed in the frame are the page's. */
  onKey: (event: KeyboardEvent) => void;
}

/** The next frame is loaded once this message is shown. */
const NEXT_AFTER = 300;

/**
 * The only way for the HTML of messages into a document.
 *
 * It is a separate document, in a sandbox without scripts, forms and navigation of the page, whose policy
 * loads only images of this origin. The program has sanitized the HTML; here it would be harmless even if
 * that had failed. No other code may put mail into `innerHTML`: the page's policy (trusted types) prevents
 * it.
 */
export function MailFrame(props: MailFrameProps) {
  const place = useRef<HTMLDivElement>(null);
  const newest = useRef(props);
  newest.current = props;
  const { frame, inside, guard } = useFrame(place);
  useContent(inside, newest);
  const height = useInside(inside, frame, newest);
  useLooks(inside, guard, props, height);
  useMarks(inside, frame, props, height);
  useEffect(() => guard?.watch(() => newest.current), [guard]);
  useLayoutEffect(() => {
    if (frame.current) frame.current.title = props.title;
  }, [frame, props.title]);
  return <div ref={place} className="mail-place" />;
}

/** A frame of its own, and the document in it once there is one. */
function useFrame(place: RefObject<HTMLElement>) {
  const frame = useRef<HTMLIFrameElement | null>(null);
  const [inside, setInside] = useState<Document | null>(null);
  const [guard, setGuard] = useState<LinkGuard | null>(null);
  useLayoutEffect(() => {
    if (!place.current) return;
    const placed = placeFrame(place.current);
    frame.current = placed;
    const loaded = () => {
      const { contentDocument } = placed;
      setInside(contentDocument);
      setGuard(contentDocument && new LinkGuard(contentDocument));
    };
    placed.addEventListener("load", loaded);
    if (isLoaded(placed)) loaded();
    const timer = setTimeout(prepareFrame, NEXT_AFTER);
    return () => {
      clearTimeout(timer);
      placed.remove();
      prepareFrame();
    };
  }, [place]);
  return { frame, inside, guard };
}

/** Puts the mail into its document. */
function useContent(inside: Document | null, newest: { readonly current: MailFrameProps }): void {
  const { html, pendingImageCount, isPlain } = newest.current;
  useEffect(() => {
    if (!inside || html === null) return;
    const { body } = inside;
    fill(body, html);
    if (isPlain) unformat(body);
    newest.current.onFailedImages(0);
    const content = body.querySelector(`:scope > ${WRAPPER}`) ?? body;
    newest.current.onQuote(markQuotedEnd(content));
    relaxColumns(body);
  }, [inside, html, pendingImageCount, isPlain]);
}

/** Its colors, its size, and which of it can be seen. */
function useLooks(
  inside: Document | null,
  guard: LinkGuard | null,
  props: MailFrameProps,
  height: number,
): void {
  const { html, rem, isDark, isOriginal, showsQuote, isPlain, linkWarnings, onBlank } = props;
  const suffixes = useSuffixes();
  const content = [inside, html, props.pendingImageCount, isPlain];
  const looks = [rem, isDark, isOriginal];
  useEffect(() => {
    if (!inside || html === null) return;
    dress(inside, { rem, isDark, isOriginal, hasColors: !isPlain && choosesColors(html) });
  }, [...content, ...looks]);
  useEffect(() => {
    if (inside && html !== null) inside.body.className = showsQuote ? "" : "fold";
  }, [...content, showsQuote]);
  useEffect(() => {
    if (inside && html !== null) onBlank(isBlank(inside));
  }, [...content, ...looks, showsQuote, height]);
  useEffect(() => {
    // With its look the visible text of links changes too, and only what is in the frame can be seen: first nothing.
    if (!inside || html === null || height === 0) return;
    guard?.check(suffixes, linkWarnings);
  }, [...content, ...looks, showsQuote, height, guard, suffixes, linkWarnings]);
}

/** Marks what was searched for, and brings the first of it into view once it has its place. */
function useMarks(
  inside: Document | null,
  frame: RefObject<HTMLIFrameElement>,
  props: MailFrameProps,
  height: number,
): void {
  const { html, pendingImageCount, isPlain, marks, isSought, onUnfold } = props;
  const [first, setFirst] = useState<Range | null>(null);
  const isShownOnce = useRef(false);
  useEffect(() => {
    if (inside && html !== null) setFirst(markFound(inside, marks)[0] ?? null);
  }, [inside, html, pendingImageCount, isPlain, marks]);
  useEffect(() => {
    if (!first || !isSought || isShownOnce.current || height === 0) return;
    const element = first.startContainer.parentElement;
    if (element?.closest(`[${FOLDED}]`) && !props.showsQuote) return onUnfold();
    isShownOnce.current = true;
    const view = frame.current?.closest(".conversation-scroll");
    if (!view || !frame.current) return;
    const top = frame.current.getBoundingClientRect().top + first.getBoundingClientRect().top;
    const place = top - view.getBoundingClientRect().top;
    if (place < 0 || place > view.clientHeight * 0.8) view.scrollTop += place - view.clientHeight / 3;
  }, [first, isSought, height, props.showsQuote]);
}

/** Listens to what happens in it, for as long as there is mail. Returns how high it is. */
function useInside(
  inside: Document | null,
  frame: RefObject<HTMLIFrameElement>,
  newest: { readonly current: MailFrameProps },
): number {
  const [height, setHeight] = useState(0);
  const hasMail = newest.current.html !== null;
  /** Where a link led to that is being unfolded: it is in view only when its frame is as high. */
  const awaited = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (frame.current) frame.current.style.height = `${height}px`;
    if (awaited.current) goTo(awaited.current);
    awaited.current = null;
  }, [frame, height]);
  useEffect(() => {
    if (!inside || !hasMail) return;
    const unwatch = watchHeight(inside, setHeight);
    const stop = new AbortController();
    const { signal } = stop;
    inside.addEventListener("keydown", (event) => newest.current.onKey(event), { signal });
    watchImages(inside, signal, (failed) => newest.current.onFailedImages(failed));
    watchPlaces(inside, signal, (place) => {
      const top = frame.current?.closest("article") ?? frame.current;
      const target = top && targetOf(place, inside, top);
      if (!target) return;
      if (target.closest(`[${FOLDED}]`)) newest.current.onUnfold();
      awaited.current = isShown(target) ? null : target;
      goTo(target);
    });
    return () => {
      unwatch();
      stop.abort();
    };
  }, [inside, hasMail]);
  return height;
}

/** Counts the images of other servers that did not come. */
function watchImages(inside: Document, signal: AbortSignal, onFailed: (count: number) => void): void {
  inside.addEventListener("error", (event) => {
    const image = event.target as Element;
    if (image.hasAttribute("data-remote")) image.setAttribute("data-failed", "");
    onFailed(inside.querySelectorAll("[data-failed]").length);
  }, { signal, capture: true });
}

/** Cells as wide as a phone would make the message scroll sideways. Its tables are never wider than the frame. */
function relaxColumns(body: HTMLElement): void {
  for (const cell of body.querySelectorAll("td[width], th[width]")) {
    if (!(Number(cell.getAttribute("width")) > 280)) continue;
    // Two cells of 100 % would leave a letter's width to the second.
    if (cell.parentElement?.childElementCount === 1) cell.setAttribute("width", "100%");
    else cell.removeAttribute("width");
  }
}

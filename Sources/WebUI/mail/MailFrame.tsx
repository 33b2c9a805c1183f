import { useEffect, useRef, useState } from "react";
import { choosesColours, frameStyle } from "./frameStyle.ts";
import { misleads } from "./links.ts";
import { markQuotedEnd } from "./quotes.ts";

interface MailFrameProps {
  /** From `EmailView/get`: made safe by the program. Null while it is asked for. */
  html: string | null;
  title: string;
  rem: number;
  isDark: boolean;
  /** Whether the quoted end is shown. */
  showsQuote: boolean;
  onQuote: (hasQuote: boolean) => void;
  /** The address of the link that is pointed at or focused. */
  onLink: (address: string | null) => void;
  /** Keys that are pressed in the frame are the page's. */
  onKey: (event: KeyboardEvent) => void;
  /** A `mailto:` link was followed. */
  onWrite: (mailto: string) => void;
  /** A link was followed whose text names another host than it leads to. */
  onMisleading: (says: string, leadsTo: string, open: () => void) => void;
}

/**
 * The one door through which mail's HTML gets into a document.
 *
 * It is a document of its own, in a sandbox without scripts, forms and navigation of the page, whose policy loads
 * images of this origin and nothing else. The program has made the HTML safe before; here it would be harmless even
 * if it had not. Nobody else may put mail into `innerHTML`: the page's policy (trusted types) would refuse it.
 */
export function MailFrame(props: MailFrameProps) {
  const { html, title, rem, isDark, showsQuote } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const newest = useRef(props);
  newest.current = props;
  const [inside, setInside] = useState<Document | null>(null);
  const [height, setHeight] = useState(0);
  const hasMail = html !== null;

  useEffect(() => {
    if (!inside || html === null) return;
    const { body } = inside;
    body.innerHTML = html;
    const content = body.querySelector(":scope > div") ?? body;
    newest.current.onQuote(markQuotedEnd(content));
    for (const link of body.querySelectorAll<HTMLAnchorElement>("a[href]")) {
      link.target = "_blank";
      link.rel = "noopener noreferrer";
      link.title = link.href;
    }
    for (const table of body.querySelectorAll("table[width], td[width]")) {
      // A width in pixels would make the whole page scroll sideways on a phone.
      if (Number(table.getAttribute("width")) > 280) table.setAttribute("width", "100%");
    }
  }, [inside, html]);

  useEffect(() => {
    if (!inside || html === null) return;
    const isPaper = choosesColours(html);
    style(inside).textContent = frameStyle({ rem, isDark, isPaper });
    inside.body.className = showsQuote ? "" : "fold";
  }, [inside, html, rem, isDark, showsQuote]);

  useEffect(() => {
    if (!inside || !hasMail) return;
    const measure = () => setHeight(Math.ceil(inside.body.getBoundingClientRect().height));
    const observer = new ResizeObserver(measure);
    observer.observe(inside.body);
    const point = (event: Event) => {
      const link = (event.target as Element | null)?.closest?.("a[href]") as HTMLAnchorElement | null;
      newest.current.onLink(link?.href ?? null);
    };
    const leave = () => newest.current.onLink(null);
    const press = (event: KeyboardEvent) => newest.current.onKey(event);
    const follow = (event: Event) => {
      const link = (event.target as Element | null)?.closest?.("a[href]") as HTMLAnchorElement | null;
      if (!link) return;
      const { href, hostname } = link;
      const says = misleads(link.textContent ?? "", hostname);
      if (href.startsWith("mailto:")) newest.current.onWrite(href);
      else if (!/^(https?|tel):/.test(href)) {
        // Whatever else an address may do, it opens no page.
      } else if (says) {
        newest.current.onMisleading(says, hostname, () => open(href, "_blank", "noopener,noreferrer"));
      } else return;
      event.preventDefault();
    };
    inside.addEventListener("click", follow);
    inside.addEventListener("mouseover", point);
    inside.addEventListener("focusin", point);
    inside.addEventListener("mouseleave", leave);
    inside.addEventListener("focusout", leave);
    inside.addEventListener("keydown", press);
    // Images of the message load after its text.
    inside.addEventListener("load", measure, true);
    return () => {
      observer.disconnect();
      inside.removeEventListener("click", follow);
      inside.removeEventListener("mouseover", point);
      inside.removeEventListener("focusin", point);
      inside.removeEventListener("mouseleave", leave);
      inside.removeEventListener("focusout", leave);
      inside.removeEventListener("keydown", press);
      inside.removeEventListener("load", measure, true);
    };
  }, [inside, hasMail]);

  return (
    <iframe
      ref={frame}
      className="mail-frame"
      src="/mail.frame.html"
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      referrerPolicy="no-referrer"
      title={title}
      style={{ height: `${height}px` }}
      onLoad={() => setInside(frame.current?.contentDocument ?? null)}
    />
  );
}

function style(inside: Document): HTMLStyleElement {
  const found = inside.head.querySelector("style");
  if (found) return found;
  const made = inside.createElement("style");
  inside.head.append(made);
  return made;
}

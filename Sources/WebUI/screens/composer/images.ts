/** Images in the HTML of a message: each is a file of the message, which it names by its content id. */
const IMAGE = /<img\b[^>]*\bsrc\s*=\s*["']cid:([^"']+)["'][^>]*>/gi;

/** The content id of an image that was inserted here. */
const OWN = "@mailkernel";

/** A new content id. */
export function contentID(): string {
  return `${crypto.randomUUID()}${OWN}`;
}

/** HTML without the images that a message no longer has, and how many those are. */
export function withoutImages(
  html: string,
  isGone: (cid: string) => boolean,
): { html: string; count: number } {
  let count = 0;
  const rest = html.replace(IMAGE, (image, cid: string) => {
    if (!isGone(cid)) return image;
    count += 1;
    return "";
  });
  return { html: rest, count };
}

/** The same without images that were inserted here, but never became files. Those of an original are its sender's. */
export function withoutLostImages(
  html: string,
  files: { cid?: string | null }[],
): { html: string; count: number } {
  const kept = new Set(files.map(({ cid }) => cid));
  return withoutImages(html, (cid) => cid.endsWith(OWN) && !kept.has(cid));
}

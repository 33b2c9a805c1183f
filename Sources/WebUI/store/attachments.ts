import type { BodyPart, Id } from "../jmap/types.ts";
import { inOrder } from "./words.ts";

/** How an attachment can be looked at in the page. */
export type Kind = "image" | "pdf" | "text" | "audio" | "video";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"];
/** Formats of text that are not named so. */
const TEXTS = /^application\/(?:json|xml|x-yaml|yaml|toml|sql|x-ndjson|(?:[\w.-]+\+)(?:json|xml))$/;

/** The types of files whose sender only said that they are files. */
const TYPES: Record<string, string> = {
  avif: "image/avif",
  csv: "text/csv",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  log: "text/plain",
  m4a: "audio/mp4",
  md: "text/markdown",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
};

/** The type that says most, in lower case. */
export function typeOf({ type, name }: Pick<BodyPart, "type" | "name">): string {
  const said = type.toLowerCase();
  if (said !== "application/octet-stream") return said;
  return TYPES[/\.(\w+)$/.exec(name ?? "")?.[1]?.toLowerCase() ?? ""] ?? said;
}

/** Null for a file that can only be saved. */
export function kindOf(part: Pick<BodyPart, "type" | "name">): Kind | null {
  const type = typeOf(part);
  if (IMAGES.includes(type)) return "image";
  if (type === "application/pdf") return "pdf";
  if (type.startsWith("audio/")) return "audio";
  if (type.startsWith("video/")) return "video";
  return type.startsWith("text/") || TEXTS.test(type) ? "text" : null;
}

export function fileName({ name }: Pick<BodyPart, "name">): string {
  return inOrder(name ?? "").replace(/\s+/g, " ").trim() || "Attachment without a name";
}

/** The attachments that are not images in the text of the message already. */
export function listedParts(accountId: Id, parts: BodyPart[], html: string | null): BodyPart[] {
  const isInText = ({ cid, blobId }: BodyPart) =>
    cid !== null && html?.includes(`/${encodeURIComponent(accountId)}/${encodeURIComponent(blobId ?? "")}/`);
  return parts.filter((part) => part.blobId !== null && !(kindOf(part) === "image" && isInText(part)));
}

/** A name for each file that a file system takes, no two of them the same. */
export function fileNames(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    // deno-lint-ignore no-control-regex
    const safe = name.replace(/[\0-\x1f\x7f/\\:*?"<>|]/g, "_").replace(/^\.+/, "_").slice(0, 150) || "file";
    const [, stem = safe, ending = ""] = /^(.*?)(\.[^.]{1,10})?$/s.exec(safe) ?? [];
    let free = safe;
    for (let next = 2; taken.has(free.toLowerCase()); next += 1) free = `${stem} (${next})${ending}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

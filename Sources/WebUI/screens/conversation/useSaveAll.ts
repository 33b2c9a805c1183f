import { useEffect, useRef, useState } from "react";
import { zip, type ZipFile } from "../../base/zip.ts";
import { download, downloadURL } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import type { BodyPart, Id } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { fileName, fileNames } from "../../store/attachments.ts";
import { askAboutRisk, keep } from "./keep.ts";

/** Saves all attachments of a message as one archive. `received` is null while nothing is being saved. */
export function useSaveAll(accountId: Id, parts: BodyPart[], risks: Record<Id, string>, title: string) {
  const app = useApp();
  const [received, setReceived] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const names = fileNames(parts.map(fileName));

  async function load(signal: AbortSignal): Promise<{ files: ZipFile[]; dangers: [string, string][] }> {
    const [files, dangers]: [ZipFile[], [string, string][]] = [[], []];
    let before = 0;
    for (const [at, { blobId, type }] of parts.entries()) {
      const name = names[at] ?? "";
      const url = downloadURL(accountId, blobId ?? "", name, type);
      const { blob, risk } = await download(url, type, (sum) => setReceived(before + sum), signal);
      before += blob.size;
      files.push({ name, content: blob });
      const danger = risks[blobId ?? ""] ?? risk;
      if (danger) dangers.push([name, danger]);
    }
    return { files, dangers };
  }

  async function saveAll(): Promise<void> {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setReceived(0);
    try {
      const { files, dangers } = await load(signal);
      const [first] = dangers;
      if (first && !await askAboutRisk(app, ...first)) return;
      const [name = ""] = fileNames([title]);
      keep(await zip(files), `${name}.zip`);
    } catch (error) {
      if (signal.aborted) return;
      app.toasts.problem(`The attachments could not be saved: ${words(error)}`, {
        label: "Try again",
        run: saveAll,
      });
    } finally {
      setReceived(null);
    }
  }
  return { received, saveAll, stop: () => stop.current?.abort() };
}

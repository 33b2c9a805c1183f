import { useEffect, useRef, useState } from "react";
import { useObservable } from "../../base/observable.ts";
import { download, downloadURL } from "../../jmap/blobs.ts";
import { words } from "../../jmap/errors.ts";
import type { BodyPart, Id } from "../../jmap/types.ts";
import type { BlobFetch } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { fileName, typeOf } from "../../store/attachments.ts";
import { askAboutRisk, keep } from "./keep.ts";

/** An attachment: its name, address and risk, and its progress while it is downloading. */
export function useAttachment(accountId: Id, part: BodyPart, known: string | null) {
  const app = useApp();
  // What its bytes are may be known only when they have come.
  const [found, setFound] = useState<string | null>(null);
  const risk = known ?? found;
  const [saved, setSaved] = useState<number | null>(null);
  const fetches = useObservable(app.records<BlobFetch>("BlobFetch"));
  // First it comes from the service, then from this machine, which takes no time.
  const fetched = fetches.list.find(({ id }) => id === part.blobId)?.received ?? 0;
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const name = fileName(part);
  const address = downloadURL(accountId, part.blobId ?? "", name, typeOf(part));

  async function save(): Promise<void> {
    if (risk && !await askAboutRisk(app, name, risk)) return;
    stop.current = new AbortController();
    const { signal } = stop.current;
    setSaved(0);
    fetches.load();
    try {
      const { blob, risk: came } = await download(address, "application/octet-stream", setSaved, signal);
      setSaved(null);
      if (came && !risk) {
        setFound(came);
        if (!await askAboutRisk(app, name, came)) return;
      }
      keep(blob, name);
    } catch (error) {
      setSaved(null);
      if (signal.aborted) return;
      const again = { label: "Try again", run: save };
      app.toasts.problem(`“${name}” could not be downloaded: ${words(error)}`, again);
    }
  }
  return {
    name,
    address,
    risk,
    received: saved === null ? null : Math.max(saved, Math.min(fetched, part.size)),
    save,
    stop: () => stop.current?.abort(),
  };
}

import { zip, type ZipFile } from "../../base/zip.ts";
import { download, downloadURL } from "../../jmap/blobs.ts";
import type { App } from "../../store/app.ts";
import { type MessageFile, messageNames } from "../../store/messageFiles.ts";
import { count, counted, size } from "../../store/words.ts";
import { keep } from "./keep.ts";
import { save } from "./save.ts";

/** The browser holds so many bytes until it has saved them. */
const MOST_BYTES = 1_000_000_000;

/** Saves one message as a file, or several as an archive of files. */
export async function saveMessages({ toasts }: App, files: MessageFile[]): Promise<void> {
  const [first] = files;
  if (!first) return void toasts.show("There is no message to save.");
  const names = messageNames(files);
  if (files.length === 1) return save(addressOf(first, names[0] ?? ""));
  const all = files.reduce((sum, file) => sum + file.size, 0);
  if (all > MOST_BYTES) {
    const limit = `Up to ${size(MOST_BYTES)} can be saved at once, and these are ${size(all)}.`;
    return void toasts.problem(`${limit} Settings can export whole accounts.`);
  }
  const stop = new AbortController();
  const done = (number: number) => `Saving ${counted(files.length, "message")}: ${count(number)} done`;
  const action = { label: "Cancel", run: () => stop.abort() };
  const toast = toasts.show(done(0), { seconds: null, action });
  try {
    const kept: ZipFile[] = [];
    for (const [at, file] of files.entries()) {
      const name = names[at] ?? "";
      const { blob } = await download(addressOf(file, name), "message/rfc822", undefined, stop.signal);
      kept.push({ name, content: blob });
      toasts.update(toast, { text: done(kept.length) });
    }
    keep(await zip(kept), `${counted(files.length, "message")}.zip`);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    toasts.dismiss(toast);
  }
}

function addressOf({ accountId, blobId }: MessageFile, name: string): string {
  return downloadURL(accountId, blobId, name, "message/rfc822");
}

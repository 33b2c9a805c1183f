import type { OpenEditor } from "./editor/types.ts";

/** The editor is a bundle of its own, so that the mail is shown without waiting for it. */
const PLACE = "/editor.js";

let loading: Promise<OpenEditor> | null = null;

export function loadEditor(): Promise<OpenEditor> {
  loading ??= import(PLACE).then(({ openEditor }) => openEditor as OpenEditor, () => {
    loading = null;
    throw new Error("The editor could not be loaded.");
  });
  return loading;
}

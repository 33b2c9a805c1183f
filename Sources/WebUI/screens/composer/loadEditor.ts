import type { EditorBundle } from "./editor/types.ts";

/** The editor is a bundle of its own, so that the mail is shown without waiting for it. */
const PLACE = "/editor.js";

let loading: Promise<EditorBundle> | null = null;

export function loadEditor(): Promise<EditorBundle> {
  loading ??= import(PLACE).then((bundle) => bundle as EditorBundle, () => {
    loading = null;
    throw new Error("The editor could not be loaded.");
  });
  return loading;
}

import type { App } from "../../store/app.ts";

/** Whether a file is to be saved that can do harm. */
export function askAboutRisk(app: App, name: string, why: string): Promise<boolean> {
  return app.dialogs.confirm({
    title: "This file may be dangerous",
    text: `“${name}”: ${why} Save it only if you expected it and trust its sender.`,
    confirm: "Save anyway",
    isDestructive: true,
  });
}

/** Saves what is in memory. */
export function keep(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

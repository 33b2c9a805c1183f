import { useObservable } from "../base/observable.ts";
import type { Preferences } from "../jmap/vendor.ts";
import type { Records } from "./records.ts";

/** How much room a row of a list takes. */
export type Density = "compact" | "cozy" | "roomy";

/** Where an open conversation is shown: beside the list, below it, or in its place. */
export type ReadingPane = "right" | "below" | "off";

/** The panes whose size the user can change. */
export type PaneName = "sidebar" | "list" | "listHeight";

export interface Appearance {
  density: Density;
  readingPane: ReadingPane;
  textSize: number;
  paneSizes: Partial<Record<PaneName, number>>;
  collapsed: Record<string, boolean>;
}

/** What the user chose, or how the page is at first. */
export function useAppearance({ preferences }: { preferences: Records<Preferences> }): Appearance {
  const chosen = useObservable(preferences).get("singleton");
  return {
    density: chosen?.listDensity ?? "cozy",
    readingPane: chosen?.readingPane ?? "right",
    textSize: chosen?.textSizePercent ?? 100,
    paneSizes: chosen?.paneSizes ?? {},
    collapsed: chosen?.collapsedFolders ?? {},
  };
}

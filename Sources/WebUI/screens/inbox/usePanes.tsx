import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from "react";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { type PaneName, type ReadingPane, useAppearance } from "../../store/appearance.ts";
import { useMeasures } from "../../ui/layout.ts";
import { Splitter } from "../../ui/Splitter.tsx";

/** Where an open conversation is shown: as the user chose, if there is room. */
export function useReadingPane(): ReadingPane {
  const { readingPane } = useAppearance(useApp());
  const { layout, isLow } = useMeasures();
  if (layout === "narrow") return "off";
  return readingPane === "below" && isLow ? "right" : readingPane;
}

/** What panes need at least, in `rem`; the style sheet holds them to it when the window gets smaller. */
const PANES: Record<PaneName, { label: string; least: { before: number; after: number } }> = {
  sidebar: { label: "Width of the folders", least: { before: 11, after: 40 } },
  list: { label: "Width of the list", least: { before: 17, after: 18 } },
  listHeight: { label: "Height of the list", least: { before: 11, after: 8 } },
};

/** Sizes are saved once the line has rested this long. */
const REST_MS = 400;

/** The size of a pane, for the style of what holds it, and the line that changes it. */
export function usePaneSize(name: PaneName): { style: CSSProperties; splitter: ReactNode } {
  const { size, change } = useRemembered(name);
  const style = size === null ? {} : { [`--${name}`]: `${size / 10}%` } as CSSProperties;
  const isHorizontal = name === "listHeight";
  return {
    style,
    splitter: <Splitter {...PANES[name]} isHorizontal={isHorizontal} size={size} onSize={change} />,
  };
}

/** A size that follows the pointer and is kept in the preferences. */
function useRemembered(name: PaneName) {
  const app = useApp();
  const { paneSizes } = useAppearance(app);
  /** Undefined while it is the saved one. */
  const [moved, setMoved] = useState<number | null | undefined>(undefined);
  const saving = useRef<{ timer: number; save: () => void } | null>(null);
  useEffect(() => () => saving.current?.save(), []);
  const change = (size: number | null) => {
    setMoved(size);
    clearTimeout(saving.current?.timer);
    const save = () => {
      clearTimeout(saving.current?.timer);
      saving.current = null;
      const { [name]: _, ...others } = app.preferences.get("singleton")?.paneSizes ?? {};
      app.preferences.update("singleton", { paneSizes: size === null ? others : { ...others, [name]: size } })
        .catch((error) => app.toasts.problem(words(error)));
      setMoved(undefined);
    };
    saving.current = { timer: setTimeout(save, REST_MS), save };
  };
  return { size: moved === undefined ? paneSizes[name] ?? null : moved, change };
}

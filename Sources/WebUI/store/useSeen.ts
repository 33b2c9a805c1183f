import { useLayoutEffect } from "react";
import type { ListState } from "./listState.ts";

/** Notes since when mail is on the screen: a key that was pressed before is about nothing that anybody saw. */
export function useSeen(state: ListState, isShown: boolean): void {
  useLayoutEffect(() => {
    if (isShown) state.seenAt = Math.min(state.seenAt, performance.now());
  }, [state, isShown]);
}

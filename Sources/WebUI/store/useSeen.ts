import { useLayoutEffect } from "react";
import type { ListState } from "./listState.ts";

/** Records when mail became visible: an earlier key press cannot refer to it. */
export function useSeen(state: ListState, isShown: boolean): void {
  useLayoutEffect(() => {
    if (isShown) state.seenAt = Math.min(state.seenAt, performance.now());
  }, [state, isShown]);
}

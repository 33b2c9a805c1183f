import { type ReactNode, type RefObject, useMemo, useState } from "react";
import { CONVERSATIONS } from "../../actions/conversation.ts";
import type { Desk } from "../../actions/goOn.ts";
import { type Offer, offers } from "../../actions/offers.ts";
import { useApp } from "../../store/app.ts";
import { Icon } from "../../ui/Icon.tsx";
import { Progress } from "../../ui/states.tsx";
import type { VirtualListHandle } from "../../ui/VirtualList.tsx";
import { type Side, type Swiped, useSwipe } from "./swipe.ts";

interface Fingers {
  /** What is under a row that a finger moves: what will happen to it. */
  under: ReactNode;
  /** What a list that is pulled down shows above it. */
  pull: ReactNode;
}

/** What fingers do with a list: they move rows aside, and pull it down. */
export function useFingers(desk: Desk, handle: RefObject<VirtualListHandle>, rowHeight: number): Fingers {
  const app = useApp();
  const [swiped, setSwiped] = useState<Swiped | null>(null);
  const [pulled, setPulled] = useState<boolean | null>(null);
  const [isRefreshing, setRefreshing] = useState(false);
  const scroller = useMemo(() => ({
    get current() {
      return handle.current?.element ?? null;
    },
  }), []);
  const offerOf = (index: number, side: Side): Offer | undefined => {
    const row = desk.state.list.row(index);
    const targets = row ? [desk.state.target(row)] : [];
    const place = side === "right" ? "swipeRight" : "swipeLeft";
    return row && offers(CONVERSATIONS, { app, desk, targets }, place)[0];
  };
  useSwipe(scroller, {
    offers: (index, side) => offerOf(index, side) !== undefined,
    onMove: setSwiped,
    onSwipe: (index, side) => offerOf(index, side)?.run(),
    onPulling: setPulled,
    onPull: () => {
      setRefreshing(true);
      app.refresh().finally(() => setRefreshing(false));
    },
  });
  const offer = swiped && offerOf(swiped.index, swiped.side);
  return {
    under: swiped && offer && <Under swiped={swiped} offer={offer} rowHeight={rowHeight} />,
    pull: <Pull isFar={pulled} isRefreshing={isRefreshing} />,
  };
}

function Under({ swiped, offer, rowHeight }: { swiped: Swiped; offer: Offer; rowHeight: number }) {
  const { index, side, isFar } = swiped;
  return (
    <div
      className={`swipe swipe-${side} swipe-${offer.id} ${isFar ? "swipe-far" : ""}`}
      style={{ top: `${index * rowHeight}px` }}
      aria-hidden="true"
    >
      {offer.icon && <Icon name={offer.icon} />}
      <span>{offer.label}</span>
    </div>
  );
}

function Pull({ isFar, isRefreshing }: { isFar: boolean | null; isRefreshing: boolean }) {
  if (isRefreshing) {
    return (
      <div className="pull-line">
        <Progress label="Refreshing" done={0} total={null} />
      </div>
    );
  }
  if (isFar === null) return null;
  return (
    <div className={`pull ${isFar ? "pull-far" : ""}`} aria-hidden="true">
      <Icon name="refresh" />
      {isFar ? "Release to refresh" : "Pull to refresh"}
    </div>
  );
}

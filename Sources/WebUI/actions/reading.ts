import type { Action, Subject } from "./action.ts";

/** Goes through the messages of an open conversation. */
export interface ReadingSubject extends Subject {
  event: KeyboardEvent;
  reader: {
    /** Takes the focus to the next message, or to the one before. */
    step: (by: 1 | -1) => void;
    /** Expands or collapses the message that has the focus. False if none has. */
    toggle: (event: KeyboardEvent) => void | false;
    /** Scrolls by a screen; from the end, down leads to the next conversation. */
    scroll: (by: 1 | -1) => void;
  };
}

/** What a key is for where it is pressed: these press it. */
const PRESSED =
  "button, summary, input, select, textarea, audio, video, [role^=menuitem], [role=button], [role=tab]";

function unlessPressed(run: (subject: ReadingSubject) => void): (subject: ReadingSubject) => void | false {
  return (subject) => (subject.event.target as Element | null)?.closest?.(PRESSED) ? false : run(subject);
}

/** Keys that lead through a conversation. */
export const THROUGH: Action<ReadingSubject>[] = [
  { id: "nextMessage", label: "Next message", keys: ["n"], run: ({ reader }) => reader.step(1) },
  { id: "previousMessage", label: "Previous message", keys: ["p"], run: ({ reader }) => reader.step(-1) },
  {
    id: "toggleMessage",
    label: "Expand or collapse the message",
    keys: ["Enter"],
    run: ({ reader, event }) => reader.toggle(event),
  },
  {
    id: "scroll",
    label: "Scroll down, then open the next conversation",
    keys: [" "],
    // With Shift it scrolls up, as in a browser.
    run: unlessPressed(({ reader, event }) => reader.scroll(event.shiftKey ? -1 : 1)),
  },
];

/** The invitation that the keys for an answer are about: that of the message with the focus, else the newest one. */
export function chosenBar<Bar>(bars: Bar[], hasFocus: (bar: Bar) => boolean): Bar | undefined {
  return bars.find(hasFocus) ?? bars.at(-1);
}

/** Whether the keys are for this answer: several messages with invitations may be open, the newest last. */
export function hasKeys(bar: Element | null): boolean {
  // Those that are being printed are not on the screen.
  const bars = [...document.querySelectorAll(".conversation .invitation-answer")];
  const message = document.activeElement?.closest(".message");
  return bar !== null && chosenBar(bars, (one) => message?.contains(one) ?? false) === bar;
}

/** The program's `maxDelayedSend`. */
export const MOST_DAYS = 366;

export const MUST_RUN =
  "Messages are sent from this computer: it must be on, with mailkernel running. What is late is sent at the next start.";

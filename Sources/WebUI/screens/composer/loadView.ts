/** Loads what a message is written with; LaterView.tsx sets it, and tests have no view. */
export const view: { load: () => Promise<unknown> } = { load: () => Promise.resolve() };

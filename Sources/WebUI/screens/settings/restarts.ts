const PATIENCE = 100;

/** Waits for half a minute until the program answers after a restart. Returns whether it does. */
export async function untilItAnswers(answers: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (await answers()) return true;
  }
  return false;
}

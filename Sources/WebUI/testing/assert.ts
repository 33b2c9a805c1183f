/** Assertions for the page's tests, because the page uses no downloaded library. */

export function equal<T>(actual: T, expected: T): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`is ${left}\nand not ${right}`);
}

export function isTrue(value: boolean, message: string): void {
  if (!value) throw new Error(message);
}

export async function rejects(promise: Promise<unknown>, message: string): Promise<void> {
  try {
    await promise;
  } catch (error) {
    equal(error instanceof Error ? error.message : String(error), message);
    return;
  }
  throw new Error(`did not fail with “${message}”`);
}

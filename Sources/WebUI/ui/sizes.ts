/** The sizes that elements had in a window of the same size: drawn with them, a screen need not be drawn twice. */
export interface Size {
  width: number;
  height: number;
}

const KEY = "sizes";
/** While a pane is dragged, its size changes with every frame. */
const REST_MS = 500;

let known: Record<string, Size> | null = null;
let timer: number | undefined;

/** Sizes for other windows may be kept by other tabs, so each window has its own. */
function nameIn(name: string): string {
  return `${name} ${innerWidth}x${innerHeight}`;
}

/** Undefined if it was never measured. It may be out of date: measure as well. */
export function rememberedSize(name: string | undefined): Size | undefined {
  return name === undefined ? undefined : all()[nameIn(name)];
}

export function rememberSize(name: string, size: Size): void {
  const before = all()[nameIn(name)];
  if (size.width === 0 || size.height === 0) return;
  if (before?.width === size.width && before.height === size.height) return;
  // Those of this window only: a window that is resized would leave hundreds.
  const others = Object.entries(all()).filter(([key]) => key.endsWith(` ${innerWidth}x${innerHeight}`));
  known = { ...Object.fromEntries(others), [nameIn(name)]: size };
  clearTimeout(timer);
  timer = setTimeout(keep, REST_MS);
}

function all(): Record<string, Size> {
  known ??= read(stored());
  return known;
}

/** What is stored, as far as it is what was stored. */
export function read(text: string | null): Record<string, Size> {
  try {
    const entries = Object.entries(JSON.parse(text ?? "{}") as Record<string, Partial<Size>>);
    return Object.fromEntries(entries.flatMap(([name, size]) => {
      const { width, height } = size ?? {};
      return isLength(width) && isLength(height) ? [[name, { width, height }]] : [];
    }));
  } catch {
    return {};
  }
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value < 100_000;
}

/** A browser may refuse to store anything. */
function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(known));
  } catch {
    // The next page is drawn twice.
  }
}

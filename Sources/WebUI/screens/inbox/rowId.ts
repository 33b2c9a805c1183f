/** The id of a row's element, by its key. */
export function rowId(key: string): string {
  return `row-${key.replace("/", "-")}`;
}

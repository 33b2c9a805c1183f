/** The browser's own download: it asks where to, and shows how far it is. */
export function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}

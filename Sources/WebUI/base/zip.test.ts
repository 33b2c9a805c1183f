import { equal } from "../testing/assert.ts";
import { zip } from "./zip.ts";

Deno.test("an archive has its files, their sums and a directory", async () => {
  const made = await zip([
    { name: "a.txt", content: new Blob(["hello"]) },
    { name: "ü", content: new Blob([]) },
  ], new Date(2026, 10, 27, 3, 4, 6));
  const bytes = new DataView(await made.arrayBuffer());
  equal(bytes.getUint32(0, true).toString(16), "4034b50");
  equal(bytes.getUint32(14, true).toString(16), "3610a686");
  equal([bytes.getUint16(10, true) >> 11, (bytes.getUint16(12, true) >> 9) + 1980], [3, 2026]);
  const end = bytes.byteLength - 22;
  equal(bytes.getUint32(end, true).toString(16), "6054b50");
  equal(bytes.getUint16(end + 10, true), 2);
  const directory = bytes.getUint32(end + 16, true);
  equal(bytes.getUint32(directory, true).toString(16), "2014b50");
  equal(directory + bytes.getUint32(end + 12, true), end);
});

/** Makes a ZIP archive (PKWARE's APPNOTE 6.3) of files that are stored as they are: most attachments are compressed. */

export interface ZipFile {
  name: string;
  content: Blob;
}

/** Places in the archive have 32 bits; some of its bytes are names. */
const MOST = 2 ** 32 - 2 ** 24;

/** The archive refers to the files' bytes, and does not copy them. */
export async function zip(files: ZipFile[], at = new Date()): Promise<Blob> {
  const parts: BlobPart[] = [];
  const entries: BlobPart[] = [];
  let [offset, length] = [0, 0];
  if (files.reduce((sum, { content }) => sum + content.size, 0) > MOST) {
    throw new RangeError("They are too large for one archive.");
  }
  for (const { name, content } of files) {
    const written = new TextEncoder().encode(name);
    const about = facts(await checksum(content), content.size, written.length, at);
    const head = record([[0x04034b50, 4], ...about, [0, 2]]);
    const entry = record([
      [0x02014b50, 4],
      [20, 2],
      ...about,
      // No extra field and no comment, on the first disk, without attributes.
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [offset, 4],
    ]);
    parts.push(head, written, content);
    entries.push(entry, written);
    offset += head.length + written.length + content.size;
    length += entry.length + written.length;
  }
  const end = record([
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [length, 4],
    [offset, 4],
    [0, 2],
  ]);
  return new Blob([...parts, ...entries, end], { type: "application/zip" });
}

type Field = [value: number, bytes: number];

/** What both records of a file say: version 2.0, name in UTF-8, stored, when, checksum, sizes. */
function facts(sum: number, size: number, nameLength: number, at: Date): Field[] {
  const time = at.getHours() << 11 | at.getMinutes() << 5 | at.getSeconds() >> 1;
  const day = (at.getFullYear() - 1980) << 9 | (at.getMonth() + 1) << 5 | at.getDate();
  return [[20, 2], [0x0800, 2], [0, 2], [time, 2], [day, 2], [sum, 4], [size, 4], [size, 4], [nameLength, 2]];
}

/** Numbers, the lowest byte first. */
function record(fields: Field[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(
    fields.flatMap(([value, bytes]) =>
      Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) & 0xff)
    ),
  );
}

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let sum = index;
  for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? 0xedb88320 ^ sum >>> 1 : sum >>> 1;
  return sum;
});

/** CRC-32. */
async function checksum(content: Blob): Promise<number> {
  let sum = 0xffffffff;
  const reader = content.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return (sum ^ 0xffffffff) >>> 0;
    for (const byte of value) sum = (TABLE[(sum ^ byte) & 0xff] ?? 0) ^ sum >>> 8;
  }
}

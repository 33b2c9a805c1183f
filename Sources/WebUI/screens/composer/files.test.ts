import { equal } from "../../testing/assert.ts";
import { Files } from "./files.ts";

/** Uploads that never end by themselves. */
class FakeRequest {
  static readonly all: FakeRequest[] = [];
  readonly upload = { addEventListener: () => {} };
  readonly #listeners = new Map<string, () => void>();
  url = "";
  status = 200;
  responseText = "";

  constructor() {
    FakeRequest.all.push(this);
  }
  addEventListener(name: string, run: () => void): void {
    this.#listeners.set(name, run);
  }
  open(_: string, url: string): void {
    this.url = url;
  }
  setRequestHeader(): void {}
  send(): void {}
  abort(): void {
    this.#listeners.get("abort")?.();
  }
  end(blobId: string): void {
    this.responseText = JSON.stringify({ accountId: "", blobId, type: "text/plain", size: 1 });
    this.#listeners.get("load")?.();
  }
}

const settled = () => new Promise<void>((resolve) => setTimeout(resolve));
const FILE = { type: "text/plain", size: 1, isPending: false, problem: null };

Deno.test("files go along to another account: uploads begin again, and what was not copied can be tried again", async () => {
  const before = globalThis.XMLHttpRequest;
  globalThis.XMLHttpRequest = FakeRequest as unknown as typeof XMLHttpRequest;
  let copied: Record<string, string> | null = { one: "one-b" };
  const client = { call: <T>() => Promise.resolve({ copied } as T) };
  const owner = { accountId: "a", app: { client } };
  const files = new Files(owner, () => {});
  files.show(["one", "two"].map((blobId) => ({ ...FILE, blobId, name: blobId })));
  files.add([new File(["x"], "three")]);
  const moved = await files.copyTo("b");
  owner.accountId = "b";
  files.moved("a", moved);
  await settled();
  equal(FakeRequest.all.map(({ url }) => url), ["/jmap/upload/a/", "/jmap/upload/b/"]);
  equal(files.list.map(({ blobId, problem }) => [blobId, problem !== null]), [
    ["one-b", false],
    [null, true],
    [null, false],
  ]);
  equal([files.areLeftBehind, files.isBusy], [true, true]);

  // The one that went to the account before says nothing any more.
  for (const request of FakeRequest.all) request.end(request.url);
  copied = { two: "two-b" };
  files.retry(files.list[1]?.key ?? 0);
  await settled();
  equal(files.list.map(({ blobId }) => blobId), ["one-b", "two-b", "/jmap/upload/b/"]);
  equal([files.areLeftBehind, files.isBusy], [false, false]);
  globalThis.XMLHttpRequest = before;
});

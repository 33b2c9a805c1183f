import { RequestProblem, Unreachable } from "./errors.ts";
import type { Id } from "./types.ts";

export interface Uploaded {
  accountId: Id;
  blobId: Id;
  type: string;
  size: number;
}

export interface Upload {
  done: Promise<Uploaded>;
  cancel(): void;
}

/** Sends a file to the program. XMLHttpRequest, since `fetch` does not tell how far it is. */
export function upload(accountId: Id, file: Blob, onProgress: (sent: number) => void = () => {}): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Uploaded>((resolve, reject) => {
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded));
    request.addEventListener("load", () => {
      if (request.status === 200 || request.status === 201) {
        resolve(JSON.parse(request.responseText) as Uploaded);
      } else reject(problem(request));
    });
    request.addEventListener("error", () => reject(new Unreachable()));
    request.addEventListener(
      "abort",
      () => reject(new DOMException("The upload was canceled.", "AbortError")),
    );
  });
  request.open("POST", `/jmap/upload/${encodeURIComponent(accountId)}/`);
  request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
  request.send(file);
  return { done, cancel: () => request.abort() };
}

function problem(request: XMLHttpRequest): RequestProblem {
  let detail = `The file was not accepted (${request.status}).`;
  try {
    detail = (JSON.parse(request.responseText) as { detail?: string }).detail ?? detail;
  } catch {
    // The sentence above says enough.
  }
  return new RequestProblem(request.status, "about:blank", detail);
}

/** The address that downloads a blob under a name. */
export function downloadURL(accountId: Id, blobId: Id, name: string, type: string): string {
  const [account, blob, file] = [accountId, blobId, name || "attachment"].map(encodeURIComponent);
  return `/jmap/download/${account}/${blob}/${file}?type=${encodeURIComponent(type)}`;
}

/** A blob's bytes, with progress, and the risk of opening them as a file. */
export async function download(
  url: string,
  type: string,
  onProgress: (received: number) => void = () => {},
  signal?: AbortSignal,
): Promise<{ blob: Blob; risk: string | null }> {
  const response = await fetch(url, { credentials: "same-origin", ...(signal ? { signal } : {}) })
    .catch((error) => {
      throw signal?.aborted ? error : new Unreachable();
    });
  if (!response.ok || !response.body) {
    const answer = await response.json().catch(() => ({})) as { detail?: string };
    throw new RequestProblem(
      response.status,
      "about:blank",
      answer.detail ?? "The file could not be downloaded.",
    );
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    received += value.length;
    onProgress(received);
  }
  return { blob: new Blob(chunks, { type }), risk: response.headers.get("Mailkernel-Risk") };
}

/** The program answered, and refused the call. */
export class MethodError extends Error {
  constructor(readonly type: string, readonly details: Record<string, unknown>) {
    super(sentence(type, details["description"]));
  }
}

/** One object of a `/set` was refused. */
export class SetError extends Error {
  constructor(readonly type: string, readonly details: Record<string, unknown>) {
    super(sentence(type, details["description"]));
  }
}

/** The program answered with a problem instead of JMAP (RFC 7807). */
export class RequestProblem extends Error {
  constructor(readonly status: number, readonly type: string, detail: string) {
    super(detail);
  }
}

/** The program did not answer: it has ended, or is just starting. */
export class Unreachable extends Error {
  constructor() {
    super("mailkernel is not responding.");
  }
}

function sentence(type: string, description: unknown): string {
  return typeof description === "string" && description !== ""
    ? description
    : `The request was refused (${type}).`;
}

/** What to tell a person. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

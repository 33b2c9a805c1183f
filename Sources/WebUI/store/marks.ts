import type { EmailHeader } from "../jmap/types.ts";
import type { Change, Patch } from "./emails.ts";
import type { Marking } from "./mailAction.ts";
import { isStarred, type Target } from "./target.ts";

/** What a verb sets in the keywords, and in which messages of a conversation. */
interface Mark {
  keywords: NonNullable<Patch["keywords"]>;
  of: (emails: EmailHeader[]) => EmailHeader[];
}

const MARKS: Record<Marking["verb"], Mark> = {
  read: { keywords: { $seen: true }, of: (emails) => emails.filter((email) => !email.keywords["$seen"]) },
  unread: { keywords: { $seen: null }, of: newest },
  star: { keywords: { $flagged: true }, of: newest },
  unstar: { keywords: { $flagged: null }, of: (emails) => emails.filter(isStarred) },
};

export function marks({ verb }: Marking, { accountId, emails }: Target): Change[] {
  const { keywords, of } = MARKS[verb];
  return of(emails).map(({ id }) => ({ accountId, id, patch: { keywords } }));
}

function newest(emails: EmailHeader[]): EmailHeader[] {
  return emails.slice(-1);
}

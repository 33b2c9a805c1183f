import type { EmailHeader, Mailbox, MailboxRole } from "../jmap/types.ts";

/** A mailbox whose id is its name. `denied` are the rights that it does not give. */
export function mailboxNamed(id: string, role: MailboxRole | null = null, ...denied: string[]): Mailbox {
  return {
    id,
    name: id,
    parentId: null,
    role,
    sortOrder: 0,
    totalEmails: 0,
    unreadEmails: 0,
    totalThreads: 0,
    unreadThreads: 0,
    isSubscribed: true,
    myRights: Object.fromEntries(denied.map((right) => [right, false])),
  };
}

/** An email that is in these mailboxes and has these keywords. */
export function emailIn(id: string, places: string[], ...keywords: string[]): EmailHeader {
  return {
    id,
    threadId: "t",
    mailboxIds: Object.fromEntries(places.map((place) => [place, true])),
    keywords: Object.fromEntries(keywords.map((keyword) => [keyword, true])),
    from: null,
    to: null,
    subject: null,
    preview: "",
    receivedAt: "2026-01-01T00:00:00Z",
    hasAttachment: false,
  };
}

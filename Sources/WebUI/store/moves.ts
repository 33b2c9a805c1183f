import type { EmailHeader, Id, Mailbox, MailboxRole } from "../jmap/types.ts";
import type { Change } from "./emails.ts";
import type { Target } from "./target.ts";

/** What an account has to put mail into. */
export interface Places {
  mailboxes: Mailbox[];
  /** Mail can be in several mailboxes at once, which are labels then; else it is in one. */
  hasLabels: boolean;
}

const APART: MailboxRole[] = ["trash", "junk"];

/**
 * The changes that move a conversation to a mailbox, depending on where each message is.
 *
 * - Archive takes messages out of the inbox only. If none are in the inbox, it takes those in the current
 * mailbox.
 * - Trash takes the whole conversation except drafts, Spam the messages from others: out of all mailboxes.
 * - Any other mailbox takes the messages in the current mailbox. For search results, it takes the messages
 * from others and keeps their labels.
 *
 * The user's sent messages and drafts stay, unless their mailbox is the current one or there are no others.
 */
export function moves(target: Target, to: Mailbox, places: Places): Change[] {
  if (target.mailboxId === to.id) return [];
  const look = new Look(target, places);
  const leaves = look.leaving(to);
  return look.moving(to).flatMap((email): Change[] => {
    const left = Object.keys(email.mailboxIds).filter((id) => id !== to.id && leaves(id));
    const isThere = email.mailboxIds[to.id] === true;
    if (isThere && left.length === 0) return [];
    const mailboxIds: Record<Id, true | null> = Object.fromEntries(left.map((id) => [id, null]));
    if (!isThere) mailboxIds[to.id] = true;
    return [{ accountId: target.accountId, id: email.id, patch: { mailboxIds } }];
  });
}

/** The messages deleted permanently with a conversation: those in Trash or Spam, if there are no others. */
export function doomed(target: Target, places: Places): EmailHeader[] {
  const look = new Look(target, places);
  if (target.mailboxId !== null) return look.isLookedAt(...APART) ? here(target) : [];
  const emails = target.emails.filter((email) => !look.isDraft(email));
  return emails.every((email) => look.isIn(email, ...APART)) ? emails : [];
}

/** Trash or Spam, if a conversation that was found has nothing anywhere else. */
export function apart(target: Target, places: Places): Mailbox | undefined {
  if (target.mailboxId !== null) return undefined;
  const [first] = doomed(target, places);
  return places.mailboxes.find(({ id, role }) =>
    first?.mailboxIds[id] && role !== null && APART.includes(role)
  );
}

/** The emails of the conversation that are in the mailbox it is looked at in. */
function here({ emails, mailboxId }: Target): EmailHeader[] {
  return mailboxId === null ? emails : emails.filter((email) => email.mailboxIds[mailboxId]);
}

/** A conversation, with the roles of its messages' mailboxes. */
class Look {
  readonly #roles: Map<Id, MailboxRole | null>;

  constructor(readonly target: Target, readonly places: Places) {
    this.#roles = new Map(places.mailboxes.map(({ id, role }) => [id, role]));
  }

  isIn(email: EmailHeader, ...roles: MailboxRole[]): boolean {
    return Object.keys(email.mailboxIds).some((id) => this.#is(id, roles));
  }

  isLookedAt(...roles: MailboxRole[]): boolean {
    return this.target.mailboxId !== null && this.#is(this.target.mailboxId, roles);
  }

  isDraft(email: EmailHeader): boolean {
    return email.keywords["$draft"] === true || this.isIn(email, "drafts");
  }

  /** The messages that go. */
  moving(to: Mailbox): EmailHeader[] {
    const { target, places: { hasLabels } } = this;
    // Unwanted messages there are separate from the rest of the conversation.
    const isNarrow = this.isLookedAt(...APART, "drafts");
    if (to.role === "archive") {
      const inInbox = target.emails.filter((email) => this.isIn(email, "inbox"));
      if (inInbox.length > 0 && !isNarrow) return inInbox;
      const rest = this.#living(here(target).filter((email) => !this.#isOwn(email)));
      // With labels, messages outside the inbox are archived.
      return hasLabels ? rest.filter((email) => this.isIn(email, ...APART)) : rest;
    }
    if (isNarrow) return here(target);
    if (to.role === "trash") {
      const sent = target.emails.filter((email) => !this.isDraft(email));
      return sent.length > 0 ? sent : target.emails;
    }
    const others = target.emails.filter((email) => !this.#isOwn(email));
    if (to.role === "junk") return this.#living(others);
    if (target.mailboxId !== null) return here(target);
    return this.#living(others.length > 0 ? others : target.emails.filter((email) => !this.isDraft(email)));
  }

  /** The mailboxes that a message leaves. */
  leaving(to: Mailbox): (mailbox: Id) => boolean {
    const { target: { mailboxId }, places: { hasLabels } } = this;
    if (!hasLabels || to.role === "trash" || to.role === "junk") return () => true;
    if (to.role === "archive") return (id) => this.#is(id, ["inbox", ...APART]);
    const places: MailboxRole[] = mailboxId === null
      ? ["inbox", "archive", ...APART]
      : to.role === "inbox"
      ? ["archive"]
      : [];
    return (id) => id === mailboxId || this.#is(id, places);
  }

  /** What the person wrote. A message to oneself is in the inbox as well. */
  #isOwn(email: EmailHeader): boolean {
    return this.isDraft(email) || this.isIn(email, "sent") && !this.isIn(email, "inbox");
  }

  /** Messages in Trash or Spam stay there, unless there are no others. */
  #living(emails: EmailHeader[]): EmailHeader[] {
    const living = emails.filter((email) => !this.isIn(email, ...APART));
    return living.length > 0 ? living : emails;
  }

  #is(mailbox: Id, roles: MailboxRole[]): boolean {
    const role = this.#roles.get(mailbox);
    return role !== null && role !== undefined && roles.includes(role);
  }
}

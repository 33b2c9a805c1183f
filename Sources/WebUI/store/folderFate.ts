/** What the deletion of a folder means for the mail in it, in sentences. */
import type { Mailbox } from "../jmap/types.ts";
import { nounOf } from "./folderChanges.ts";
import { above } from "./folders.ts";
import type { MailAccount } from "./parts.ts";
import { counted } from "./words.ts";

/** A folder that is to be deleted, with the folders in it. */
export interface Removal {
  account: MailAccount;
  /** The folder, and those in it: parents first. */
  mailboxes: Mailbox[];
  /** The messages in them. */
  total: number;
  /** Of those, the messages that have no other label. */
  only: number;
}

/** Whether it is in Trash, where mail does not go to Trash once more. */
export function isInTrash({ mailboxes: { list } }: MailAccount, [mailbox]: Mailbox[]): boolean {
  return mailbox !== undefined && above(list, mailbox).some(({ role }) => role === "trash");
}

export function consequences(removal: Removal): string {
  const { account, mailboxes } = removal;
  const within = mailboxes.length - 1;
  const also = `The ${counted(within, nounOf(account))} in it ${
    within === 1 ? "is" : "are"
  } deleted as well.`;
  const ofMail = account.hasLabels ? ofLabel(removal) : ofFolder(removal);
  return [...within > 0 ? [also] : [], ...ofMail].join(" ");
}

function ofLabel({ mailboxes, total, only }: Removal): string[] {
  const them = mailboxes.length > 1 ? "these labels" : "this label";
  if (total === 0) return [`No message has ${them}.`];
  const kept = `${counted(total, "message")} ${one(total, "loses", "lose")} ${them}.`;
  if (only === 0) return [kept, "No message is deleted."];
  if (only === total) {
    return [
      kept,
      `${one(total, "It has", "They have")} no other and ${one(total, "moves", "move")} to Archive.`,
    ];
  }
  return [
    kept,
    `${counted(only, "message")} without another label ${one(only, "moves", "move")} to Archive.`,
  ];
}

function ofFolder({ account, mailboxes, total }: Removal): string[] {
  const [alone, several] = isInTrash(account, mailboxes)
    ? ["is deleted permanently", "are deleted permanently"] as const
    : ["moves to Trash", "move to Trash"] as const;
  const known = total === 0
    ? "It contains no mail on this device."
    : `${counted(total, "message")} in it ${one(total, alone, several)}.`;
  return [known, `Older mail that is only on the server ${alone} as well.`];
}

function one(count: number, alone: string, several: string): string {
  return count === 1 ? alone : several;
}

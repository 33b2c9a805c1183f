/** Deletes folders and labels, after saying what happens to the mail in them. */
import { words } from "../jmap/errors.ts";
import type { Filter, Id, Mailbox } from "../jmap/types.ts";
import { ActionLog, recorded } from "./actionLog.ts";
import { nounOf } from "./folderChanges.ts";
import { consequences, isInTrash, type Removal } from "./folderFate.ts";
import { choicesFor, repeatChoices } from "./folderLooks.ts";
import { inside } from "./folders.ts";
import type { MailAccount, Parts } from "./parts.ts";
import { mailboxTitle } from "./scope.ts";

/** So many messages are moved by one action. */
const AT_ONCE = 5000;
/** So often it is tried to move messages that have stayed. */
const TRIES = 2;

/** Asks, and deletes the folder. Returns whether it did. */
export async function deleteFolder(app: Parts, account: MailAccount, mailbox: Mailbox): Promise<boolean> {
  try {
    const removal = await removalOf(app, account, mailbox);
    const noun = nounOf(account);
    const isYes = await app.dialogs.confirm({
      title: `Delete the ${noun} “${mailboxTitle(mailbox)}”?`,
      text: consequences(removal),
      confirm: "Delete",
      isDestructive: true,
    });
    if (!isYes) return false;
    await remove(app, removal);
    return true;
  } catch (error) {
    app.toasts.problem(words(error));
    return false;
  }
}

async function removalOf(app: Parts, account: MailAccount, mailbox: Mailbox): Promise<Removal> {
  const mailboxes = [mailbox, ...inside(account.mailboxes.list, mailbox.id)];
  const closed = mailboxes.find(({ role, myRights }) => role !== null || myRights["mayDelete"] === false);
  if (closed) throw new Error(`“${mailboxTitle(closed)}” cannot be deleted.`);
  const ids = mailboxes.map(({ id }) => id);
  const [total, only] = await Promise.all([
    totalOf(app, account, isIn(ids)),
    totalOf(app, account, {
      operator: "AND",
      conditions: [isIn(ids), { operator: "NOT", conditions: [{ inMailboxOtherThan: ids }] }],
    }),
  ]);
  return { account, mailboxes, total, only };
}

/** First the mail, as an action that is on record; then the folders, the lowest first. */
async function remove(app: Parts, { account, mailboxes }: Removal): Promise<void> {
  const title = mailboxTitle(mailboxes[0] as Mailbox);
  const choices = choicesFor(app, account.id, mailboxes);
  const toast = app.toasts.show(`Deleting “${title}”…`, { seconds: null });
  try {
    const left = new Map<Id, Id[]>();
    for (const mailbox of mailboxes) {
      left.set(mailbox.id, await empty(app, account, mailbox, isInTrash(account, mailboxes)));
    }
    await account.mailboxes.destroy(...mailboxes.map(({ id }) => id).reverse());
    const undo = () => void restore(app, account, mailboxes, left, choices);
    app.toasts.update(toast, {
      text: `“${title}” deleted`,
      seconds: 15,
      action: { label: "Undo", run: undo },
    });
  } catch (error) {
    app.toasts.dismiss(toast);
    throw error;
  }
}

/** Takes all mail out of it. Returns the messages that can be put back. */
async function empty(app: Parts, account: MailAccount, { id }: Mailbox, isDoomed: boolean): Promise<Id[]> {
  const all = new Set<Id>();
  // A list is not always whole, mail arrives meanwhile, and drafts move after other mail.
  for (let tries = 0; tries < TRIES;) {
    const ids = await idsIn(app, account, id);
    if (ids.length === 0) break;
    if (ids.every((one) => all.has(one))) tries += 1;
    for (const one of ids) all.add(one);
    const verb = account.hasLabels
      ? { verb: "unlabel", mailboxId: id }
      : { verb: isDoomed ? "destroy" : "trash" };
    await act(app, account, verb, ids);
  }
  return isDoomed ? [] : [...all];
}

/** Creates the folders again, as they were, and puts their mail back. */
async function restore(
  app: Parts,
  account: MailAccount,
  mailboxes: Mailbox[],
  left: Map<Id, Id[]>,
  choices: ReturnType<typeof choicesFor>,
): Promise<void> {
  const toast = app.toasts.show("Undoing…", { seconds: null });
  const made = new Map<Id, Id>();
  try {
    for (const { id, name, parentId, sortOrder, isSubscribed } of mailboxes) {
      const place = parentId === null ? null : made.get(parentId) ?? parentId;
      const mailbox = await account.mailboxes.create({ name, parentId: place, sortOrder, isSubscribed });
      made.set(id, mailbox.id);
      const verb = { verb: account.hasLabels ? "label" : "move", mailboxId: mailbox.id };
      await act(app, account, verb, left.get(id) ?? []);
    }
    app.toasts.update(toast, {
      text: `Undone: “${mailboxTitle(mailboxes[0] as Mailbox)}” is back`,
      seconds: 5,
    });
  } catch (error) {
    app.toasts.dismiss(toast);
    app.toasts.problem(`Not undone: ${words(error)}`);
  }
  await repeatChoices(app, account.id, choices, made);
}

/** Does something to single messages, and waits until it is done. */
async function act(
  app: Parts,
  account: MailAccount,
  verb: Record<string, unknown>,
  ids: Id[],
): Promise<void> {
  const log = new ActionLog(app);
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const outcome = await log.perform(account.id, { ...verb, emailIds: ids.slice(at, at + AT_ONCE) });
    if ("problem" in outcome) throw new Error(outcome.problem);
    for (const { refused, refusal } of await log.untilDone(recorded([outcome]), () => {})) {
      if (refused > 0) throw new Error(refusal ?? "Some messages could not be moved.");
    }
  }
}

async function idsIn(app: Parts, account: MailAccount, id: Id): Promise<Id[]> {
  const answer = await app.client.call<{ ids: Id[] }>("Email/query", {
    accountId: account.id,
    filter: { inMailbox: id },
  });
  return answer.ids;
}

async function totalOf(app: Parts, account: MailAccount, filter: Filter): Promise<number> {
  const answer = await app.client.call<{ total: number }>("Email/query", {
    accountId: account.id,
    filter,
    limit: 1,
    calculateTotal: true,
  });
  return answer.total;
}

function isIn(ids: Id[]): Filter {
  return { operator: "OR", conditions: ids.map((id) => ({ inMailbox: id })) };
}

/** What the user does to folders themselves: creates, renames, moves, hides and sorts them. */
import { SetError, words } from "../jmap/errors.ts";
import type { Id, Mailbox } from "../jmap/types.ts";
import { moved, siblings } from "./folders.ts";
import type { MailAccount, Parts } from "./parts.ts";
import { refuse, type SetAnswer } from "./records.ts";
import { mailboxTitle } from "./scope.ts";

/** What an account calls its own mailboxes. */
export function nounOf(account: MailAccount | undefined): "folder" | "label" {
  return account?.hasLabels ? "label" : "folder";
}

/** A folder by its name and place. */
export interface NamedPlace {
  name: string;
  parentId: Id | null;
}

/** Why there can be no such folder, as far as the page knows. */
export function objection(account: MailAccount, { name, parentId }: NamedPlace, id?: Id): string | null {
  const noun = nounOf(account);
  if (name.trim() === "") return `Enter a name for the ${noun}.`;
  const isTaken = account.mailboxes.list.some((one) =>
    one.id !== id && one.parentId === parentId && (one.name === name || mailboxTitle(one) === name)
  );
  if (!isTaken) return null;
  const parent = account.mailboxes.get(parentId ?? "");
  return `There is already a ${noun} named “${name}”${parent ? ` in “${mailboxTitle(parent)}”` : ""}.`;
}

/** Creates a folder, at the end of the others where the user has sorted them. */
export async function createFolder(account: MailAccount, named: NamedPlace): Promise<Mailbox> {
  const place = tidied(named);
  const problem = objection(account, place);
  if (problem) throw new Error(problem);
  const others = siblings(account.mailboxes.list, place).map(({ sortOrder }) => sortOrder);
  return await refused(
    account,
    place,
    () => account.mailboxes.create({ ...place, sortOrder: Math.max(USUAL_PLACE, ...others) }),
  );
}

/** Renames a folder, or moves it into another. */
export async function placeFolder(account: MailAccount, { id }: Mailbox, named: NamedPlace): Promise<void> {
  const place = tidied(named);
  const problem = objection(account, place, id);
  if (problem) throw new Error(problem);
  const before = account.mailboxes.get(id);
  if (before?.name === place.name && before.parentId === place.parentId) return;
  await refused(account, place, () => account.mailboxes.update(id, place));
}

export async function showFolder(
  app: Parts,
  account: MailAccount,
  id: Id,
  isSubscribed: boolean,
): Promise<void> {
  await account.mailboxes.update(id, { isSubscribed }).catch((error) => app.toasts.problem(words(error)));
}

/** Moves a folder up or down among those in the same place. */
export async function sortFolder(
  app: Parts,
  account: MailAccount,
  mailbox: Mailbox,
  by: 1 | -1,
): Promise<void> {
  const places = moved(account.mailboxes.list, mailbox, by);
  if (places.length === 0) return;
  const done = app.client.call<SetAnswer>("Mailbox/set", {
    accountId: account.id,
    update: Object.fromEntries(places),
  }).then(refuse);
  done.catch((error) => app.toasts.problem(words(error)));
  await account.mailboxes.foresee(places, done);
}

/** The place in the order that the program gives to folders of the user. */
const USUAL_PLACE = 10;

function tidied({ name, parentId }: NamedPlace): NamedPlace {
  return { name: name.trim().normalize("NFC"), parentId };
}

/** Says in a sentence about this folder why the program refuses it. */
async function refused<T>(account: MailAccount, { name }: NamedPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SetError) || error.type !== "invalidProperties") throw error;
    const properties = error.details["properties"];
    const isPlace = Array.isArray(properties) && properties.includes("parentId");
    throw new Error(
      isPlace
        ? `A ${nounOf(account)} cannot be moved there.`
        : `“${name}” cannot be the name of a ${
          nounOf(account)
        } here: it is in use, too long, or has signs that cannot be seen.`,
    );
  }
}

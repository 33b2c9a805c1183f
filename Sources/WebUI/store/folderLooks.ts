/** What the user chose for single folders. It is kept in the preferences, for all windows and computers. */
import { words } from "../jmap/errors.ts";
import type { Id, Mailbox } from "../jmap/types.ts";
import type { FolderColor, Preferences } from "../jmap/vendor.ts";
import type { Toasts } from "../base/toasts.ts";
import { badge, isCountedAtFirst } from "./folders.ts";
import { type Records, refuse, type SetAnswer } from "./records.ts";

export const COLORS: FolderColor[] = [
  "red",
  "orange",
  "yellow",
  "green",
  "teal",
  "blue",
  "purple",
  "pink",
  "gray",
];

export interface FolderLooks {
  color: FolderColor | null;
  isFavorite: boolean;
  /** Whether the number of its unread conversations is shown. */
  isCounted: boolean;
}

interface Keeper {
  preferences: Records<Preferences>;
  toasts: Toasts;
}

export function looksOf(
  { preferences }: Pick<Keeper, "preferences">,
  accountId: Id,
  mailbox: Mailbox,
): FolderLooks {
  const chosen = preferences.get("singleton");
  const key = keyOf(accountId, mailbox.id);
  return {
    color: chosen?.folderColors?.[key] ?? null,
    isFavorite: chosen?.favoriteFolders?.[key] === true,
    isCounted: chosen?.folderCounts?.[key] ?? isCountedAtFirst(mailbox),
  };
}

/** The number beside a folder, as the user wants it. */
export function numberOf(keeper: Pick<Keeper, "preferences">, accountId: Id, mailbox: Mailbox): number {
  return badge(mailbox, looksOf(keeper, accountId, mailbox).isCounted);
}

/** Sends only what differs, so that two windows at once do not undo each other's choice. */
export async function setLooks(
  keeper: Keeper,
  accountId: Id,
  mailbox: Mailbox,
  wanted: Partial<FolderLooks>,
): Promise<void> {
  const before = looksOf(keeper, accountId, mailbox);
  const key = keyOf(accountId, mailbox.id);
  const choices: Choice[] = [];
  const { color, isFavorite, isCounted } = wanted;
  if (color !== undefined && color !== before.color) choices.push(["folderColors", key, color]);
  if (isFavorite !== undefined && isFavorite !== before.isFavorite) {
    choices.push(["favoriteFolders", key, isFavorite || null]);
  }
  if (isCounted !== undefined && isCounted !== before.isCounted) {
    choices.push(["folderCounts", key, isCounted === isCountedAtFirst(mailbox) ? null : isCounted]);
  }
  await choose(keeper, choices);
}

/** What was chosen for folders that are about to be deleted, by their ids. */
export function choicesFor(
  { preferences }: Pick<Keeper, "preferences">,
  accountId: Id,
  mailboxes: Mailbox[],
): Map<Id, [Kind, Value][]> {
  const chosen = preferences.get("singleton");
  return new Map(mailboxes.map(({ id }) => {
    const values = KINDS.map((kind): [Kind, Value] => [kind, chosen?.[kind]?.[keyOf(accountId, id)] ?? null]);
    return [id, values.filter(([, value]) => value !== null)];
  }));
}

/**
 * Chooses the same for folders that take the place of deleted ones.
 *
 * - Parameter made: the new folders by the ids of the old ones.
 */
export async function repeatChoices(
  keeper: Keeper,
  accountId: Id,
  choices: ReturnType<typeof choicesFor>,
  made: Map<Id, Id>,
): Promise<void> {
  await choose(
    keeper,
    [...made].flatMap(([old, id]) =>
      (choices.get(old) ?? []).map(([kind, value]): Choice => [kind, keyOf(accountId, id), value])
    ),
  );
}

const KINDS = ["folderColors", "favoriteFolders", "folderCounts", "collapsedFolders"] as const;
type Kind = typeof KINDS[number];
type Value = boolean | string | null;
type Choice = [kind: Kind, key: string, value: Value];

async function choose({ preferences, toasts }: Keeper, choices: Choice[]): Promise<void> {
  if (choices.length === 0) return;
  const patch = Object.fromEntries(
    choices.map(([kind, key, value]) => [`${kind}/${key.replace("/", "~1")}`, value]),
  );
  const done = preferences.client.call<SetAnswer>("Preferences/set", {
    accountId: preferences.accountId,
    update: { singleton: patch },
  }).then(refuse);
  done.catch((error) => toasts.problem(words(error)));
  const foreseen: Partial<Record<Kind, Record<string, unknown>>> = {};
  for (const [kind, key, value] of choices) {
    foreseen[kind] = changed(foreseen[kind] ?? preferences.get("singleton")?.[kind], key, value);
  }
  await preferences.foresee([["singleton", foreseen as Partial<Preferences>]], done);
}

function changed(values: unknown, key: string, value: unknown): Record<string, unknown> {
  const { [key]: _, ...others } = (values ?? {}) as Record<string, unknown>;
  return value === null ? others : { ...others, [key]: value };
}

function keyOf(accountId: Id, mailboxId: Id): string {
  return `${accountId}/${mailboxId}`;
}

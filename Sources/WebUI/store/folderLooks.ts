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
  const { preferences } = keeper;
  const before = looksOf(keeper, accountId, mailbox);
  const key = keyOf(accountId, mailbox.id);
  const values: [keyof Preferences, boolean | string | null][] = [];
  const { color, isFavorite, isCounted } = wanted;
  if (color !== undefined && color !== before.color) values.push(["folderColors", color]);
  if (isFavorite !== undefined && isFavorite !== before.isFavorite) {
    values.push(["favoriteFolders", isFavorite || null]);
  }
  if (isCounted !== undefined && isCounted !== before.isCounted) {
    values.push(["folderCounts", isCounted === isCountedAtFirst(mailbox) ? null : isCounted]);
  }
  if (values.length === 0) return;
  const patch = Object.fromEntries(
    values.map(([name, value]) => [`${name}/${key.replace("/", "~1")}`, value]),
  );
  const done = preferences.client.call<SetAnswer>("Preferences/set", {
    accountId: preferences.accountId,
    update: { singleton: patch },
  }).then(refuse);
  done.catch((error) => keeper.toasts.problem(words(error)));
  const chosen = preferences.get("singleton");
  const foreseen = values.map(([name, value]) => [name, changed(chosen?.[name], key, value)]);
  await preferences.foresee([["singleton", Object.fromEntries(foreseen)]], done);
}

function changed(values: unknown, key: string, value: unknown): Record<string, unknown> {
  const { [key]: _, ...others } = (values ?? {}) as Record<string, unknown>;
  return value === null ? others : { ...others, [key]: value };
}

function keyOf(accountId: Id, mailboxId: Id): string {
  return `${accountId}/${mailboxId}`;
}

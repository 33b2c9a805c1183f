import { commandsNow } from "../../actions/commands.ts";
import { openSettings } from "../../actions/openSettings.ts";
import { sectionsOf } from "../../actions/sections.ts";
import { showMail } from "../../actions/showMail.ts";
import type { Contact } from "../../jmap/vendor.ts";
import type { App } from "../../store/app.ts";
import { foldersOf } from "../../store/folders.ts";
import { mailboxTitle } from "../../store/scope.ts";
import { inOrder } from "../../store/words.ts";
import type { IconName } from "../../ui/Icon.tsx";
import { composersOf } from "../composer/composers.ts";
import { openComposer } from "../composer/open.tsx";
import { insertInto, templatesOf } from "../composer/templates.ts";
import { folderIcon } from "../../actions/folderIcon.ts";
import type { Findable } from "./ranking.ts";

/** One line of the command palette. */
export interface Item extends Findable {
  id: string;
  kind: "Command" | "Folder" | "Person" | "Setting" | "Template";
  icon: IconName;
  /** Where it is, or which key does the same. */
  detail: string | undefined;
  isKey?: boolean;
  /** What it is done to. */
  about?: string | undefined;
  /** Why it cannot be done. */
  problem?: string | null;
  run: () => void;
}

/** What the screens that are open can do. */
export function commandItems(app: App): Item[] {
  return commandsNow(app).map(({ id, label, icon = "chevronRight", hint, about, problem, run }) => ({
    id: `command-${id}`,
    kind: "Command",
    title: label,
    icon,
    detail: hint,
    isKey: true,
    about,
    problem,
    run,
  }));
}

/** Every folder of every account. */
export function folderItems(app: App): Item[] {
  return app.accounts.flatMap((account) => {
    const name = app.accountSettings.get(account.id)?.displayName || account.name;
    return foldersOf(account.mailboxes.list).map(({ mailbox }): Item => ({
      id: `folder-${account.id}-${mailbox.id}`,
      kind: "Folder",
      title: mailboxTitle(mailbox),
      words: `${name} ${account.name}`,
      icon: folderIcon(mailbox.role),
      detail: app.accounts.length > 1 ? name : undefined,
      run: () => showMail(app, ["mail", account.id, mailbox.id]),
    }));
  });
}

export function settingItems(app: App): Item[] {
  return sectionsOf(app).map(({ id, title, icon, words }) => ({
    id: `setting-${id}`,
    kind: "Setting",
    title,
    words: `settings ${words}`,
    icon,
    detail: undefined,
    run: () => openSettings(app, id),
  }));
}

/** Each goes into the message that is being written, or begins a new one. */
export function templateItems(app: App): Item[] {
  const current = composersOf(app).current;
  return templatesOf(app).list.map(({ id, name }) => ({
    id: `template-${id}`,
    kind: "Template",
    title: name,
    words: "template insert",
    icon: "drafts",
    detail: current ? "Insert" : "New message",
    run: () => current ? insertInto(current, id) : openComposer(app, { mode: "new", templateId: id }),
  }));
}

/** A message to a person, and the mail that they sent. */
export function personItems(app: App, { name, email }: Contact): Item[] {
  const who = name ? inOrder(name) : email;
  return [
    {
      id: `write-${email}`,
      kind: "Person",
      title: `Write to ${who}`,
      words: email,
      icon: "compose",
      detail: email,
      run: () => openComposer(app, { mode: "new", mailto: `mailto:${encodeURIComponent(email)}` }),
    },
    {
      id: `from-${email}`,
      kind: "Person",
      title: `Mail from ${who}`,
      words: email,
      icon: "search",
      detail: email,
      run: () => showMail(app, ["search"], { q: `from:${email}`, in: "all/inbox" }),
    },
  ];
}

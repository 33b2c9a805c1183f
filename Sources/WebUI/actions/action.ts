import type { App } from "../store/app.ts";
import type { MailAction } from "../store/verbs.ts";
import type { Scope } from "../store/scope.ts";
import type { Target } from "../store/target.ts";
import type { IconName } from "../ui/Icon.tsx";
import type { Desk } from "./goOn.ts";

/** Where an action is offered. Its keys work wherever its subject is on the screen. */
export type Place =
  /** An open conversation: its buttons, and the menu behind “More”. */
  | "toolbar"
  | "menu"
  /** Selected conversations. */
  | "bar"
  | "barMenu"
  /** A row: under the pointer, always in sight, by a finger that moves to one side, and with the right button. */
  | "row"
  | "rowMark"
  | "swipeRight"
  | "swipeLeft"
  | "rowMenu"
  /** A folder, beside the name of its account, and above what is in Trash or Spam. */
  | "folderMenu"
  | "folderHeader"
  | "emptying"
  /** An address, and a file that came with a message. */
  | "addressMenu"
  | "attachmentMenu"
  /** An open message: its buttons, its menu, behind its recipients, and what stands below the newest. */
  | "message"
  | "messageMenu"
  | "addressing"
  /** Beside the sender of mail from a list. */
  | "sender"
  /** A sender in the list of all, and behind “More”. */
  | "senderRow"
  | "senderMenu"
  /** An attachment that is looked at. */
  | "viewer"
  | "replyBar"
  /** The answers to an invitation, and beside them its note. */
  | "invitation"
  | "invitationNote"
  /** Above a list, above the mailboxes (a round button where they are hidden), and below them. */
  | "header"
  | "compose"
  | "sidebar"
  /** What ends a selection, and what leads out of an open conversation or the settings. */
  | "selection"
  | "back"
  /** The command palette, which offers everything that has a name. */
  | "palette"
  /** A message that is being written. */
  | "composerHeader"
  | "send"
  | "sendMore"
  | "attach"
  | "format"
  | "formatImage"
  | "formatMore"
  | "textStyle"
  | "formatMenu"
  | "composerFooter"
  | "templates";

/** What an action is done to. */
export interface Subject {
  app: App;
  targets: Target[];
  /** All conversations of this list, of which the targets are the loaded ones. */
  all?: Scope | null;
  /** The list, and what is open next to it. Undefined for a message, whose actions do not navigate. */
  desk?: Desk;
  /** The targets are all that is selected: once something is done to them, nothing is. */
  isSelection?: boolean;
  /** The targets are single messages and not whole conversations. */
  isPart?: boolean;
}

/** What is shown after an action: the next conversation, the list, or the same as before. */
export type Next = "next" | "list" | "same";

/** What an action does: something to mail, which the performer does, or something to the page alone. */
type Effect<S> =
  | { change: (subject: S) => MailAction; next?: Next }
  /** Returns false to let the key have its default effect. */
  | { run: (subject: S) => void | false };

/** One thing that a user can do. Buttons, menus, swipes and keys are made from it: nothing else knows it. */
export type Action<S extends Subject = Subject> = Effect<S> & {
  id: string;
  label: string | ((subject: S, place: Place) => string);
  icon?: IconName | ((subject: S) => IconName);
  /** As `Shortcut.keys`; the first is shown as a hint. */
  keys?: string[];
  /** In the list of shortcuts, where the label depends on the subject. Empty: it is not listed. */
  title?: string;
  /** The next typed characters go into a field. */
  opensField?: boolean;
  /** Its keys also work in a field. */
  whileWriting?: boolean;
  /** Shown instead of the first key, or where the key is the browser's. */
  hint?: string;
  places?: Place[];
  /** Whether the action applies there. Others are hidden. */
  applies?: (subject: S, place: Place) => boolean;
  /** Why it cannot be done, for an action that changes no mail. */
  problem?: (subject: S) => string | null;
  /** Whether there is nothing to do at present. */
  isIdle?: (subject: S) => boolean;
  /** Whether it is on, for actions that switch something. */
  isOn?: (subject: S) => boolean;
};

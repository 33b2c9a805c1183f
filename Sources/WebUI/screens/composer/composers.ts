import type { Id, Identity } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { Observable } from "../../base/observable.ts";
import type { Records } from "../../store/records.ts";
import { type Box, boxOf, fitted, moved, type Room } from "./boxes.ts";
import { Composer } from "./composer.ts";
import type { Reopen } from "./notSent.ts";
import { Sending } from "./sending.ts";
import { isReply, type Writing } from "./writing.ts";

/** The height in `rem` that a message needs to be written. */
const LOWEST = 20;

/** Who mail can be sent as. */
export interface Sender {
  accountId: Id;
  identity: Identity;
}

/** The messages that are being written in this window. */
export class Composers extends Observable {
  /** The composers shown next to the mail. */
  docked: Composer[] = [];
  /** The one that fills its window. */
  alone: Composer | null = null;
  /** Whether the mail is shown, so that drafts can be beside it. */
  hasDock = false;
  readonly sending: Sending;
  /** Composers that could not be saved when their screen disappeared; they are reused when it comes back. */
  readonly #left = new Set<Composer>();
  /** The messages on the screen that can have an answer below them, as `ACCOUNT/EMAIL`. */
  readonly #hosts = new Set<string>();
  /** Shows a draft again after “Undo”: beside the mail, or where else it belongs. */
  reopen: (writing: Writing) => void = (writing) => this.dock(writing);
  readonly show: Reopen = (accountId, draftEmailId, submissionId) =>
    this.reopen({ mode: "new", accountId, draftEmailId, submissionId });

  constructor(private readonly app: App) {
    super();
    this.sending = new Sending(app, this.show, () => this.hasDock);
    addEventListener("beforeunload", (event) => {
      for (const composer of this.#all) {
        if (!composer.isDirty || composer.isEmpty || composer.status !== "ready") continue;
        composer.save();
        event.preventDefault();
        event.returnValue = "";
      }
    });
  }

  get #all(): Composer[] {
    return [...this.docked, ...(this.alone ? [this.alone] : []), ...this.#left];
  }

  /** Whether the user is writing, on any screen. */
  get isWriting(): boolean {
    return this.#all.some((composer) => !composer.isEmpty && composer.status === "ready");
  }

  get accounts(): Id[] {
    return this.app.accounts.map((account) => account.id)
      .filter((id) => this.app.client.has("urn:ietf:params:jmap:submission", id));
  }

  /** Why no account can send, where none can. */
  get problem(): string {
    // Whether an account can send is known with its mailboxes, from its first connection.
    return this.app.accounts.some(({ mailboxes }) => mailboxes.list.length === 0)
      ? "You can write once your account has connected for the first time"
      : "None of your accounts can send mail";
  }

  identities(accountId: Id): Records<Identity> {
    const records = this.app.records<Identity>("Identity", accountId);
    if (records.status === "empty") records.load();
    return records;
  }

  get senders(): Sender[] {
    return this.accounts.flatMap((accountId) =>
      this.identities(accountId).list.map((identity) => ({ accountId, identity }))
    );
  }

  /** The account that new mail is sent from: the chosen one, else the one that was added first. */
  get defaultAccount(): Id | null {
    const chosen = this.app.preferences.get("singleton")?.defaultSendingAccountId;
    const able = this.accounts;
    if (chosen && able.includes(chosen)) return chosen;
    const settings = this.app.accountSettings.list.filter(({ id }) => able.includes(id));
    const active = settings.filter(({ status }) => status === "active");
    const [first] = (active.length > 0 ? active : settings)
      .sort((one, other) => one.addedAt.localeCompare(other.addedAt));
    return first?.id ?? able[0] ?? null;
  }

  /** A message to be written on; null if no account can send. */
  begin(writing: Writing): Composer | null {
    const accountId = writing.accountId ?? this.defaultAccount;
    if (!accountId) return null;
    const left = [...this.#left].find((composer) => isAbout(composer, writing));
    if (left) {
      this.#left.delete(left);
      return left;
    }
    const composer = new Composer(this.app, accountId, writing);
    composer.start();
    return composer;
  }

  /** Keeps one whose screen goes away. False if that is not possible now: it is tried again by itself. */
  async leave(composer: Composer): Promise<boolean> {
    this.#left.add(composer);
    const isKept = await composer.leave();
    if (isKept === null) return false;
    this.#left.delete(composer);
    if (isKept) this.app.toasts.show("Draft saved");
    return true;
  }

  /** Shows one below its message or above the mail; one that is open already comes to the front. */
  dock(writing: Writing): Composer | null {
    const open = this.docked.find((composer) => isSame(composer.writing, writing));
    const composer = open ?? this.begin(writing);
    if (!composer) return null;
    if (!open && writing.draftEmailId) this.#join(composer);
    if (!open) {
      composer.subscribe(() => composer.status === "closed" && this.undock(composer));
      const isBelow = isReply(writing) && this.#replyPlace !== "floating" &&
        this.#hosts.has(hostOf(composer));
      composer.place = isBelow ? "below" : "floating";
      composer.box = this.#freeBox() ?? this.#overList(composer);
    }
    this.front(composer);
    return composer;
  }

  /** Shows one before the others, with the focus. */
  front(composer: Composer): void {
    composer.stand({ isMinimized: false }, true);
    this.raise(composer);
  }

  raise(composer: Composer): void {
    this.docked = [composer, ...this.docked.filter((other) => other !== composer)];
    this.changed();
  }

  get #replyPlace() {
    return this.app.preferences.get("singleton")?.replyPlace ?? "below";
  }

  /** Where the user left the last floating message, or beside one that is there. */
  #freeBox(): Box | null {
    const { left, top, width, height } = this.app.preferences.get("singleton")?.composerBox ?? {};
    if (left === undefined || top === undefined || !width || !height) return null;
    let box = fitted({ left, top, width, height }, room());
    const isTaken = () =>
      this.docked.some((other) => other.box?.left === box.left && other.box.top === box.top);
    for (let tries = 0; tries < this.docked.length && isTaken(); tries += 1) {
      box = moved(box, { x: 24, y: 24 }, room());
    }
    return box;
  }

  /** Where a message is read below its list, what answers it floats over the list. */
  #overList(composer: Composer): Box | null {
    if (!this.hasHost(composer)) return null;
    const edges = (inside: string) =>
      document.querySelector(`.pane-below > .mail-list ${inside}`)?.getBoundingClientRect();
    const rows = edges(".thread-list");
    const bottom = edges("")?.bottom ?? 0;
    const all = room();
    const width = Math.min(36 * all.rem, all.width);
    // A list that is too low to write over leaves it at the edge of the window.
    if (!rows || bottom < LOWEST * all.rem) return null;
    // What stands above the rows, such as the search, stays free where there is room for it.
    const top = bottom - rows.top >= LOWEST * all.rem ? rows.top : 0;
    const left = all.width - width - 1.5 * all.rem;
    return boxOf({ left, top, width, height: bottom - top - 0.5 * all.rem }, all);
  }

  /** Where one floats from now on, and the next ones at first; null for at the edge of the window. */
  async keepBox(composer: Composer): Promise<void> {
    const composerBox = { ...composer.box };
    await this.app.preferences.update("singleton", { composerBox }).catch(() => {
      // It stays where it is all the same.
    });
  }

  /** A message is on the screen: answers to it are shown below it until the returned function is called. */
  host(accountId: Id, emailId: Id): () => void {
    const key = `${accountId}/${emailId}`;
    this.#hosts.add(key);
    if (this.docked.some((composer) => hostOf(composer) === key)) this.changed();
    return () => {
      this.#hosts.delete(key);
      const below = this.docked.filter((composer) => composer.place === "below" && hostOf(composer) === key);
      // Nothing was written: the answer goes with the message.
      for (const composer of below) if (!composer.isDirty && !composer.draftId) composer.leave();
      if (below.length > 0) this.changed();
    };
  }

  /** The answers that are written below a message. */
  below(accountId: Id, emailId: Id): Composer[] {
    return this.docked.filter((one) => this.isBelow(one) && hostOf(one) === `${accountId}/${emailId}`);
  }

  isBelow(composer: Composer): boolean {
    return composer.place === "below" && this.hasHost(composer);
  }

  /** Whether the message that it answers is on the screen. */
  hasHost(composer: Composer): boolean {
    return isReply(composer.writing) && this.#hosts.has(hostOf(composer));
  }

  /** Puts one back below the message that it answers. */
  putBelow(composer: Composer): void {
    composer.stand({ place: "below" });
    this.front(composer);
  }

  /** A draft that is open already is shown once, whichever of its emails was opened. */
  #join(composer: Composer): void {
    const stop = composer.subscribe(() => {
      if (composer.status === "loading") return;
      stop();
      const { draftId, accountId } = composer;
      const same = this.docked.find((other) =>
        other !== composer && other.status === "ready" && draftId !== null && other.draftId === draftId &&
        other.accountId === accountId
      );
      if (!same) return;
      composer.drop();
      this.undock(composer);
      this.minimize(same, false);
    });
  }

  /** The one that is written on, of those that are in sight. */
  get current(): Composer | null {
    const isInSight = (one: Composer) =>
      !one.isLeaving && (one.place === "below" ? this.isBelow(one) : !one.isMinimized);
    const current = this.alone ?? this.docked.find(isInSight);
    return current?.status === "ready" ? current : null;
  }

  undock(composer: Composer): void {
    if (!this.docked.includes(composer)) return;
    this.docked = this.docked.filter((other) => other !== composer);
    this.changed();
  }

  minimize(composer: Composer, isMinimized: boolean): void {
    if (!isMinimized) return this.front(composer);
    composer.stand({ isMinimized });
    this.changed();
  }

  /** Takes one from below its message, or from a bar. */
  float(composer: Composer): void {
    composer.box ??= this.#overList(composer);
    composer.stand({ place: "floating" });
    this.front(composer);
  }

  setDock(hasDock: boolean): void {
    this.hasDock = hasDock;
  }
}

/** The message that an answer belongs below. */
function hostOf({ accountId, writing }: Composer): string {
  return `${accountId}/${writing.below ?? writing.emailId ?? ""}`;
}

/** The same draft, or the same kind of answer to the same message. */
function isSame(one: Writing, other: Writing): boolean {
  if (one.draftEmailId && one.draftEmailId === other.draftEmailId) return true;
  if (one.draftId && one.draftId === other.draftId) return true;
  return isReply(one) && one.mode === other.mode && one.emailId !== undefined &&
    one.emailId === other.emailId;
}

export function room(): Room {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return { width: innerWidth, height: innerHeight, rem };
}

function isAbout(composer: Composer, writing: Writing): boolean {
  if (writing.draftId) return writing.draftId === composer.draftId;
  return JSON.stringify(writing) === JSON.stringify(composer.writing);
}

const known = new WeakMap<App, Composers>();

export function composersOf(app: App): Composers {
  let composers = known.get(app);
  if (!composers) {
    composers = new Composers(app);
    known.set(app, composers);
  }
  return composers;
}

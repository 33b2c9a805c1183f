import { createContext, useContext, useEffect } from "react";
import { JMAPClient } from "../jmap/client.ts";
import { Changed, EventListener } from "../jmap/events.ts";
import { CAPABILITY, type MailStore } from "../jmap/program.ts";
import type { Id, Mailbox } from "../jmap/types.ts";
import type { AccountSettings, Notice, Preferences, SyncStatus } from "../jmap/vendor.ts";
import { Dialogs } from "../base/dialogs.ts";
import { Shortcuts } from "../base/shortcuts.ts";
import { Toasts } from "../base/toasts.ts";
import { Categories } from "./categories.ts";
import { Emails } from "./emails.ts";
import type { FolderForm } from "./folderForm.ts";
import { Lists } from "./lists.ts";
import type { Listener, MailAccount, Parts } from "./parts.ts";
import { Performer } from "./performer.ts";
import { Observable, useObservable, Value } from "../base/observable.ts";
import { Records } from "./records.ts";
import { Router } from "./router.ts";
import { SearchWords } from "./searchWords.ts";
import type { Target } from "./target.ts";

export const PROGRAM = "program";
const MAIL = "urn:ietf:params:jmap:mail";

/** All that screens share: one per browser window. */
export class App extends Observable implements Parts {
  readonly windowId = crypto.randomUUID();
  readonly router = new Router();
  readonly toasts = new Toasts();
  readonly dialogs = new Dialogs();
  readonly emails = new Emails();
  readonly actions = new Performer(this);
  readonly categories: Categories;
  readonly lists = new Lists(this);
  readonly searchWords: SearchWords;
  /** Whether the program answers. */
  readonly isReachable = new Value(true);
  /** Whether the store answers the program, as far as is known. */
  readonly isStoreResponding = new Value(true);
  /** Set when the program refuses everything: 401 the session has ended, 423 it is locked. */
  readonly refusal = new Value<number | null>(null);
  /** The conversations that a pointer drags. */
  readonly dragged = new Value<Target[]>([]);
  /** The folder that the user is asked about. */
  readonly folderForm = new Value<FolderForm | null>(null);
  readonly preferences: Records<Preferences>;
  readonly accountSettings: Records<AccountSettings>;
  readonly syncStatus: Records<SyncStatus>;
  readonly notices: Records<Notice>;
  readonly mailStore: Records<MailStore>;
  accounts: MailAccount[] = [];
  readonly #records = new Map<string, Records<{ id: Id }>>();
  readonly #listeners = new Set<Listener>();
  #events: EventListener | null = null;
  #isCaughtUp = false;
  #staleTimer: number | undefined;
  #modelTimer: number | undefined;

  /** - Parameter shortcuts: those that heard the first keys, before there was an app. */
  constructor(readonly client: JMAPClient, readonly shortcuts = new Shortcuts()) {
    super();
    this.preferences = this.records<Preferences>("Preferences");
    this.accountSettings = this.records<AccountSettings>("AccountSettings");
    this.syncStatus = this.records<SyncStatus>("SyncStatus");
    this.notices = this.records<Notice>("Notice");
    this.mailStore = this.records<MailStore>("Store");
    this.mailStore.subscribe(() => this.#lookAtStore());
    this.categories = new Categories(this);
    this.searchWords = new SearchWords(client);
    client.onReachable = (isReachable) => this.isReachable.value = isReachable;
    client.onStale = () => this.#sessionIsStale();
    client.onRefused = (status) => {
      if (status === 401 || status === 423) this.refusal.value = status;
    };
    this.#readAccounts();
  }

  /** Loads what every screen needs and the first list, and listens from then on. */
  async start(): Promise<void> {
    const first = this.lists.begin();
    this.listen();
    await Promise.all([
      first,
      this.preferences.load(),
      this.accountSettings.load(),
      this.syncStatus.load(),
      this.notices.load(),
      this.client.has(CAPABILITY.storage) ? this.mailStore.load() : null,
      ...this.accounts.map((account) => account.mailboxes.load()),
    ]);
    this.changed();
  }

  /** All objects of a type; the same for all who ask, and kept up to date by events. */
  records<T extends { id: Id }>(type: string, accountId: Id = PROGRAM): Records<T> {
    const key = `${accountId}/${type}`;
    let records = this.#records.get(key);
    if (!records) {
      records = new Records(this.client, type, accountId);
      this.#records.set(key, records);
    }
    return records as unknown as Records<T>;
  }

  /** The person's own addresses, in lower case. */
  get ownAddresses(): Set<string> {
    return new Set([
      ...this.accounts.map((account) => account.name.toLowerCase()),
      ...this.accountSettings.list.map((account) => account.address.toLowerCase()),
    ]);
  }

  account(id: Id | undefined): MailAccount | undefined {
    return this.accounts.find((account) => account.id === id);
  }

  /** Tells a listener of every change until what this returns is called. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What could not be loaded while the store was silent is loaded when it responds again. */
  #lookAtStore(): void {
    const wasResponding = this.isStoreResponding.value;
    this.isStoreResponding.value = this.mailStore.get("singleton")?.isResponding ?? true;
    if (!wasResponding && this.isStoreResponding.value) this.#renew();
  }

  /** Opens the event stream; also after the program was unlocked. */
  listen(): void {
    this.#events?.close();
    this.#events = new EventListener(
      this.client.session,
      this.windowId,
      (changed) => this.#heard(changed),
      () => this.#catchUp(),
      // Whether the program has ended, is locked or only broke off is in its answer to anything.
      () => this.client.call("Core/echo", {}).catch(() => {}),
    );
    this.#events.open();
  }

  /** The user's refresh: checks the services, and reloads everything from the program. */
  async refresh(): Promise<void> {
    this.client.call("SyncStatus/refresh", { accountId: PROGRAM, ids: null }).catch(() => {});
    await this.#renew();
  }

  /** Reloads everything from the program, as after a time without events. */
  async #renew(): Promise<void> {
    await this.reloadAccounts();
    await this.#askAnew();
  }

  /** What changed before the stream was open is asked for once the first screen stands. */
  #catchUp(): void {
    // A refused client receives no events.
    this.refusal.value = null;
    if (this.#isCaughtUp) this.#renew();
    else setTimeout(() => this.#askAnew(), 1500);
    this.#isCaughtUp = true;
  }

  async #askAnew(): Promise<void> {
    await Promise.all([...this.#records.values()].map((records) => {
      // Not `load`: an answer that is on its way was made before.
      return records.heard("");
    }));
    for (const account of this.accounts) {
      for (const listener of this.#listeners) {
        listener(account.id, { Email: "", EmailSubmission: "", MailAction: "" });
      }
    }
  }

  #heard(changed: Changed): void {
    this.isReachable.value = true;
    for (const [accountId, states] of Object.entries(changed)) {
      for (const [type, state] of Object.entries(states)) {
        this.#records.get(`${accountId}/${type}`)?.heard(state);
        if (type === "AccountSettings") this.reloadAccounts();
        // What models can do is in the session. A download tells how far it is many times a second.
        if (type === "Model") {
          clearTimeout(this.#modelTimer);
          this.#modelTimer = setTimeout(() => this.reloadAccounts(), 1000);
        }
      }
      for (const listener of this.#listeners) listener(accountId, states);
    }
  }

  /**
   * An account's features are known after its first sync. Changes at the same moment cause a single request.
   */
  #sessionIsStale(): void {
    clearTimeout(this.#staleTimer);
    this.#staleTimer = setTimeout(() => this.reloadAccounts(), 50);
  }

  /** Asks the program which accounts there are. */
  async reloadAccounts(): Promise<void> {
    try {
      await this.client.reloadSession();
    } catch {
      return; // the banner says that the program does not answer
    }
    this.#readAccounts();
    await Promise.all(this.accounts.map(({ mailboxes }) => {
      return mailboxes.status === "empty" ? mailboxes.load() : Promise.resolve();
    }));
    this.changed();
  }

  #readAccounts(): void {
    this.accounts = Object.entries(this.client.session.accounts)
      .flatMap(([id, { name, accountCapabilities }]): MailAccount[] => {
        const mail = accountCapabilities[MAIL] as
          | { maxMailboxesPerEmail?: number | null; mayCreateTopLevelMailbox?: boolean }
          | undefined;
        if (!mail) return [];
        const hasLabels = mail.maxMailboxesPerEmail !== 1;
        const mayCreateFolders = mail.mayCreateTopLevelMailbox ?? false;
        return [{ id, name, mailboxes: this.records<Mailbox>("Mailbox", id), hasLabels, mayCreateFolders }];
      });
  }
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("A screen was rendered outside the app.");
  return app;
}

/** Lets keys do something once the screen is ready and the accounts are known; those pressed before are not lost. */
export function useKeysOnce(app: App, isReady: boolean): void {
  const isKnown = [useObservable(app.preferences), useObservable(app.accountSettings)]
    .every(({ status }) => status === "ready" || status === "failed");
  useEffect(() => {
    if (!isReady || !isKnown) return;
    // By then, all components shown with the screen have added their shortcuts.
    const timer = setTimeout(() => app.shortcuts.begin());
    return () => clearTimeout(timer);
  }, [app, isReady, isKnown]);
}

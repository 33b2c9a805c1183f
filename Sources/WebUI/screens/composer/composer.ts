import type { Draft, DraftContent, DraftMode, DraftProblem, Sent } from "../../jmap/compose.ts";
import { words } from "../../jmap/errors.ts";
import type { Address, EmailHeader, Id } from "../../jmap/types.ts";
import type { App } from "../../store/app.ts";
import { refuse } from "../../store/records.ts";
import { utc } from "../../store/words.ts";
import { Content } from "./content.ts";
import { asPlain, openDraft, sendDraft, type Version, writeDraft } from "./drafts.ts";
import { Elsewhere } from "./elsewhere.ts";
import { Files } from "./files.ts";
import { FormerDrafts } from "./former.ts";
import { Recipients } from "./recipients.ts";
import { loadEditor } from "./loadEditor.ts";
import { view } from "./loadView.ts";
import { checkSender, mended, type Notes } from "./mending.ts";
import { Saving } from "./saving.ts";
import { Standing } from "./standing.ts";
import type { Writing } from "./writing.ts";

let lastKey = 0;

/** A message being written: its content, and how it is saved. */
export class Composer extends Standing {
  readonly key = ++lastKey;
  status: "loading" | "ready" | "failed" | "closed" = "loading";
  problem: string | null = null;
  draftId: Id | null = null;
  /** The draft among the emails, which the conversation leaves out while it is open here. */
  emailId: Id | null = null;
  identityId: Id = "";
  readonly recipients = new Recipients((isUrgent) => this.edited(isUrgent));
  subject = "";
  readonly content = new Content();
  /** Text typed before it was loaded. */
  early = "";
  readonly files: Files;
  /** Why it was not sent, in the words of the server. */
  notSent: string | null = null;
  /** What was changed in it when it was opened. */
  notes: Notes = new Map();
  isSending = false;
  /** When the user is reminded if there is no reply. */
  remindAt: Date | null = null;
  readonly elsewhere: Elsewhere;
  #said: DraftProblem[] = [];
  #origin: Partial<Draft> = {};
  readonly #former: FormerDrafts;
  readonly #saving: Saving;
  readonly #stops: (() => void)[];

  constructor(readonly app: App, public accountId: Id, readonly writing: Writing) {
    super();
    this.#former = new FormerDrafts(app, () => this.files.areLeftBehind);
    this.files = new Files(this, (isEdit) => isEdit ? this.edited(true) : this.changed());
    this.#saving = new Saving({
      hasDraft: () => this.draftId !== null,
      isEmpty: () => this.isEmpty,
      isReady: () => this.isReady,
      keep: () => this.#keep(),
      kept: (made, isNewest) => this.#kept(made, isNewest),
      changed: () => this.changed(),
      ended: () => this.elsewhere.caughtUp(),
    });
    this.elsewhere = new Elsewhere(this, {
      isBusy: () => this.#saving.isBusy,
      show: (draft) => this.#show(draft),
      judge: (problems) => this.#judge(problems),
      changed: () => this.changed(),
    });
    this.#stops = [
      app.onChange((accountId, changed) => {
        if (accountId === this.accountId && "Draft" in changed) this.elsewhere.heard();
        if (accountId === this.accountId && "Identity" in changed) checkSender(this);
      }),
      app.isReachable.subscribe(() => this.#tryAgain()),
      app.isStoreResponding.subscribe(() => this.#tryAgain()),
      app.refusal.subscribe(() => this.#tryAgain()),
    ];
  }

  get mode(): DraftMode {
    return this.#origin.mode ?? this.writing.mode;
  }

  get sourceEmailId(): Id | null {
    return this.#origin.sourceEmailId ?? null;
  }

  /** The message that is answered or passed on, as far as it was seen. */
  get source(): EmailHeader | undefined {
    const id = this.sourceEmailId ?? this.writing.emailId;
    return id ? this.app.emails.get(this.accountId, id) : undefined;
  }

  /** Who a reply was addressed to as it began, before the user changed that; empty for a draft that was saved before. */
  get addressed(): Address[] {
    return this.#origin.id === undefined ? this.#origin.to ?? [] : [];
  }

  get title(): string {
    return this.subject.trim() || (this.mode === "new" ? "New message" : "No subject");
  }

  get isReady(): boolean {
    return this.status === "ready";
  }

  get isDirty(): boolean {
    return this.#saving.isDirty;
  }

  get saving(): Saving["state"] {
    return this.#saving.state;
  }

  get saveProblem(): string | null {
    return this.#saving.problem;
  }

  get isEmpty(): boolean {
    return this.recipients.isEmpty && this.subject.trim() === "" && this.content.isEmpty &&
      this.files.list.length === 0;
  }

  /** The program's problems with the draft, without those fixed since. */
  get problems(): DraftProblem[] {
    return this.recipients.unsolved(this.#said);
  }

  /** Why it cannot be sent now, or null. */
  get obstacle(): string | null {
    const { obstacle } = this.recipients;
    if (obstacle) return obstacle;
    if (this.files.isBusy) return "Wait until all files are attached.";
    return this.problems.find((problem) => problem.kind.startsWith("attachment") && problem.blocksSending)
      ?.text ?? null;
  }

  async start(): Promise<void> {
    this.status = "loading";
    this.changed();
    const { app: { client }, accountId, writing } = this;
    // They come while the program answers.
    loadEditor().catch(() => {});
    const shown = view.load();
    try {
      const { draft, draftId, failure } = await openDraft(client, accountId, writing);
      const isPlain = !draftId && this.app.preferences.get("singleton")?.writesPlainText;
      const opened = draftId ? await mended(client, accountId, draft) : { draft, notes: new Map() };
      await this.#show(isPlain ? asPlain(draft) : opened.draft);
      await shown;
      this.notes = opened.notes;
      this.draftId = draftId;
      this.emailId = draft.emailId ?? null;
      this.notSent = failure;
      this.status = "ready";
      this.problem = null;
      this.#take(this.early);
      if (this.notes.size > 0) this.edited();
    } catch (error) {
      this.status = "failed";
      this.problem = words(error);
    }
    this.changed();
  }

  /** Early text was meant for the field that has the focus now. */
  #take(early: string): void {
    if (!early) return;
    if (this.recipients.in.to.length > 0) this.content.begin(early);
    else this.recipients.typed.to += early;
    this.edited();
  }

  async #show(draft: DraftContent & Partial<Version>): Promise<void> {
    await this.content.show(draft);
    this.#origin = draft;
    this.identityId = draft.identityId;
    this.recipients.show(draft);
    const warnings = this.source?.addressWarnings ?? {};
    for (const [email, warning] of Object.entries(warnings)) this.recipients.warnings.set(email, warning);
    this.subject = draft.subject;
    this.remindAt = draft.remindAt ? new Date(draft.remindAt) : null;
    this.files.show(draft.attachments);
    this.#judge(draft.problems);
    this.elsewhere.has(draft);
    this.#saving.settle();
  }

  #judge(problems: DraftProblem[]): void {
    this.#said = problems;
    this.recipients.judge(problems);
  }

  set(patch: Partial<Pick<Composer, "subject" | "identityId" | "remindAt">>): void {
    Object.assign(this, patch);
    this.edited();
  }

  /** Plain text that was typed. */
  write(body: string): void {
    this.content.body = body;
    this.edited();
  }

  /** Something was typed into the editor, which keeps it until it is saved. */
  typed(): void {
    if (!this.isDirty || !this.#saving.isPlanned) return this.edited();
    this.#saving.note();
  }

  /** Sends from another address; another account's keeps its drafts itself. */
  async sendAs(accountId: Id, identityId: Id): Promise<void> {
    this.notes.delete("sender");
    if (accountId === this.accountId) return this.set({ identityId });
    await this.#saving.rest();
    const copied = await this.files.copyTo(accountId);
    await this.#saving.rest();
    const before = this.accountId;
    this.#former.add(before, this.draftId);
    this.accountId = accountId;
    this.draftId = null;
    this.files.moved(before, copied);
    this.set({ identityId });
    if (await this.save()) await this.#former.clear();
  }

  /** The content differs from the saved version. */
  edited(isUrgent = false): void {
    this.#saving.note();
    this.changed();
    this.#saving.plan(isUrgent);
  }

  /** Keeps it. True if all that was written is on disk. */
  save(): Promise<boolean> {
    return this.#saving.save();
  }

  /** What the program says of the version that it has now. */
  #kept(made: Partial<Draft>, isNewest: boolean): void {
    if (made.problems) this.#judge(made.problems);
    if (isNewest) this.recipients.heard(made);
    if (made.attachments) this.files.heard(made.attachments);
    this.elsewhere.has(made);
    void this.#former.clear();
  }

  /** What could not be opened or saved while the program or its store was unreachable is tried once it responds. */
  #tryAgain(): void {
    const { isReachable, isStoreResponding, refusal } = this.app;
    if (!isReachable.value || !isStoreResponding.value || refusal.value !== null) return;
    if (this.status === "failed") this.start();
    else if (this.isDirty) this.save();
  }

  /** Hands it to the program as it is now. */
  async #keep(): Promise<Partial<Draft>> {
    const { mode, sourceEmailId, inReplyTo, references } = this.#origin;
    const made = await writeDraft(this.app.client, this.accountId, this.draftId, {
      identityId: this.identityId,
      ...this.recipients.content,
      subject: this.subject,
      ...this.content.kept,
      attachments: this.files.kept,
      remindAt: this.remindAt && utc(this.remindAt),
    }, { mode, sourceEmailId, inReplyTo, references });
    this.draftId = made.id;
    this.emailId = made.emailId ?? this.emailId;
    return made;
  }

  /** Saves the draft. Returns true if there is a draft now. */
  async leave(): Promise<boolean | null> {
    if (!this.isReady) return this.#end(false);
    this.isLeaving = true;
    this.changed();
    try {
      this.recipients.commitAll();
      const wasKept = this.draftId !== null || this.isDirty;
      if (this.isEmpty) {
        await this.discard();
        return false;
      }
      // A file may have arrived meanwhile.
      do if (!await this.save()) return null; while (this.isDirty && this.isReady);
      return this.#end(wasKept && this.draftId !== null);
    } finally {
      this.isLeaving = false;
      this.changed();
    }
  }

  /** Shows it no more; another composer has the same draft. */
  drop(): void {
    this.#end(null);
  }

  async discard(): Promise<void> {
    this.#saving.stop();
    await this.#saving.rest();
    this.files.cancel();
    await this.#former.remove();
    const { accountId, draftId } = this;
    if (draftId) refuse(await this.app.client.call("Draft/set", { accountId, destroy: [draftId] }));
    this.#end(false);
  }

  /** Saves it when it is about to be sent: nothing can be changed meanwhile. */
  async saveForSending(): Promise<void> {
    this.content.finish();
    this.isSending = true;
    this.changed();
    await this.save();
    this.isSending = false;
    this.changed();
  }

  /**
   * Sends it, now or at a time to come. It is closed when it is on its way.
   *
   * - Parameter isByService: the service gets it, and sends it then.
   */
  async send(at?: Date, isByService = false): Promise<Sent | null> {
    this.content.finish();
    this.recipients.commitAll();
    this.isSending = true;
    this.changed();
    try {
      // Prefilled content must be saved too before it can be sent.
      if (!this.draftId) this.#saving.note();
      if (!await this.save()) throw new Error(this.saveProblem ?? "The draft could not be saved.");
      const { accountId, draftId, emailId } = this;
      const sent = await sendDraft(this.app, accountId, { draftId: draftId ?? "", emailId }, {
        at,
        isByService,
      });
      this.#end(false);
      return sent;
    } catch (error) {
      this.app.toasts.problem(words(error));
      this.isSending = false;
      await this.elsewhere.heard();
      this.changed();
      return null;
    }
  }

  #end<T>(result: T): T {
    this.#saving.stop();
    this.files.end();
    for (const stop of this.#stops) stop();
    this.status = "closed";
    this.changed();
    return result;
  }
}

import type { DraftProblem } from "../../jmap/compose.ts";
import type { Address } from "../../jmap/types.ts";
import { looksLikeAddress, mayImitate, parseAddresses } from "./addresses.ts";

export type Field = "to" | "cc" | "bcc";
export const FIELDS: readonly Field[] = ["to", "cc", "bcc"];
export const NAMES: Record<Field, string> = { to: "To", cc: "Cc", bcc: "Bcc" };

/** The recipients of a message. */
export class Recipients {
  readonly in: Record<Field, Address[]> = { to: [], cc: [], bcc: [] };
  /** Typed text that is not a recipient yet. */
  readonly typed: Record<Field, string> = { to: "", cc: "", bcc: "" };
  /** Warnings about look-alike addresses, keyed by address. */
  readonly warnings = new Map<string, string>();
  #said = new Map<string | null, string>();
  /** Requested with every key press, so cached until the list or the program's problems change. */
  readonly #wrong = new Map<
    Field,
    { list: Address[]; said: Map<string | null, string>; reasons: string[] }
  >();

  /** `edited` is told whether the program should judge the addresses at once. */
  constructor(private readonly edited: (isUrgent: boolean) => void) {}

  get all(): Address[] {
    return FIELDS.flatMap((field) => this.in[field]);
  }

  get isEmpty(): boolean {
    return FIELDS.every((field) => this.in[field].length === 0) &&
      FIELDS.every((field) => this.typed[field].trim() === "");
  }

  /** The problems without those with addresses that were removed since. */
  unsolved(problems: DraftProblem[]): DraftProblem[] {
    if (!problems.some(isAboutAddress)) return problems;
    const written = new Set(this.all.map(({ email }) => email));
    return problems.filter((problem) => !isAboutAddress(problem) || written.has(problem.value ?? ""));
  }

  /** The fields as a draft has them. */
  get content(): Record<string, { name: string | null; email: string }[]> {
    return Object.fromEntries(
      FIELDS.map((field) => [
        field,
        this.settled(field).map(({ name, email }) => ({ name: name ?? null, email })),
      ]),
    );
  }

  /** Including the typed text: the recipients once typing is finished. */
  settled(field: Field): Address[] {
    return [...this.in[field], ...parseAddresses(this.typed[field])];
  }

  show(lists: Partial<Record<Field, Address[]>>): void {
    for (const field of FIELDS) this.in[field] = lists[field] ?? this.in[field];
  }

  /** The program takes apart what holds several addresses. */
  heard(lists: Partial<Record<Field, Address[]>>): void {
    for (const field of FIELDS) if (!this.typed[field]) this.in[field] = lists[field] ?? this.in[field];
  }

  /** What the program says of the addresses. */
  judge(problems: DraftProblem[]): void {
    const about = problems.filter(({ kind }) => kind === "invalidAddress");
    this.#said = new Map(about.map(({ value, text }) => [value, text]));
    for (const { kind, value, text } of problems) {
      if (kind === "imitatingAddress" && value) this.warnings.set(value, text);
    }
  }

  /** Why a recipient cannot be written to, or null. */
  wrong(address: Address): string | null {
    const said = this.#said.get(address.email);
    if (said !== undefined) return said;
    return looksLikeAddress(address.email) ? null : `“${address.email}” is not an address.`;
  }

  /** The problems with a field's recipients. */
  wrongIn(field: Field): string[] {
    const [list, said, known] = [this.in[field], this.#said, this.#wrong.get(field)];
    if (known?.list === list && known.said === said) return known.reasons;
    const reasons = list.map((address) => this.wrong(address)).filter((reason) => reason !== null);
    this.#wrong.set(field, { list, said, reasons });
    return reasons;
  }

  /** Why nothing can be sent to them, or null. */
  get obstacle(): string | null {
    const typed = FIELDS.flatMap((field) => parseAddresses(this.typed[field]));
    const wrong = FIELDS.flatMap((field) => this.wrongIn(field).slice(0, 1))[0] ??
      typed.map((address) => this.wrong(address)).find((text) => text !== null);
    if (wrong) return wrong;
    const isEmpty = typed.length === 0 && FIELDS.every((field) => this.in[field].length === 0);
    return isEmpty ? "Add a recipient." : null;
  }

  type(field: Field, text: string): void {
    this.typed[field] = text;
    this.edited(false);
  }

  /** Turns typed text into recipients. */
  commit(field: Field, text = this.typed[field]): void {
    const known = new Set(this.in[field].map((address) => address.email.toLowerCase()));
    const fresh = parseAddresses(text).filter(({ email }) => {
      const isNew = !known.has(email.toLowerCase());
      known.add(email.toLowerCase());
      return isNew;
    });
    if (text === this.typed[field]) this.typed[field] = "";
    if (fresh.length > 0 || text !== "") this.#set(field, [...this.in[field], ...fresh]);
  }

  commitAll(): void {
    for (const field of FIELDS) if (this.typed[field].trim()) this.commit(field);
  }

  add(field: Field, address: Address): void {
    this.typed[field] = "";
    const isThere = this.in[field].some(({ email }) => email.toLowerCase() === address.email.toLowerCase());
    this.#set(field, isThere ? this.in[field] : [...this.in[field], address]);
  }

  remove(field: Field, address: Address): void {
    this.#set(field, this.in[field].filter((other) => other !== address));
  }

  move(address: Address, from: Field, to: Field): void {
    if (from === to) return;
    this.#set(from, this.in[from].filter(({ email }) => email !== address.email));
    this.add(to, address);
  }

  #set(field: Field, list: Address[]): void {
    const known = new Set(this.in[field]);
    this.in[field] = list;
    this.edited(list.some((address) => !known.has(address) && mayImitate(address)));
  }
}

function isAboutAddress({ kind }: DraftProblem): boolean {
  return kind === "invalidAddress" || kind === "imitatingAddress";
}

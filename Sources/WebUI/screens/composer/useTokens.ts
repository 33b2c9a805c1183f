import type { KeyboardEvent, RefObject } from "react";
import type { Address } from "../../jmap/types.ts";
import { shownAddress } from "./addresses.ts";
import type { Field, Recipients } from "./recipients.ts";

/** The tokens that a field has in the document, in their order. */
export function tokensIn(line: RefObject<HTMLElement>): HTMLElement[] {
  return [...line.current?.querySelectorAll<HTMLElement>(".token-main") ?? []];
}

/** Actions on the recipients of a field, by pointer and keyboard. */
export function useTokens(
  recipients: Recipients,
  field: Field,
  line: RefObject<HTMLElement>,
  input: RefObject<HTMLInputElement>,
) {
  const focus = (index: number) => (tokensIn(line)[index] ?? input.current)?.focus();
  const remove = (address: Address, index: number) => {
    const last = tokensIn(line).length - 2;
    recipients.remove(field, address);
    requestAnimationFrame(() => focus(Math.min(index, last)));
  };
  const edit = (address: Address) => {
    recipients.remove(field, address);
    recipients.type(field, shownAddress(address));
    input.current?.focus();
  };
  const pressed = (event: KeyboardEvent, address: Address, index: number) => {
    const { key } = event;
    const end = tokensIn(line).length;
    const steps: Record<string, number> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: end };
    if (key in steps) focus(Math.max(steps[key] ?? 0, 0));
    else if (key === "Backspace" || key === "Delete") remove(address, index);
    else if (key === "Enter" || key === "F2") edit(address);
    else return;
    event.preventDefault();
  };
  return { remove, edit, pressed };
}

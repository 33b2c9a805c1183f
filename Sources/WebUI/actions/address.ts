import type { Address } from "../jmap/types.ts";
import type { Action, Subject } from "./action.ts";

/** The address of a person in a message. */
export interface AddressSubject extends Subject {
  address: Address;
  /** Begins a message to it. */
  write: () => void;
}

/** Everything that can be done with an address. */
export const ADDRESS: Action<AddressSubject>[] = [
  {
    id: "writeTo",
    label: ({ address }) => `Write to ${address.name || address.email}`,
    icon: "compose",
    places: ["addressMenu"],
    run: ({ write }) => write(),
  },
  {
    id: "mailFrom",
    label: "Show mail from this address",
    icon: "search",
    places: ["addressMenu"],
    run: ({ app, address }) => app.router.go(["search"], { q: `from:${address.email}`, in: "all/inbox" }),
  },
  {
    id: "copyAddress",
    label: "Copy address",
    icon: "file",
    places: ["addressMenu"],
    run: ({ app, address }) => {
      navigator.clipboard.writeText(address.email).then(
        () => app.toasts.show("Address copied"),
        () => app.toasts.problem("Your browser does not allow copying here."),
      );
    },
  },
];

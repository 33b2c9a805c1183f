import { useEffect, useRef, useState } from "react";
import type { Address } from "../../jmap/types.ts";
import type { Contact } from "../../jmap/vendor.ts";
import { PROGRAM, useApp } from "../../store/app.ts";

const MOST = 8;

/** People from the mail on this device whose name or address fits, without those that are chosen already. */
export function useContacts(text: string, chosen: Address[]): Contact[] {
  const app = useApp();
  const [list, setList] = useState<Contact[]>([]);
  const turn = useRef(0);
  const wanted = text.trim();
  useEffect(() => {
    const mine = ++turn.current;
    if (wanted === "") return setList([]);
    app.client.call<{ list: Contact[] }>("Contact/query", { accountId: PROGRAM, text: wanted, limit: MOST })
      .then((answer) => {
        if (turn.current === mine) setList(answer.list);
      })
      // Suggestions are optional: the user can type the address.
      .catch(() => setList([]));
  }, [app, wanted]);
  if (wanted === "" || list.length === 0) return [];
  const known = new Set(chosen.map((address) => address.email.toLowerCase()));
  return list.filter((contact) => !known.has(contact.email.toLowerCase()));
}

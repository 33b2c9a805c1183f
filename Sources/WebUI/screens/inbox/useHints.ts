import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { SearchHint } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";

export interface Hints {
  list: SearchHint[];
  /** The one that Enter takes; -1 for none. */
  active: number;
  setActive: (index: number) => void;
  /** Something was typed: suggestions are wanted. */
  typed: () => void;
  dismiss: () => void;
  chosen: (hint: SearchHint) => void;
}

/** Suggestions for what is being typed. They appear only while the user types. */
export function useHints(text: string, input: RefObject<HTMLInputElement>, isFocused: boolean): Hints {
  const app = useApp();
  const [isTyping, setTyping] = useState(false);
  const [found, setFound] = useState<{ text: string; list: SearchHint[] }>({ text: "", list: [] });
  const [active, setActive] = useState(-1);
  const caret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caret.current !== null) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [text, input]);
  const isWanted = isTyping && isFocused && text !== "";
  useEffect(() => {
    setActive(-1);
    if (!isWanted) return;
    let isStale = false;
    const call = app.client.call<{ list: SearchHint[] }>("SearchText/complete", {
      accountId: "program",
      text,
      caret: input.current?.selectionStart ?? text.length,
    });
    call.then(({ list }) => !isStale && setFound({ text, list })).catch(() => {});
    return () => {
      isStale = true;
    };
  }, [app, text, isWanted, input]);
  return {
    // Those for an earlier text stay until the next arrive, but Enter must not take one of them.
    list: isWanted ? found.list : [],
    active: found.text === text ? active : -1,
    setActive,
    typed: () => setTyping(true),
    dismiss: () => {
      setTyping(false);
      setActive(-1);
      setFound({ text: "", list: [] });
    },
    chosen: (hint) => {
      caret.current = hint.caret;
      setFound({ text: "", list: [] });
      // After `from:` its values are suggested.
      setTyping(hint.kind === "operator");
      input.current?.focus();
    },
  };
}

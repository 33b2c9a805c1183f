import { useEffect, useState } from "react";
import { Suffixes } from "./suffixes.ts";

let loading: Promise<Suffixes> | undefined;

/** The list is 170 KB: it is loaded with the first message, once. Until then `null`. */
export function useSuffixes(): Suffixes | null {
  const [list, setList] = useState<Suffixes | null>(null);
  useEffect(() => {
    let isWanted = true;
    loading ??= load();
    loading.then((loaded) => isWanted && setList(loaded)).catch(() => loading = undefined);
    return () => {
      isWanted = false;
    };
  }, []);
  return list;
}

async function load(): Promise<Suffixes> {
  const answer = await fetch("/suffixes.txt");
  if (!answer.ok) throw new Error(`The public suffix list could not be loaded: status ${answer.status}.`);
  return new Suffixes(await answer.text());
}

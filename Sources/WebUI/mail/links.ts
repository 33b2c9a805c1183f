/** The host that a link's text names, if the link leads to another one; null if it tells the truth or names none. */
export function misleads(text: string, hostname: string): string | null {
  const named = /^(?:https?:\/\/)?((?:[\p{L}\d-]+\.)+\p{L}{2,})(?:[:/?#]\S*)?$/iu.exec(text.trim())?.[1];
  if (!named) return null;
  const [says, leadsTo] = [bare(named), bare(hostname)];
  const isSame = says === leadsTo || leadsTo.endsWith(`.${says}`) || says.endsWith(`.${leadsTo}`);
  return isSame ? null : named;
}

function bare(host: string): string {
  let ascii = host.toLowerCase();
  try {
    // As the browser would read it, so that letters that look alike do not count as the same.
    ascii = new URL(`http://${host}`).hostname;
  } catch {
    // Then it is compared as it is written.
  }
  return ascii.replace(/^www\./, "");
}

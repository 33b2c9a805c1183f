import type { Quota } from "../../jmap/vendor.ts";
import { count } from "../../store/words.ts";

/** As services count and advertise it: their GB has 1024 × 1024 × 1024 bytes. */
export function quotaSize(bytes: number): string {
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${units[unit]}`;
}

/** `6.1 GB of 15 GB used at example.org`, one for each limit on mail. */
export function quotaSentences(quotas: Quota[], address: string): string[] {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const sentences = quotas.filter(({ types, hardLimit }) => types.includes("Mail") && hardLimit > 0)
    .map((quota) => sentence(quota, domain));
  return [...new Set(sentences)];
}

function sentence({ resourceType, used, hardLimit, scope }: Quota, domain: string): string {
  const amounts = resourceType === "octets"
    ? `${quotaSize(used)} of ${quotaSize(hardLimit)}`
    : `${count(used)} of ${count(hardLimit)} messages`;
  const full = used >= hardLimit ? ". New messages may be rejected until you delete some" : "";
  const shared = scope === "account" ? "" : ", shared with other accounts";
  return `${amounts} used at ${domain}${shared}${full}.`;
}

/** The server at which a service offers JMAP. */
export function jmapHost(url: string | null): string | null {
  return url && URL.canParse(url) ? new URL(url).host || null : null;
}

export function jmapSentence(url: string | null): string | null {
  const host = jmapHost(url);
  return host ? `This service also offers JMAP, at ${host}.` : null;
}

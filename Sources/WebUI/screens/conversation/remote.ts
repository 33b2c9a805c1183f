import type { EmailView } from "../../jmap/vendor.ts";
import { counted } from "../../store/words.ts";

/** What of a message never loads, and why: a sentence for each reason. */
export function refusedSentences({ insecure, address, style, other }: EmailView["refusedRemote"]): string[] {
  const sentences: string[] = [];
  if (insecure > 0) {
    sentences.push(
      `${counted(insecure, "image")} ${is(insecure)} only offered over an unencrypted connection and ` +
        `${was(insecure)} not loaded.`,
    );
  }
  if (address > 0) {
    sentences.push(
      `${counted(address, "image")} ${
        was(address)
      } not loaded: the address is invalid or in a private network.`,
    );
  }
  if (style > 0) {
    sentences.push(
      `${counted(style, "style sheet or font", "style sheets or fonts")} ${was(style)} not loaded: ` +
        "only images are loaded from other servers.",
    );
  }
  if (other > 0) {
    sentences.push(
      `${counted(other, "embedded item")}, such as a video or drawing, ${was(other)} not loaded: ` +
        "only ordinary images are loaded from other servers.",
    );
  }
  return sentences;
}

/** Images that were asked for and are still coming. */
export function pendingSentence(count: number): string[] {
  return count === 0 ? [] : [`${counted(count, "image")} ${is(count)} still loading.`];
}

/** Images that were asked for and did not come. */
export function failedSentence(count: number): string[] {
  return count === 0 ? [] : [`${counted(count, "image")} could not be loaded over an encrypted connection.`];
}

const is = (count: number) => count === 1 ? "is" : "are";
const was = (count: number) => count === 1 ? "was" : "were";

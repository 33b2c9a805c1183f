import { composerPart } from "./composer/open.tsx";
import { conversationPart, printedPart } from "./conversation/later.tsx";

const parts = () => import("./parts.ts");
composerPart.source = () => parts().then(({ ComposerView }) => ComposerView);
conversationPart.source = () => parts().then(({ ConversationPane }) => ConversationPane);
printedPart.source = () => parts().then(({ PrintedSelection }) => PrintedSelection);

/** What an address shows besides the list is loaded together with the session. */
export function prepareParts(hash: string): void {
  if (/^#\/compose\b/.test(hash)) composerPart.prepare();
  else if (/^#\/(mail(\/[^/?]+){4}|search(\/[^/?]+){2})/.test(hash)) conversationPart.prepare();
}

import "./conversation.css";
import "./messageBody.css";
import "./print.css";
import "./pdfPages.css";
import "./invitation.css";
import { type ComponentProps, useEffect } from "react";
import { useObservable } from "../../base/observable.ts";
import { useApp } from "../../store/app.ts";
import { printingOf } from "../../store/printing.ts";
import { Later, NotLoaded, useLater } from "../../ui/later.tsx";
import type { ConversationPane } from "./ConversationPane.tsx";

/** Conversations are opened after the list is shown. */
export const conversationPart = new Later<ComponentProps<typeof ConversationPane>>();
export const printedPart = new Later<object>();

export function LaterConversation(props: ComponentProps<typeof ConversationPane>) {
  const { Loaded, hasFailed } = useLater(conversationPart);
  if (Loaded) return <Loaded {...props} />;
  return (
    <section className="conversation" aria-label="Conversation">
      {hasFailed && <NotLoaded what="The conversation" />}
    </section>
  );
}

/** Selected conversations while they are being printed. */
export function LaterPrintedSelection() {
  const printing = useObservable(printingOf(useApp()));
  return printing.isBusy ? <Printed end={() => printing.end()} /> : null;
}

function Printed({ end }: { end: () => void }) {
  const { toasts } = useApp();
  const { Loaded, hasFailed } = useLater(printedPart);
  useEffect(() => {
    if (!hasFailed) return;
    end();
    toasts.problem("The messages could not be printed. Loading the page again may help.");
  }, [hasFailed]);
  return Loaded && <Loaded />;
}

import type { MouseEvent, ReactNode } from "react";
import { ADDRESS, type AddressSubject } from "../../actions/address.ts";
import { MESSAGE, type MessageSubject } from "../../actions/message.ts";
import { useActionMenu } from "../../actions/useActionMenu.tsx";
import { type App, useApp } from "../../store/app.ts";
import { openComposer } from "../composer/open.tsx";

/** The menus of a message's header: for an address, and for the message everywhere else. */
export function useMessageMenus(
  subject: () => MessageSubject,
): { onContextMenu: (event: MouseEvent) => void; menus: ReactNode } {
  const app = useApp();
  const message = useActionMenu("Message", MESSAGE, "messageMenu", subject);
  const address = useActionMenu("Address", ADDRESS, "addressMenu", (event) => addressSubject(app, event));
  return {
    onContextMenu: (event) => {
      address.onContextMenu(event);
      if (!event.defaultPrevented) message.onContextMenu(event);
    },
    menus: (
      <>
        {message.menu}
        {address.menu}
      </>
    ),
  };
}

/** The address that was pointed at. */
function addressSubject(app: App, { target }: MouseEvent): AddressSubject | null {
  const { address: email, name = null } =
    (target as HTMLElement).closest<HTMLElement>("[data-address]")?.dataset ?? {};
  if (!email) return null;
  const write = () => openComposer(app, { mode: "new", mailto: `mailto:${encodeURIComponent(email)}` });
  return { app, targets: [], address: { name, email }, write };
}

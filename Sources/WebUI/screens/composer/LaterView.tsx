import "../when/when.css";
import "./editor.css";
import "./recipients.css";
import type { ComponentProps } from "react";
import { Later, NotLoaded, useLater } from "../../ui/later.tsx";
import { Spinner } from "../../ui/states.tsx";
import type { ComposerView } from "./ComposerView.tsx";

type Props = ComponentProps<typeof ComposerView>;

/** What a message is written with, which the list of conversations does not wait for. */
export const composerPart = new Later<Props>();

export function LaterView(props: Props) {
  const { Loaded, hasFailed } = useLater(composerPart);
  if (Loaded) return <Loaded {...props} />;
  return hasFailed ? <NotLoaded what="The composer" /> : <Spinner label="Opening your message" />;
}

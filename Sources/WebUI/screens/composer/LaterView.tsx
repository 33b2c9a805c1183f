import "../when/when.css";
import "./editor.css";
import "./recipients.css";
import type { ComponentProps } from "react";
import { Later, NotLoaded, useLater } from "../../ui/later.tsx";
import type { ComposerView } from "./ComposerView.tsx";
import { view } from "./loadView.ts";
import { Opening } from "./Opening.tsx";

type Props = ComponentProps<typeof ComposerView>;

/** What a message is written with, which the list of conversations does not wait for. */
export const composerPart = new Later<Props>();

// A message is opened with it, so that what is typed meanwhile is not lost.
view.load = () => composerPart.load().catch(() => {});

export function LaterView(props: Props) {
  const { Loaded, hasFailed } = useLater(composerPart);
  if (Loaded) return <Loaded {...props} />;
  return (
    <div className="composer" data-writing>
      {hasFailed ? <NotLoaded what="The composer" /> : <Opening composer={props.composer} />}
    </div>
  );
}

import { prepareFrame } from "../mail/spareFrame.ts";

/**
 * What the list of conversations does not need: reading and writing. They are one part, for whatever two parts share
 * would be one more file of the first view.
 */
export { ComposerView } from "./composer/ComposerView.tsx";
export { ConversationPane } from "./conversation/ConversationPane.tsx";
export { PrintedSelection } from "./conversation/PrintedSelection.tsx";

prepareFrame();

import type { Desk } from "../../actions/goOn.ts";
import type { SelectionSubject } from "../../actions/keeping.ts";
import { words } from "../../jmap/errors.ts";
import type { App } from "../../store/app.ts";
import { messagesOf } from "../../store/messageFiles.ts";
import { printingOf } from "../../store/printing.ts";
import type { Target } from "../../store/target.ts";
import { counted } from "../../store/words.ts";
import { openComposer } from "../composer/open.tsx";
import { saveMessages } from "../conversation/saveMessages.ts";

/** More attachments than that are no message any more. */
const MOST_FORWARDED = 100;

/** What is selected in a list, as actions take it. */
export function selectionSubject(app: App, desk: Desk): SelectionSubject {
  const chosen = desk.state.chosen();
  return {
    app,
    desk,
    ...chosen,
    isSelection: true,
    forward: () => forward(app, chosen.targets),
    save: () => save(app, chosen.targets),
    print: () => print(app, chosen.targets),
  };
}

async function forward(app: App, targets: Target[]): Promise<void> {
  try {
    const files = await messagesOf(app, targets);
    const [first] = files;
    if (!first) return void app.toasts.show("There is no message to forward.");
    if (files.length > MOST_FORWARDED) {
      const all = counted(files.length, "message");
      return void app.toasts.problem(`These are ${all}. Up to ${MOST_FORWARDED} can be forwarded at once.`);
    }
    const { accountId, id: emailId } = first;
    if (files.length === 1) {
      return void openComposer(app, { mode: "forwardAsAttachment", accountId, emailId });
    }
    openComposer(app, { mode: "new", accountId, attached: files.map(({ id }) => id).join(",") });
  } catch (error) {
    app.toasts.problem(`The messages could not be forwarded: ${words(error)}`);
  }
}

async function save(app: App, targets: Target[]): Promise<void> {
  try {
    await saveMessages(app, await messagesOf(app, targets));
  } catch (error) {
    app.toasts.problem(`The messages could not be saved: ${words(error)}`, {
      label: "Try again",
      run: () => save(app, targets),
    });
  }
}

async function print(app: App, targets: Target[]): Promise<void> {
  try {
    await printingOf(app).begin(targets);
  } catch (error) {
    app.toasts.problem(`The messages could not be printed: ${words(error)}`);
  }
}

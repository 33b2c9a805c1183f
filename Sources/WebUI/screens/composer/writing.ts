import type { DraftMode } from "../../jmap/compose.ts";
import type { Id } from "../../jmap/types.ts";

/** What the composer should start with. */
export interface Writing {
  mode: DraftMode;
  accountId?: Id | undefined;
  emailId?: Id | undefined;
  mailto?: string | undefined;
  /** A draft that is to be written on, by the email in Drafts or by its own id. */
  draftEmailId?: Id | undefined;
  draftId?: Id | undefined;
  /** The failed submission that it was before: the composer shows why it was not sent. */
  submissionId?: Id | undefined;
  /** The template that it begins with. */
  templateId?: Id | undefined;
  /** Emails that it begins with as files: their ids, with commas between them. */
  attached?: string | undefined;
  /** The message that a draft of an answer is shown below, where it is on the screen. */
  below?: Id | undefined;
}

/** It belongs below a message. */
export function isReply({ mode, below }: Writing): boolean {
  return mode !== "new" || below !== undefined;
}

/** The address of its own window. */
export function queryOf({ below: _, ...writing }: Writing): Record<string, string> {
  return Object.fromEntries(
    Object.entries(writing).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

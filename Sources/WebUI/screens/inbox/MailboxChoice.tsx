import { useMemo, useState } from "react";
import { folderIcon, folderTint } from "../../actions/folderIcon.ts";
import type { Mailbox } from "../../jmap/types.ts";
import { useApp } from "../../store/app.ts";
import { createFolder } from "../../store/folderChanges.ts";
import { looksOf } from "../../store/folderLooks.ts";
import { above } from "../../store/folders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { wouldTake } from "../../store/prospects.ts";
import { mailboxTitle } from "../../store/scope.ts";
import type { Target } from "../../store/target.ts";
import { useTask } from "../../store/useTask.ts";
import { FieldProblem } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { CreateItem } from "./CreateItem.tsx";
import { isMissing, matching } from "./mailboxSearch.ts";

interface MailboxChoiceProps {
  account: MailAccount;
  targets: Target[];
  /** The targets are only those of a list that are loaded. */
  isPartial: boolean;
  onChoose: (mailbox: Mailbox) => void;
}

/** Where conversations go: type a part of its name, Enter takes the first, or creates it where there is none. */
export function MailboxChoice({ account, targets, isPartial, onChoose }: MailboxChoiceProps) {
  const { isBusy, problem, run } = useTask();
  const [text, setText] = useState("");
  const { list } = account.mailboxes;
  const all = useMemo(() => placesFor(list, targets, isPartial), [list, targets, isPartial]);
  const mailboxes = matching(all, text);
  const [best] = mailboxes;
  const name = text.trim();
  const isNew = account.mayCreateFolders && isMissing(list, name);
  const create = () => {
    if (!isBusy) void run(async () => onChoose(await createFolder(account, { name, parentId: null })));
  };
  const take = () => best ? onChoose(best) : isNew && create();
  return (
    <>
      <input
        className="input"
        type="search"
        data-autofocus
        aria-label="Find a folder"
        placeholder={account.mayCreateFolders ? "Find or create" : "Find"}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && !event.nativeEvent.isComposing && take()}
      />
      <ul className="move-list">
        {mailboxes.map((mailbox) => (
          <MailboxItem
            key={mailbox.id}
            {...{ account, mailbox }}
            onChoose={() => onChoose(mailbox)}
          />
        ))}
        {isNew && <CreateItem {...{ name, isBusy }} onCreate={create} />}
      </ul>
      {problem && <FieldProblem>{problem}</FieldProblem>}
      {mailboxes.length === 0 && !isNew && <p role="status">No folders found.</p>}
    </>
  );
}

interface MailboxItemProps {
  account: MailAccount;
  mailbox: Mailbox;
  onChoose: () => void;
}

function MailboxItem({ account, mailbox, onChoose }: MailboxItemProps) {
  const app = useApp();
  const tint = folderTint(looksOf(app, account.id, mailbox).color);
  return (
    <li>
      <button type="button" className={`menu-item ${tint}`} onClick={onChoose}>
        <Icon name={folderIcon(mailbox.role)} />
        <span className="menu-label">
          {mailboxTitle(mailbox)} <Path list={account.mailboxes.list} mailbox={mailbox} />
        </span>
      </button>
    </li>
  );
}

/** The folders that it is in. */
export function Path({ list, mailbox }: { list: Mailbox[]; mailbox: Mailbox }) {
  const parents = above(list, mailbox);
  if (parents.length === 0) return null;
  return <small className="move-in">in {parents.map(mailboxTitle).join(" / ")}</small>;
}

/** The mailboxes of the account that could take any of it. */
function placesFor(list: Mailbox[], targets: Target[], isPartial: boolean): Mailbox[] {
  return list
    .filter((mailbox) => mailbox.myRights["mayAddItems"] !== false && mailbox.role !== "drafts")
    .filter((mailbox) =>
      targets.some((one) => isPartial ? one.mailboxId !== mailbox.id : wouldTake(one, mailbox))
    )
    .sort((left, right) => left.sortOrder - right.sortOrder || left.name.localeCompare(right.name));
}

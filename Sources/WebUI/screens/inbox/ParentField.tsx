import type { Id, Mailbox } from "../../jmap/types.ts";
import { foldersOf, inside } from "../../store/folders.ts";
import type { MailAccount } from "../../store/parts.ts";
import { mailboxTitle } from "../../store/scope.ts";
import { SelectField } from "../../ui/fields.tsx";

interface ParentFieldProps {
  account: MailAccount;
  /** The folder that is moved: never into itself. */
  mailbox?: Mailbox;
  value: Id | null;
  onChange: (parentId: Id | null) => void;
}

/** The folder in which another one is. */
export function ParentField({ account, mailbox, value, onChange }: ParentFieldProps) {
  const { list } = account.mailboxes;
  const own = mailbox ? [mailbox, ...inside(list, mailbox.id)] : [];
  const options = foldersOf(list)
    .filter(({ mailbox }) => !own.includes(mailbox))
    .filter(({ mailbox: { id, myRights } }) => id === value || myRights["mayCreateChild"] !== false)
    // Spaces at the beginning are not shown.
    .map(({ mailbox, depth }) => ({
      value: mailbox.id,
      label: "\u2003".repeat(depth) + mailboxTitle(mailbox),
    }));
  return (
    <SelectField
      label="In"
      value={value ?? ""}
      options={[{ value: "", label: "Top level" }, ...options]}
      onChange={(id) => onChange(id === "" ? null : id)}
    />
  );
}

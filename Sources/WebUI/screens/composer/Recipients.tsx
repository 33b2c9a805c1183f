import { useState } from "react";
import type { Composer } from "./composer.ts";
import { RecipientField } from "./RecipientField.tsx";
import { type Field, FIELDS, NAMES } from "./recipients.ts";

/** The fields for recipients, of which only the first is there from the beginning. */
export function Recipients({ composer }: { composer: Composer }) {
  const [open, setOpen] = useState<Field[]>([]);
  const visible = FIELDS.filter((field) =>
    field === "to" || open.includes(field) || composer.recipients.in[field].length > 0
  );
  const rest = FIELDS.filter((field) => !visible.includes(field));
  return (
    <>
      {visible.map((field) => (
        <RecipientField key={field} composer={composer} field={field} takesFocus={open.includes(field)}>
          {field === "to" && rest.map((other) => (
            <button
              key={other}
              type="button"
              className="line-more"
              aria-label={`Add ${NAMES[other]}`}
              onClick={() => setOpen([...open, other])}
            >
              {NAMES[other]}
            </button>
          ))}
        </RecipientField>
      ))}
    </>
  );
}

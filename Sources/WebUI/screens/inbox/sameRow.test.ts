import { equal } from "../../testing/assert.ts";
import { isSameRow, type ThreadRowProps } from "./sameRow.ts";

function row(changes: Partial<ThreadRowProps> = {}): ThreadRowProps {
  const offer = { id: "archive", label: "Archive", icon: undefined, hint: "e", isOn: undefined };
  return {
    id: "row-a",
    index: 0,
    total: 2,
    top: 0,
    shape: "compact",
    content: {
      who: "Ana",
      email: "ana@example.com",
      subject: "Lunch",
      preview: "At noon?",
      at: "2026-01-02T03:04:05Z",
      isUnread: true,
      isStarred: false,
      hasAttachment: false,
      messages: 1,
      draft: false,
      warning: null,
      notes: ["Trash"],
      returns: null,
    },
    tools: [{ ...offer, isIdle: false, problem: null, run: () => {} }],
    marks: [],
    isCursor: false,
    isOpen: false,
    isSelected: false,
    minute: 5,
    ...changes,
  };
}

Deno.test("a row is drawn again only if it looks different", () => {
  equal(isSameRow(row(), row()), true);
  const { content, tools } = row();
  const different: Partial<ThreadRowProps>[] = [
    { isOpen: true },
    { top: 30 },
    { minute: 6 },
    { marked: { subject: "Lunch", preview: "At noon?" } },
    { content: { ...content, isUnread: false } },
    { content: { ...content, notes: [] } },
    { tools: [] },
    { tools: tools.map((one) => ({ ...one, problem: "It is away." })) },
    { tools: tools.map((one) => ({ ...one, isOn: true })) },
    { marks: tools },
  ];
  equal(different.filter((changes) => isSameRow(row(), row(changes)) || isSameRow(row(changes), row())), []);
});

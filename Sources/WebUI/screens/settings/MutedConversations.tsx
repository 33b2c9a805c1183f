import { useEffect, useState } from "react";
import { JUDGING } from "../../actions/judging.ts";
import { showMail } from "../../actions/showMail.ts";
import { words } from "../../jmap/errors.ts";
import { useApp } from "../../store/app.ts";
import { loadMuted, type MutedConversation, mutedTarget } from "../../store/muted.ts";
import { count, subjectOf } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { FieldProblem } from "../../ui/fields.tsx";
import { ActionRow, Row } from "./Row.tsx";

/** So many are listed at first, and more with each click. */
const LISTED = 20;
/** Changes come in bursts. */
const PAUSE_MS = 300;
/** Its name is in the registry of actions. */
const UNMUTE = String(JUDGING.find(({ id }) => id === "unmute")?.label ?? "");

/** Conversations whose later messages skip the inbox: not rules, but like them. */
export function MutedConversations() {
  const app = useApp();
  const { muted, problem, limit, setLimit } = useMuted();
  const total = muted?.total ?? 0;
  return (
    <>
      <ActionRow
        heads="muted"
        title={muted ? `Muted conversations: ${count(total)}` : "Muted conversations"}
        text="Later messages of a muted conversation skip the inbox. Unmute it to get them there again."
      >
        <Button
          icon="mute"
          onClick={() => showMail(app, ["search"], { q: "is:muted", in: "all/inbox" })}
        >
          Show muted
        </Button>
      </ActionRow>
      {problem && (
        <Row about="Muted conversations">
          <FieldProblem>{problem}</FieldProblem>
        </Row>
      )}
      {muted?.list.map((one) => <MutedRow key={`${one.accountId}/${one.email.id}`} muted={one} />)}
      {total > (muted?.list.length ?? 0) && (
        <ActionRow title={`${count(muted?.list.length ?? 0)} of ${count(total)} muted conversations shown`}>
          <Button
            onClick={() =>
              setLimit(limit + LISTED)}
          >
            Show more muted
          </Button>
        </ActionRow>
      )}
    </>
  );
}

function MutedRow({ muted }: { muted: MutedConversation }) {
  const app = useApp();
  const { email } = muted;
  const subject = subjectOf(email);
  const [sender] = email.from ?? [];
  return (
    <ActionRow
      list="muted"
      title={subject}
      text={`Muted conversation. ${sender?.name || sender?.email || "No sender"}`}
    >
      <Button
        aria-label={`${UNMUTE} “${subject}”`}
        onClick={() => app.actions.perform({ verb: "unmute" }, [mutedTarget(muted)])}
      >
        {UNMUTE}
      </Button>
    </ActionRow>
  );
}

/** Reads them again whenever mail changes. */
function useMuted() {
  const app = useApp();
  const [limit, setLimit] = useState(LISTED);
  const [muted, setMuted] = useState<{ total: number; list: MutedConversation[] } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    const read = () =>
      loadMuted(app, limit).then((found) => {
        if (isOver) return;
        setMuted(found);
        setProblem(null);
      }, (error) => {
        if (!isOver) setProblem(words(error));
      });
    let timer: number | undefined;
    const stop = app.onChange((_, changed) => {
      if (!("Email" in changed)) return;
      clearTimeout(timer);
      timer = setTimeout(read, PAUSE_MS);
    });
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [app, limit]);
  return { muted, problem, limit, setLimit };
}

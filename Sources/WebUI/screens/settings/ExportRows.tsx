import { useEffect } from "react";
import type { Export } from "../../jmap/program.ts";
import type { AccountSettings } from "../../jmap/vendor.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { count } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Banner, Progress } from "../../ui/states.tsx";
import { ActionRow, Row } from "./Row.tsx";
import { useSave } from "../../store/useTask.ts";

/** Takes mail and settings along, as files in the folder for downloads. */
export function ExportRows({ accounts }: { accounts: AccountSettings[] }) {
  const app = useApp();
  const exports = useObservable(app.records<Export>("Export"));
  const { save, isSaving } = useSave();
  useEffect(() => {
    exports.load();
  }, [exports]);

  function begin(kind: Export["kind"]) {
    save(async () => {
      const { path } = await app.client.call<{ path?: string | null }>("Program/export", {
        accountId: PROGRAM,
        kind,
      });
      if (path) app.toasts.show(`Saved as ${path}`, { seconds: 10 });
      await exports.load();
    });
  }

  return (
    <>
      <ActionRow title="Export mail" text="All messages as mbox files, which other mail programs can read.">
        <Button icon="download" disabled={isSaving} onClick={() => begin("mbox")}>Export mail</Button>
      </ActionRow>
      {exports.list.filter(({ kind }) => kind === "mbox").map((one) => {
        const address = accounts.find(({ id }) => id === one.exportAccountId)?.address ?? "Mail";
        return (
          <Row key={one.id} about="Export mail">
            <ExportState
              one={one}
              name={address}
              onEnd={() => save(() => exports.destroy(one.id))}
            />
          </Row>
        );
      })}
      <ActionRow title="Export settings" text="All settings as a JSON file, without passwords.">
        <Button icon="download" disabled={isSaving} onClick={() => begin("settings")}>Export settings</Button>
      </ActionRow>
    </>
  );
}

function ExportState({ one, name, onEnd }: { one: Export; name: string; onEnd: () => void }) {
  const lost = one.failures > 0 ? ` ${count(one.failures)} messages could not be exported.` : "";
  if (one.problem) {
    return (
      <Banner icon="warning" kind="problem">
        <p>{name}: {one.problem}</p>
        <Button onClick={onEnd}>OK</Button>
      </Banner>
    );
  }
  if (one.isFinished) {
    return (
      <Banner icon="check">
        <p>{name} is saved as {one.path}.{lost}</p>
        <Button onClick={onEnd}>OK</Button>
      </Banner>
    );
  }
  return (
    <div className="storage">
      <p className="field-hint" role="status">
        Exporting {name}: {count(one.done)} of {count(one.total)} messages
      </p>
      <Progress label={`Exporting ${name}`} done={one.done} total={one.total || null} />
      <div>
        <Button onClick={onEnd}>Cancel</Button>
      </div>
    </div>
  );
}

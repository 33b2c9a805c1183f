import { useEffect, useState } from "react";
import type { Model } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import type { Records } from "../../store/records.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { FileChoice } from "./FileChoice.tsx";
import { ModelCard } from "./ModelCard.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";
import { SilentPlugins } from "./SilentPlugins.tsx";

/** A model that is on this computer already. */
function ImportRow({ models }: { models: Records<Model> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionRow
        title="Use a model file"
        text="Import a copy of a GGUF file. Nothing is downloaded."
      >
        <Button onClick={() => setOpen(true)}>Add model file</Button>
      </ActionRow>
      {isOpen && <ImportDialog models={models} onClose={() => setOpen(false)} />}
    </>
  );
}

function ImportDialog({ models, onClose }: { models: Records<Model>; onClose: () => void }) {
  const { toasts } = useApp();
  const [path, setPath] = useState("");
  const { isBusy, problem, setProblem, run } = useTask();
  const canTake = path.trim() !== "" && !isBusy;
  const take = async () => {
    const isAdded = await run(async () => {
      await models.create({ path: path.trim() });
      await models.load();
    });
    if (!isAdded) return;
    toasts.show("The model was added");
    onClose();
  };
  const choose = (path: string) => {
    setPath(path);
    setProblem(null);
  };
  const buttons = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" disabled={!canTake} onClick={take}>{isBusy ? "Adding…" : "Add"}</Button>
    </>
  );
  return (
    <Dialog title="Add a model file" onClose={onClose} footer={buttons}>
      <TextField
        label="File"
        hint="Choose it below, or enter its path, such as /home/you/Downloads/model.gguf."
        problem={problem}
        value={path}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        onChange={setPath}
        onKeyDown={(event) => event.key === "Enter" && canTake && take()}
      />
      <FileChoice what="model files" method="ModelFile/query" chosen={path} onChoose={choose} />
    </Dialog>
  );
}

export function ModelsSection() {
  const models = useObservable(useApp().records<Model>("Model"));
  useEffect(() => {
    models.load();
  }, [models]);
  return (
    <Section id="ai" title="AI Features">
      <SilentPlugins kind="model" after={models.list} />
      {models.status === "loading" && (
        <Row about="Models">
          <Spinner label="Loading models" />
        </Row>
      )}
      {models.status === "failed" && (
        <Row about="Models">
          <FailedState
            title="Models could not be loaded"
            reason={models.problem ?? ""}
            retry={() => models.load()}
          />
        </Row>
      )}
      {models.status === "ready" && models.list.length === 0 && (
        <ActionRow
          icon="info"
          title="No AI models available"
          text="A plugin with a model adds smart categories, smart reply and summaries, all on this computer."
        />
      )}
      {models.list.map((model) => (
        <Row key={model.id} about={`AI model ${model.name} ${model.purpose} Download Delete`}>
          <ModelCard model={model} />
        </Row>
      ))}
      {models.status === "ready" && models.list.length > 0 && <ImportRow models={models} />}
    </Section>
  );
}

import { useEffect } from "react";
import type { Model } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../store/observable.ts";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { ModelCard } from "./ModelCard.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";

export function ModelsSection() {
  const models = useObservable(useApp().records<Model>("Model"));
  useEffect(() => {
    models.load();
  }, [models]);
  return (
    <Section id="ai" title="AI Features">
      {models.status === "loading" && (
        <Row about="Models">
          <Spinner label="Loading the models" />
        </Row>
      )}
      {models.status === "failed" && (
        <Row about="Models">
          <FailedState
            title="The models could not be listed"
            reason={models.problem ?? ""}
            retry={() => models.load()}
          />
        </Row>
      )}
      {models.status === "ready" && models.list.length === 0 && (
        <ActionRow
          icon="info"
          title="No AI model is offered"
          text="A plugin that brings one adds smart categories, smart reply and summaries, all on this computer."
        />
      )}
      {models.list.map((model) => (
        <Row key={model.id} about={`AI model ${model.name} ${model.purpose} Download Delete`}>
          <ModelCard model={model} />
        </Row>
      ))}
    </Section>
  );
}

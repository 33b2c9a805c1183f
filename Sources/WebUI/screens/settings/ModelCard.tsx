import type { ReactNode } from "react";
import type { Question } from "../../base/dialogs.ts";
import type { Model } from "../../jmap/program.ts";
import { size } from "../../store/words.ts";
import { useApp } from "../../store/app.ts";
import { useTask } from "../../store/useTask.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { Banner, Progress } from "../../ui/states.tsx";

const STATUS = {
  notDownloaded: "Not downloaded",
  downloading: "Downloading",
  downloaded: "Downloaded",
  unusable: "Cannot be used on this device",
} as const;

const SIGNS: Record<Model["status"], IconName> = {
  notDownloaded: "download",
  downloading: "download",
  downloaded: "check",
  unusable: "warning",
};

interface ModelCardProps {
  model: Model;
  heading?: "h2" | "h3";
  /** Replaces the program's text about a failed download. */
  failed?: string;
  /** What there is to know before a download, beside its button. */
  children?: ReactNode;
}

/** A model: its description and source before a download, then its progress. */
export function ModelCard({ model, heading: Heading = "h3", failed, children }: ModelCardProps) {
  const app = useApp();
  const task = useTask();
  const kept = keptOf(model);
  const said = model.isFailedDownload && failed ? failed : model.problem;
  const failure = task.problem ?? said ?? (model.status === "unusable" ? model.reason : null);
  return (
    <section className="model" aria-label={model.name}>
      <header className="model-header">
        <Heading>{model.name}</Heading>
        <p className="model-status" role="status">
          <Icon name={SIGNS[model.status]} />
          {STATUS[model.status]}
        </p>
      </header>
      {model.purpose && <p>{model.purpose}</p>}
      {model.status === "downloaded" && <p>{workOf(model, app.records<Model>("Model").list)}</p>}
      <Facts model={model} />
      {model.licenseText && (
        <details className="model-license">
          <summary>Read the license</summary>
          <pre className="text-sheet" tabIndex={0}>{model.licenseText}</pre>
        </details>
      )}
      {failure && <Failure failure={failure} reason={task.problem ? null : model.reason} />}
      {model.status === "downloading" && <Download model={model} />}
      {kept > 0 && <p>{`${size(kept)} of ${size(model.size)} downloaded.`}</p>}
      {model.status === "notDownloaded" && children}
      <ModelButtons model={model} task={task} hasFailed={failure !== null} />
    </section>
  );
}

/** The received size of an interrupted download. */
function keptOf({ status, received }: Model): number {
  return status === "notDownloaded" ? received ?? 0 : 0;
}

function Facts({ model }: { model: Model }) {
  const facts: [string, ReactNode][] = [
    ["Size", size(model.size)],
    [
      "Source",
      <a key="source" href={model.sourceUrl} target="_blank" rel="noopener noreferrer">{model.sourceUrl}</a>,
    ],
    ["License", model.license],
  ];
  if (model.memoryNeeded) facts.push(["Memory needed", size(model.memoryNeeded)]);
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Failure({ failure, reason }: { failure: string; reason: string | null }) {
  return (
    <div role="alert">
      <Banner icon="warning" kind="problem">
        <p>{failure}</p>
        {reason && reason !== failure && <p className="field-hint">{reason}</p>}
      </Banner>
    </div>
  );
}

interface ButtonsProps {
  model: Model;
  task: ReturnType<typeof useTask>;
  hasFailed: boolean;
}

function ModelButtons({ model, task: { isBusy, run }, hasFailed }: ButtonsProps) {
  const app = useApp();
  const kept = keptOf(model);
  const { status } = model;
  const set = (status: Model["status"] | "paused") =>
    run(async () => {
      const models = app.records<Model>("Model");
      // What becomes of it is the program's to say: it may have failed at once.
      await models.save(model.id, {}, { status });
      await models.load();
    });
  const drop = async (question: Question) => {
    if (await app.dialogs.confirm({ ...question, isDestructive: true })) await set("notDownloaded");
  };
  const download = kept > 0 ? "Continue" : hasFailed ? "Retry" : `Download (${size(model.size)})`;
  const button = (label: string, icon: IconName, run: () => void) => (
    <Button icon={icon} disabled={isBusy} onClick={run}>{label}</Button>
  );
  return (
    <div className="model-actions">
      {status === "notDownloaded" && (
        <Button
          kind="primary"
          icon={hasFailed && kept === 0 ? "refresh" : "download"}
          disabled={isBusy}
          onClick={() => set("downloading")}
        >
          {download}
        </Button>
      )}
      {kept > 0 && button("Discard", "trash", () => drop(discardQuestion(kept)))}
      {status === "downloading" && (
        <Button disabled={isBusy} onClick={() => set("paused")}>Cancel download</Button>
      )}
      {status === "unusable" && button("Try again", "refresh", () => set("downloading"))}
      {(status === "downloaded" || status === "unusable") &&
        button("Delete model", "trash", () => drop(DELETE))}
    </div>
  );
}

const DELETE: Question = {
  title: "Delete the AI model?",
  text: "Deleting the AI model will disable smart categories, smart reply, and thread summarization.",
  confirm: "Delete",
};

function discardQuestion(kept: number): Question {
  return {
    title: "Discard the download?",
    text: `The ${size(kept)} downloaded so far will be deleted.`,
    confirm: "Discard",
  };
}

function Download({ model }: { model: Model }) {
  const received = model.received ?? 0;
  return (
    <div className="model-download">
      <Progress label={`Downloading ${model.name}`} done={received} total={model.size} />
      <p className="field-hint">
        {size(received)} of {size(model.size)}
        {model.bytesPerSecond !== null && model.bytesPerSecond > 0 &&
          `, ${size(model.bytesPerSecond)} a second`}
        {model.secondsLeft !== null && `, ${timeLeft(model.secondsLeft)} left`}
      </p>
    </div>
  );
}

/** Its current tasks, among all models. */
function workOf({ abilities, usedFor }: Model, all: Model[]): string {
  const writes = abilities.includes("generate");
  const words = {
    categories: "sorts mail",
    search: "searches by meaning",
    replies: writes ? "writes replies" : "suggests replies",
    // The kernel gives both to the same model.
    summaries: writes ? "summaries" : "quotes summaries",
  };
  const does = usedFor.map((work) => words[work]);
  const last = does.pop();
  if (last) return `In use: ${does.length > 0 ? `${does.join(", ")} and ${last}` : last}.`;
  const kind = writes ? "generate" : "embed";
  return all.some((other) => other.usedFor.length > 0 && other.abilities.includes(kind))
    ? "Not in use: another model is active."
    : "Not in use: too small to write well.";
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? "about an hour" : `about ${hours} hours`;
}

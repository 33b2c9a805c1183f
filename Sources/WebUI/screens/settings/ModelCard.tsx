import { useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { Model } from "../../jmap/program.ts";
import { size } from "../../store/words.ts";
import { useApp } from "../../store/app.ts";
import { Button } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, Progress } from "../../ui/states.tsx";
import "./model.css";

const STATUS = {
  notDownloaded: "Not downloaded",
  downloading: "Downloading",
  downloaded: "Downloaded",
  unusable: "Cannot be used on this device",
} as const;

interface ModelCardProps {
  model: Model;
  heading?: "h2" | "h3";
  /** What is said of a failed download in place of the program's words. */
  failed?: string;
}

/** A model: what it is and where it comes from, before anything is downloaded; then how far it is. */
export function ModelCard({ model, heading: Heading = "h3", failed }: ModelCardProps) {
  const app = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function set(status: Model["status"] | "paused") {
    setBusy(true);
    setProblem(null);
    try {
      const models = app.records<Model>("Model");
      // What becomes of it is the program's to say: it may have failed at once.
      await models.save(model.id, {}, { status });
      await models.load();
    } catch (error) {
      setProblem(words(error));
    }
    setBusy(false);
  }

  async function remove() {
    const isSure = await app.dialogs.confirm({
      title: "Delete the AI model?",
      text: "Deleting the AI model will disable smart categories, smart reply, and thread summarization.",
      confirm: "Delete",
      isDestructive: true,
    });
    if (isSure) await set("notDownloaded");
  }

  async function discard() {
    const isSure = await app.dialogs.confirm({
      title: "Discard the download?",
      text: `The ${size(kept)} that have been fetched are deleted.`,
      confirm: "Discard",
      isDestructive: true,
    });
    if (isSure) await set("notDownloaded");
  }

  const kept = model.status === "notDownloaded" ? model.received ?? 0 : 0;
  const said = model.isFailedDownload && failed ? failed : model.problem;
  const failure = problem ?? said ?? (model.status === "unusable" ? model.reason : null);
  return (
    <section className="model" aria-label={model.name}>
      <header className="model-header">
        <Heading>{model.name}</Heading>
        <p className="model-status" role="status">
          <Icon
            name={model.status === "downloaded"
              ? "check"
              : model.status === "unusable"
              ? "warning"
              : "download"}
          />
          {STATUS[model.status]}
        </p>
      </header>
      {model.purpose && <p>{model.purpose}</p>}
      {model.status === "downloaded" && <p>{workOf(model, app.records<Model>("Model").list)}</p>}
      <dl className="facts">
        <div>
          <dt>Size</dt>
          <dd>{size(model.size)}</dd>
        </div>
        <div>
          <dt>Source</dt>
          <dd>
            <a href={model.sourceUrl} target="_blank" rel="noopener noreferrer">{model.sourceUrl}</a>
          </dd>
        </div>
        <div>
          <dt>License</dt>
          <dd>{model.licence}</dd>
        </div>
        {model.memoryNeeded !== null && model.memoryNeeded > 0 && (
          <div>
            <dt>Memory while it works</dt>
            <dd>{size(model.memoryNeeded)}</dd>
          </div>
        )}
      </dl>
      {model.licenceText && (
        <details className="model-licence">
          <summary>Read the license</summary>
          <pre tabIndex={0}>{model.licenceText}</pre>
        </details>
      )}
      {failure && (
        <div role="alert">
          <Banner icon="warning" kind="problem">
            <p>{failure}</p>
            {!problem && model.reason && model.reason !== failure && (
              <p className="field-hint">{model.reason}</p>
            )}
          </Banner>
        </div>
      )}
      {model.status === "downloading" && <Download model={model} />}
      {kept > 0 && <p>{`${size(kept)} of ${size(model.size)} have been fetched.`}</p>}
      <div className="model-actions">
        {model.status === "notDownloaded" && (
          <Button
            kind="primary"
            icon={failure && kept === 0 ? "refresh" : "download"}
            disabled={isBusy}
            onClick={() => set("downloading")}
          >
            {kept > 0 ? "Continue" : failure ? "Retry" : `Download (${size(model.size)})`}
          </Button>
        )}
        {kept > 0 && <Button icon="trash" disabled={isBusy} onClick={discard}>Discard</Button>}
        {model.status === "downloading" && (
          <Button disabled={isBusy} onClick={() => set("paused")}>Cancel download</Button>
        )}
        {model.status === "unusable" && (
          <Button
            icon="refresh"
            disabled={isBusy}
            onClick={() => set("downloading")}
          >
            Try again
          </Button>
        )}
        {(model.status === "downloaded" || model.status === "unusable") && (
          <Button icon="trash" disabled={isBusy} onClick={remove}>Delete model</Button>
        )}
      </div>
    </section>
  );
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

/** What it does for the mail just now, among all that are here. */
function workOf({ abilities, usedFor }: Model, all: Model[]): string {
  const writes = abilities.includes("generate");
  const words = {
    categories: "sorts mail",
    search: "finds mail by its meaning",
    replies: writes ? "writes replies" : "suggests replies",
    // The kernel gives both to the same model.
    summaries: writes ? "summaries" : "quotes summaries",
  };
  const does = usedFor.map((work) => words[work]);
  const last = does.pop();
  if (last) return `At work: it ${does.length > 0 ? `${does.join(", ")} and ${last}` : last}.`;
  const kind = writes ? "generate" : "embed";
  return all.some((other) => other.usedFor.length > 0 && other.abilities.includes(kind))
    ? "Not at work: another model of its kind is."
    : "Not at work: it is too small to write well.";
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return minutes === 1 ? "about a minute" : `about ${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? "about an hour" : `about ${hours} hours`;
}

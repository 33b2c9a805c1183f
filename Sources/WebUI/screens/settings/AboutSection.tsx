import { useEffect, useState } from "react";
import type { About, Licence } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";

type Page = "licences" | "models";

export function AboutSection() {
  const records = useObservable(useApp().records<About>("About"));
  const [page, setPage] = useState<Page | null>(null);
  useEffect(() => {
    if (records.status === "empty") records.load();
  }, [records]);
  const about = records.get("singleton");
  if (!about) {
    return (
      <Section id="about" title="About">
        <Row about="Version">
          {records.status === "failed"
            ? (
              <FailedState
                title="This could not be loaded"
                reason={records.problem ?? ""}
                retry={() => records.load()}
              />
            )
            : <Spinner label="Loading" />}
        </Row>
      </Section>
    );
  }
  return (
    <Section id="about" title="About">
      <ActionRow title="mailkernel" text={`Version ${about.version}, build ${about.build}`} />
      <ActionRow
        title="Privacy Policy"
        text="Your mail stays on this computer. Remote images in mail are loaded only when you ask for them."
      >
        <a className="button" href={about.privacyPolicyUrl} target="_blank" rel="noopener noreferrer">
          Read the policy
        </a>
      </ActionRow>
      <ActionRow title="Open Source Licenses" text="Of everything that mailkernel is made of.">
        <Button onClick={() => setPage("licences")}>Show licenses</Button>
      </ActionRow>
      <ActionRow
        title="AI Model Licenses"
        text={about.modelLicences.length === 0
          ? "No AI model is offered."
          : "Of the models that can be downloaded."}
      >
        {about.modelLicences.length > 0 && (
          <Button onClick={() => setPage("models")}>Show model licenses</Button>
        )}
      </ActionRow>
      {page === "licences" && (
        <Licences
          title="Open Source Licenses"
          list={about.licences.map((one) => ({ ...one, detail: one.version ?? "" }))}
          onClose={() => setPage(null)}
        />
      )}
      {page === "models" && (
        <Licences
          title="AI Model Licenses"
          list={about.modelLicences.map((one) => ({ ...one, detail: one.sourceUrl }))}
          onClose={() => setPage(null)}
        />
      )}
    </Section>
  );
}

interface LicencesProps {
  title: string;
  list: (Licence & { detail: string })[];
  onClose: () => void;
}

function Licences({ title, list, onClose }: LicencesProps) {
  return (
    <Dialog title={title} isWide onClose={onClose}>
      {list.length === 0 && <p>This build does not name what it is made of.</p>}
      <ul className="licences">
        {list.map((one) => (
          <li key={`${one.name} ${one.detail}`}>
            <LicenceItem one={one} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** The text is shown only once it is opened: there are many, and they are long. */
function LicenceItem({ one }: { one: Licence & { detail: string } }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="setting-title">{one.name}</span> <span className="field-hint">{one.detail}</span>
        {" "}
        <span className="field-hint">{one.licence}</span>
      </summary>
      {isOpen && <pre tabIndex={0}>{one.text}</pre>}
    </details>
  );
}

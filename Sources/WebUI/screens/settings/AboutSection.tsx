import { useEffect, useState } from "react";
import type { About, License } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FailedState, Spinner } from "../../ui/states.tsx";
import { ActionRow, Row, Section } from "./Row.tsx";

export function AboutSection() {
  const records = useObservable(useApp().records<About>("About"));
  useEffect(() => {
    if (records.status === "empty") records.load();
  }, [records]);
  const about = records.get("singleton");
  return (
    <Section id="about" title="About">
      {about ? <AboutRows about={about} /> : (
        <Row about="Version">
          {records.status === "failed"
            ? (
              <FailedState
                title="Version and licenses could not be loaded"
                reason={records.problem ?? ""}
                retry={() => records.load()}
              />
            )
            : <Spinner label="Loading" />}
        </Row>
      )}
    </Section>
  );
}

function AboutRows({ about }: { about: About }) {
  return (
    <>
      <ActionRow title="mailkernel" text={`Version ${about.version}, build ${about.build}`} />
      <ActionRow
        title="Privacy Policy"
        text="mailkernel sends your mail to no one but your mail services. Remote images load only when you ask for them."
      >
        <a className="button" href={about.privacyPolicyUrl} target="_blank" rel="noopener noreferrer">
          Read the policy
        </a>
      </ActionRow>
      <LicenseRow
        title="Open Source Licenses"
        text="Licenses of all included components"
        button="Show licenses"
        list={about.licenses.map((one) => ({ ...one, detail: one.version ?? "" }))}
      />
      <LicenseRow
        title="AI Model Licenses"
        text={about.modelLicenses.length === 0
          ? "No AI models are available."
          : "Licenses of the available AI models"}
        button={about.modelLicenses.length > 0 ? "Show model licenses" : null}
        list={about.modelLicenses.map((one) => ({ ...one, detail: one.sourceUrl }))}
      />
    </>
  );
}

interface LicenseRowProps extends Omit<LicensesProps, "onClose"> {
  text: string;
  /** Null where there is nothing to show. */
  button: string | null;
}

function LicenseRow({ title, text, button, list }: LicenseRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionRow title={title} text={text}>
        {button && <Button onClick={() => setOpen(true)}>{button}</Button>}
      </ActionRow>
      {isOpen && <Licenses title={title} list={list} onClose={() => setOpen(false)} />}
    </>
  );
}

interface LicensesProps {
  title: string;
  list: (License & { detail: string })[];
  onClose: () => void;
}

function Licenses({ title, list, onClose }: LicensesProps) {
  return (
    <Dialog title={title} isWide onClose={onClose}>
      {list.length === 0 && <p>This build has no list of its components.</p>}
      <ul className="licenses">
        {list.map((one) => (
          <li key={`${one.name} ${one.detail}`}>
            <LicenseItem one={one} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** The text is shown only once it is opened: there are many, and they are long. */
function LicenseItem({ one }: { one: License & { detail: string } }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="setting-title">{one.name}</span> <span className="field-hint">{one.detail}</span>
        {" "}
        <span className="field-hint">{one.license}</span>
      </summary>
      {isOpen && <pre className="text-sheet" tabIndex={0}>{one.text}</pre>}
    </details>
  );
}

import { type FormEvent, type ReactNode, useEffect, useRef } from "react";
import type { AccountDiscovery, AccountSetup } from "../../jmap/accounts.ts";
import type { Id } from "../../jmap/types.ts";
import { Button } from "../../ui/Button.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Banner, Spinner } from "../../ui/states.tsx";
import { SetupList } from "./SetupList.tsx";
import type { SignInStart } from "./useSignIn.ts";
import { useDiscovery } from "./useDiscovery.ts";

/** A way to add an account, and the service that was found for the user's address. */
export interface ChosenSetup {
  setup: AccountSetup;
  found: { discoveryId: Id; serviceName: string; isToBeChanged: boolean } | null;
}

/** What the sign-in begins with. */
export function startOf(setup: AccountSetup, found: ChosenSetup["found"]): SignInStart {
  if (!found) return { setupId: setup.id };
  return { discoveryId: found.discoveryId, setupId: setup.id, isToBeChanged: found.isToBeChanged };
}

interface FindAccountProps {
  setups: AccountSetup[];
  /** The address in the field. The caller keeps it, so that it is still there after a canceled sign-in. */
  address: string;
  onAddress: (address: string) => void;
  onChoose: (chosen: ChosenSetup) => void;
  /** Other ways to add an account, shown below the field, but not during a search. */
  children: ReactNode;
}

/** One field, the address: its service is looked up, and servers are asked only if the user allows it. */
export function FindAccount({ setups, address, onAddress, onChoose, children }: FindAccountProps) {
  const { discovery, problem, isBusy, begin, allow, cancel } = useDiscovery();
  const isBack = useRef(false);
  const choose = (setup: AccountSetup, isToBeChanged = false) => {
    if (!discovery) return;
    const serviceName = discovery.serviceName ?? setup.serviceName;
    onChoose({ setup, found: { discoveryId: discovery.id, serviceName, isToBeChanged } });
  };
  // The best first.
  const offered = (discovery?.setupIds ?? []).flatMap((id) => setups.filter((setup) => setup.id === id));
  const [only] = offered;
  const isClear = discovery?.state === "found" && discovery.isKnown && offered.length === 1;
  useEffect(() => {
    if (isClear && only) choose(only);
  }, [isClear, only]);

  if (!discovery || isClear) {
    return (
      <>
        <Address
          address={address}
          hasFocus={isBack.current}
          isBusy={isBusy || isClear}
          problem={problem}
          onChange={onAddress}
          onEnter={begin}
        />
        {children}
      </>
    );
  }
  const step = {
    discovery,
    problem,
    isBusy,
    onCancel: () => {
      isBack.current = true;
      cancel();
    },
  };
  if (discovery.state === "asking") return <Question {...step} onAnswer={allow} />;
  // A search that is tried again and fails at once is not seen at work: the keyboard would stay on a dead button.
  const isTriedAgain = discovery.isOffline && isBusy;
  if (discovery.state === "working" || isTriedAgain) return <Working {...step} />;
  if (discovery.state === "found" && offered.length > 0) {
    return <Found {...step} offered={offered} onChoose={choose} />;
  }
  if (discovery.isOffline) {
    return (
      <NoNetwork
        {...step}
        form={only}
        onChoose={choose}
        onAgain={() => allow(true)}
      />
    );
  }
  return <NotFound {...step} form={only} onChoose={choose} onAllow={() => allow(true)} />;
}

interface AddressProps {
  address: string;
  /** After a canceled search, whose button is gone. */
  hasFocus: boolean;
  isBusy: boolean;
  problem: string | null;
  onChange: (address: string) => void;
  onEnter: (address: string) => void;
}

function Address({ address, hasFocus, isBusy, problem, onChange, onEnter }: AddressProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (hasFocus) form.current?.querySelector("input")?.focus();
  }, []);
  function send(event: FormEvent) {
    event.preventDefault();
    onEnter(address.trim());
  }
  return (
    <form ref={form} className="find-account" onSubmit={send} noValidate>
      <TextField
        name="findAddress"
        label="Mail address"
        inputMode="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        value={address}
        hint="mailkernel finds the servers of your mail service."
        problem={problem}
        onChange={onChange}
      />
      <div className="sign-in-actions">
        <Button kind="primary" type="submit" disabled={isBusy || address.trim() === ""}>Continue</Button>
      </div>
    </form>
  );
}

interface StepProps {
  discovery: AccountDiscovery;
  problem: string | null;
  isBusy: boolean;
  onCancel: () => void;
}

function Question({ discovery, problem, isBusy, onCancel, onAnswer }: StepProps & {
  onAnswer: (isAllowed: boolean) => void;
}) {
  return (
    <Step name="Look up the servers?" problem={problem}>
      <p>
        To find the servers for {discovery.address}, mailkernel asks these, one after the other. Only{" "}
        {domainOf(discovery.address)} receives the full address. Your password is not sent.
      </p>
      <ul className="find-servers">
        {discovery.servers.map((server) => <li key={server}>{server}</li>)}
      </ul>
      <p className="field-hint">Your answer is remembered.</p>
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        <Button disabled={isBusy} onClick={() => onAnswer(false)}>Do not look up</Button>
        <Button kind="primary" disabled={isBusy} onClick={() => onAnswer(true)}>Look up</Button>
      </div>
    </Step>
  );
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function Working({ discovery, onCancel }: StepProps) {
  const step = (discovery.state === "working" && discovery.steps.at(-1)) || "Looking up the servers";
  return (
    <div className="sign-in sign-in-waits" role="status">
      <Spinner label={step} />
      <p>{step}…</p>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  );
}

function Found({ discovery, offered, onCancel, onChoose }: StepProps & {
  offered: AccountSetup[];
  onChoose: (setup: AccountSetup, isToBeChanged?: boolean) => void;
}) {
  const [first, second] = offered;
  if (!first) return null;
  return (
    <Step name={discovery.line ?? ""}>
      {discovery.warning && <Banner icon="warning" kind="problem">{discovery.warning}</Banner>}
      {second && (
        <SetupList
          setups={offered.map((setup) => wayTo(discovery.serviceName, setup))}
          label="Ways to sign in"
          onChoose={onChoose}
        />
      )}
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        {!discovery.isKnown && !second && <Button onClick={() => onChoose(first, true)}>Change</Button>}
        {!second && (
          <Button kind="primary" onClick={() => onChoose(first)}>
            {discovery.warning ? "Use this server" : "Continue"}
          </Button>
        )}
      </div>
    </Step>
  );
}

/** A setup for any service, as one of several ways to this one. */
function wayTo(service: string | null, setup: AccountSetup): AccountSetup {
  if (!service || setup.serviceName === service) return setup;
  return {
    ...setup,
    title: `Add ${service} through IMAP`,
    explanation: "With your password, or the separate one for mail apps that some services require.",
  };
}

function NotFound({ discovery, isBusy, onCancel, form, onChoose, onAllow }: StepProps & {
  form: AccountSetup | undefined;
  onChoose: (setup: AccountSetup) => void;
  onAllow: () => void;
}) {
  return (
    <Step name={discovery.problem ?? "No settings were found for this address."}>
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        {discovery.isRefused && <Button disabled={isBusy} onClick={onAllow}>Look up the servers</Button>}
        {form && <Button kind="primary" onClick={() => onChoose(form)}>Enter the servers</Button>}
      </div>
    </Step>
  );
}

/** Not a fault of the address: the same search may find its servers later. */
function NoNetwork({ discovery, problem, isBusy, onCancel, form, onChoose, onAgain }: StepProps & {
  form: AccountSetup | undefined;
  onChoose: (setup: AccountSetup) => void;
  onAgain: () => void;
}) {
  return (
    <Step name={discovery.problem ?? ""} problem={problem}>
      <p>
        Try again when you are online, or enter the servers yourself. Addresses of well-known services, such
        as iCloud and Posteo, need no search.
      </p>
      <div className="sign-in-actions">
        <Button onClick={onCancel}>Cancel</Button>
        {form && <Button onClick={() => onChoose(form)}>Enter the servers</Button>}
        <Button kind="primary" icon="refresh" disabled={isBusy} onClick={onAgain}>Try again</Button>
      </div>
    </Step>
  );
}

/** A step that takes the keyboard from the one before, and is read out. */
function Step({ name, problem, children }: {
  name: string;
  problem?: string | null;
  children: ReactNode;
}) {
  const heading = useRef<HTMLParagraphElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="find-account">
      <p ref={heading} className="find-result" tabIndex={-1}>{name}</p>
      {problem && <Banner icon="warning" kind="problem">{problem}</Banner>}
      {children}
    </div>
  );
}

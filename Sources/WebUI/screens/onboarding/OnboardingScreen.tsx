import { useEffect, useRef, useState } from "react";
import { useApp, useKeysOnce } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { useMailStore } from "../../store/useMailStore.ts";
import { AccountStep } from "./AccountStep.tsx";
import { ModelStep } from "./ModelStep.tsx";
import { ProtectStep } from "./ProtectStep.tsx";
import { ReadyStep } from "./ReadyStep.tsx";
import { WelcomeStep } from "./WelcomeStep.tsx";

const STEPS = [WelcomeStep, AccountStep, ProtectStep, ModelStep, ReadyStep];

/** The first steps, which begin again if they were left midway. */
export function OnboardingScreen() {
  const app = useApp();
  useObservable(app.accountSettings);
  useKeysOnce(app, true);
  const [index, setIndex] = useState(0);
  const step = useRef<HTMLDivElement>(null);
  const hasMoved = useRef(false);
  const Step = STEPS[index] ?? WelcomeStep;
  useEffect(() => {
    document.title = "Welcome to mailkernel";
    if (index > 0 || hasMoved.current) step.current?.querySelector<HTMLElement>("h1")?.focus();
    hasMoved.current = true;
    scrollTo(0, 0);
  }, [index]);
  // The first step promises that no server has the mail. Who chose one has read it.
  const isOnServer = Boolean(useMailStore()?.server);
  useEffect(() => {
    if (isOnServer && index === 0) setIndex(1);
  }, [isOnServer, index]);
  const canGoBack = index > (isOnServer ? 1 : 0);
  // Without an account there is nothing to protect or to be ready for.
  const isWithout = app.accountSettings.status === "ready" && app.accountSettings.list.length === 0;
  useEffect(() => {
    if (isWithout && index > 1) setIndex(1);
  }, [isWithout, index]);
  return (
    <main className="onboarding">
      <div className="onboarding-card">
        <div className="dots" role="img" aria-label={`Step ${index + 1} of ${STEPS.length}`}>
          {STEPS.map((_, at) => (
            <span key={at} className={at === index ? "dot-now" : at < index ? "dot-done" : ""} />
          ))}
        </div>
        <div key={index} ref={step} className="step">
          <Step
            onNext={() => setIndex(index + 1)}
            onBack={canGoBack ? () => setIndex(index - 1) : undefined}
          />
        </div>
      </div>
    </main>
  );
}

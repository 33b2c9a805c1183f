import type { ReactNode } from "react";
import { Button } from "../../ui/Button.tsx";

export interface StepProps {
  onNext: () => void;
  /** Undefined on the first step. */
  onBack?: (() => void) | undefined;
}

interface StepFrameProps {
  title: string;
  /** Leads to the step before, or out of a form. */
  onBack?: (() => void) | false | undefined;
  children: ReactNode;
  actions: ReactNode;
  /** Stays in sight beside the buttons. */
  note?: ReactNode;
  picture?: ReactNode;
  isCentered?: boolean;
}

/** The frame of every step: a heading with the focus, content, and buttons below. */
export function StepFrame({ title, onBack, children, actions, note, picture, isCentered }: StepFrameProps) {
  return (
    <section className={`step-frame ${isCentered ? "step-centered" : ""}`} aria-labelledby="step-title">
      <div className="step-body">
        {picture}
        <h1 id="step-title" tabIndex={-1}>{title}</h1>
        {children}
      </div>
      <div className="step-actions">
        {note}
        <div className="step-buttons">
          {onBack && <Button icon="back" className="step-back" onClick={onBack}>Back</Button>}
          {actions}
        </div>
      </div>
    </section>
  );
}

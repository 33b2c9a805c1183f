import type { ReactNode } from "react";

export interface StepProps {
  onNext: () => void;
}

interface StepFrameProps {
  title: string;
  children: ReactNode;
  actions: ReactNode;
  /** Stays in sight beside the buttons. */
  note?: ReactNode;
  picture?: ReactNode;
  isCentered?: boolean;
}

/** The frame of every step: a heading with the focus, content, and buttons below. */
export function StepFrame({ title, children, actions, note, picture, isCentered }: StepFrameProps) {
  return (
    <section className={`step-frame ${isCentered ? "step-centered" : ""}`} aria-labelledby="step-title">
      <div className="step-body">
        {picture}
        <h1 id="step-title" tabIndex={-1}>{title}</h1>
        {children}
      </div>
      <div className="step-actions">
        {note}
        {actions}
      </div>
    </section>
  );
}

import { Button } from "../../ui/Button.tsx";
import { StepFrame, type StepProps } from "./StepFrame.tsx";

export function WelcomeStep({ onNext }: StepProps) {
  return (
    <StepFrame
      isCentered
      title="Welcome to mailkernel"
      picture={<img className="logo" src="/icon.svg" alt="" />}
      actions={<Button kind="primary" autoFocus onClick={onNext}>Continue</Button>}
    >
      <p className="promise">Your emails stay on your device. No servers. No tracking. No compromise.</p>
    </StepFrame>
  );
}

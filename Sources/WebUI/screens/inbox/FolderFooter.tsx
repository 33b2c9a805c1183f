import { Button } from "../../ui/Button.tsx";

/** What ends the form for a folder. */
export function FolderFooter(
  { word, isBusy, onClose }: { word: string; isBusy: boolean; onClose: () => void },
) {
  return (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" type="submit" form="folder" disabled={isBusy}>{word}</Button>
    </>
  );
}

import { useCallback, useEffect, useRef, useState } from "react";
import { words } from "../../jmap/errors.ts";
import type { FolderListing } from "../../jmap/program.ts";
import { PROGRAM, useApp } from "../../store/app.ts";
import { size } from "../../store/words.ts";
import { IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Banner, Spinner } from "../../ui/states.tsx";

interface FileChoiceProps {
  /** The kind of files to choose from, for the user: “model files”. */
  what: string;
  method: string;
  chosen: string;
  onChoose: (path: string) => void;
}

/** The folders of this computer with their files of one kind. A browser would only give a copy. */
export function FileChoice({ what, method, chosen, onChoose }: FileChoiceProps) {
  const { listing, problem, list, open } = useListing(method);
  if (!listing && !problem) return <Spinner label="Looking for files" />;
  const parent = listing?.parent ?? null;
  return (
    <div className="file-choice">
      {listing && (
        <p className="file-choice-place">
          {parent !== null && (
            <IconButton
              icon="back"
              label="Parent folder"
              onClick={() => open(parent)}
            />
          )}
          <span role="status">{listing.folder}</span>
        </p>
      )}
      {problem && <Banner icon="warning" kind="problem">{problem}</Banner>}
      {listing && (
        <ul ref={list} tabIndex={-1} aria-label={`Folders and ${what} in ${listing.folder}`}>
          {listing.list.map((entry) => (
            <li key={entry.path}>
              <Entry
                entry={entry}
                isChosen={entry.path === chosen}
                onClick={() => entry.isFolder ? open(entry.path) : onChoose(entry.path)}
              />
            </li>
          ))}
        </ul>
      )}
      {listing && !listing.list.some((entry) => !entry.isFolder) && (
        <p className="field-hint">There are no {what} in this folder.</p>
      )}
    </div>
  );
}

interface EntryProps {
  entry: FolderListing["list"][number];
  isChosen: boolean;
  onClick: () => void;
}

function Entry({ entry, isChosen, onClick }: EntryProps) {
  return (
    <button
      type="button"
      className="menu-item"
      aria-pressed={entry.isFolder ? undefined : isChosen}
      onClick={onClick}
    >
      <Icon name={entry.isFolder ? "folder" : isChosen ? "check" : "file"} />
      <span className="menu-label">{entry.name}</span>
      {!entry.isFolder && <span className="field-hint">{size(entry.size)}</span>}
    </button>
  );
}

/** The current folder and its content. */
function useListing(method: string) {
  const app = useApp();
  const [listing, setListing] = useState<FolderListing | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const last = useRef(0);
  const open = useCallback(async (folder: string | null) => {
    const mine = last.current += 1;
    try {
      const found = await app.client.call<FolderListing>(method, { accountId: PROGRAM, folder });
      if (mine !== last.current) return;
      setListing(found);
      setProblem(null);
      // What had the focus is gone with its folder.
      if (folder !== null) list.current?.focus();
    } catch (error) {
      if (mine === last.current) setProblem(words(error));
    }
  }, [app, method]);
  useEffect(() => {
    open(null);
  }, [open]);
  return { listing, problem, list, open };
}

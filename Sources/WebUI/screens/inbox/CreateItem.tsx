import { Icon } from "../../ui/Icon.tsx";

interface CreateItemProps {
  name: string;
  isBusy: boolean;
  onCreate: () => void;
}

/** Below what was found: a folder or label of this name can be created. */
export function CreateItem({ name, isBusy, onCreate }: CreateItemProps) {
  return (
    <li>
      <button type="button" className="menu-item" disabled={isBusy} onClick={onCreate}>
        <Icon name="plus" />
        <span className="menu-label">Create “{name}”</span>
      </button>
    </li>
  );
}

import { useId } from "react";
import type { FolderColor } from "../../jmap/vendor.ts";
import { COLORS } from "../../store/folderLooks.ts";

interface ColorChoiceProps {
  value: FolderColor | null;
  onChange: (color: FolderColor | null) => void;
}

/** One of a few colors, by name for those who do not see them. */
export function ColorChoice({ value, onChange }: ColorChoiceProps) {
  const name = useId();
  return (
    <fieldset className="colors">
      <legend>Color</legend>
      {[null, ...COLORS].map((color) => (
        <label
          key={color}
          className={`color ${color ? `tint-${color}` : "color-none"}`}
          title={titled(color)}
        >
          <input
            type="radio"
            name={name}
            aria-label={titled(color)}
            checked={color === value}
            onChange={() => onChange(color)}
          />
        </label>
      ))}
    </fieldset>
  );
}

function titled(color: FolderColor | null): string {
  return color ? color.charAt(0).toUpperCase() + color.slice(1) : "No color";
}

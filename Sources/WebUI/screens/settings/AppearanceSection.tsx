import { useObservable } from "../../base/observable.ts";
import type { Preferences } from "../../jmap/vendor.ts";
import { useApp } from "../../store/app.ts";
import { useAppearance } from "../../store/appearance.ts";
import { models } from "../../store/categories.ts";
import { SelectField, Switch } from "../../ui/fields.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Row, Section } from "./Row.tsx";
import { usePreference, usePreferences } from "./usePreference.ts";

const THEMES = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

const DENSITIES = [
  { value: "compact", label: "Compact" },
  { value: "cozy", label: "Cozy" },
  { value: "roomy", label: "Roomy" },
] as const;

const PANES = [
  { value: "right", label: "Right" },
  { value: "below", label: "Below" },
  { value: "off", label: "Off" },
] as const;

const TEXT_SIZES = [80, 90, 100, 110, 125, 150, 175, 200].map((value) => ({ value, label: `${value} %` }));
const NO_MODEL = "no-model";
const CATEGORIES = ["primary", "social", "promotions", "updates"] as const;

export function AppearanceSection() {
  const preferences = usePreferences();
  const { density, readingPane, textSize } = useAppearance(useApp());
  const { set } = usePreference();
  if (!preferences) return null;
  return (
    <Section id="appearance" title="Appearance">
      <ChoiceRow
        title="Theme"
        options={THEMES}
        value={preferences.appTheme}
        onChange={(appTheme) => set({ appTheme })}
      />
      {preferences.listDensity && (
        <>
          <ChoiceRow
            title="List density"
            options={DENSITIES}
            value={density}
            onChange={(listDensity) => set({ listDensity })}
          />
          <ChoiceRow
            title="Reading pane"
            options={PANES}
            value={readingPane}
            onChange={(readingPane) => set({ readingPane })}
          />
          <Row about="Text size percent larger smaller">
            <SelectField
              label="Text size"
              hint="In addition to your browser’s text size and zoom."
              value={textSize}
              options={TEXT_SIZES}
              onChange={(textSizePercent) => set({ textSizePercent })}
            />
          </Row>
        </>
      )}
      <CategoryRows tabs={preferences.categoryTabVisibility} />
    </Section>
  );
}

interface ChoiceRowProps<T extends string> {
  title: string;
  options: readonly { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** One of a few, all of which are shown. */
function ChoiceRow<T extends string>({ title, options, value, onChange }: ChoiceRowProps<T>) {
  return (
    <Row about={[title, ...options.map(({ label }) => label)].join(" ")}>
      <fieldset className="choices">
        <legend>{title}</legend>
        {options.map((option) => (
          <label key={option.value} className="choice">
            <input
              type="radio"
              name={title}
              value={option.value}
              checked={value === option.value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </fieldset>
    </Row>
  );
}

function CategoryRows({ tabs }: { tabs: Preferences["categoryTabVisibility"] }) {
  const app = useApp();
  const { set } = usePreference();
  useObservable(app);
  const hasCategories = models(app).categories === true;
  return (
    <>
      {!hasCategories && (
        <Row about="Category tabs Primary Social Promotions Updates">
          <p id={NO_MODEL} className="field-hint setting-note">
            <Icon name="info" />
            Download AI model to enable categories.
          </p>
        </Row>
      )}
      {CATEGORIES.map((category) => {
        const name = category[0]?.toUpperCase() + category.slice(1);
        return (
          <Row key={category} about={`Category tabs ${name}`}>
            <Switch
              label={`${name} tab`}
              isOn={tabs[category] !== false}
              isDisabled={!hasCategories}
              describedBy={hasCategories ? undefined : NO_MODEL}
              onChange={(isOn) => set({ categoryTabVisibility: { ...tabs, [category]: isOn } })}
            />
          </Row>
        );
      })}
    </>
  );
}

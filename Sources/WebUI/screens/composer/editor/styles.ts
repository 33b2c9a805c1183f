/** What a style attribute says of text, as far as the editor keeps it. */
export interface TextStyle {
  isBold: boolean | null;
  isItalic: boolean | null;
  isUnderlined: boolean;
  isStruck: boolean;
  color: string | null;
  highlight: string | null;
  size: string | null;
}

const NAMED: Record<string, string> = {
  red: "#ff0000",
  maroon: "#800000",
  orange: "#ffa500",
  yellow: "#ffff00",
  olive: "#808000",
  green: "#008000",
  lime: "#00ff00",
  teal: "#008080",
  aqua: "#00ffff",
  cyan: "#00ffff",
  blue: "#0000ff",
  navy: "#000080",
  purple: "#800080",
  fuchsia: "#ff00ff",
  magenta: "#ff00ff",
  gray: "#808080",
  grey: "#808080",
};

export function readStyle(style: string): TextStyle {
  const all = new Map(
    style.split(";").map((one) => {
      const [name = "", ...value] = one.split(":");
      const plain = value.join(":").replace(/!\s*important/i, "").trim().toLowerCase();
      return [name.trim().toLowerCase(), plain] as const;
    }),
  );
  const weight = all.get("font-weight");
  const slant = all.get("font-style");
  const lines = `${all.get("text-decoration") ?? ""} ${all.get("text-decoration-line") ?? ""}`;
  return {
    isBold: weight === undefined ? null : /^(bold|bolder|[6-9]00)$/.test(weight),
    isItalic: slant === undefined ? null : /^(italic|oblique)/.test(slant),
    isUnderlined: lines.includes("underline"),
    isStruck: lines.includes("line-through"),
    color: readColor(all.get("color")),
    highlight: readHighlight(all.get("background-color") ?? all.get("background")),
    size: readSize(all.get("font-size")),
  };
}

/** As `#rrggbb`; null for what is no plain color. */
function hex(value = ""): string | null {
  if (NAMED[value]) return NAMED[value] ?? null;
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(value);
  if (short) return `#${short.slice(1).map((digit) => digit + digit).join("")}`;
  if (/^#[\da-f]{6}$/.test(value)) return value;
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+)(%?))?\s*\)$/.exec(
    value,
  );
  if (!parts) return null;
  if (parts[4] !== undefined && Number(parts[4]) < (parts[5] ? 50 : 0.5)) return null;
  return `#${
    parts.slice(1, 4).map((part) => Math.min(255, Number(part)).toString(16).padStart(2, "0")).join("")
  }`;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
}

/** Almost black is what text is anyway, and white is for a background that is left behind. */
function readColor(value?: string): string | null {
  const color = hex(value);
  if (!color) return null;
  const parts = channels(color);
  return Math.max(...parts) < 0x48 || Math.min(...parts) > 0xe8 ? null : color;
}

/** Only what text can be read on. */
function readHighlight(value?: string): string | null {
  const color = hex(value);
  if (!color) return null;
  const parts = channels(color);
  return Math.min(...parts) > 0xf4 || Math.max(...parts) < 0xa0 ? null : color;
}

const PIXELS: Record<string, number> = { px: 1, pt: 4 / 3, em: 16, rem: 16, "%": 0.16 };

/** One of three sizes beside the usual one. */
function readSize(value = ""): string | null {
  if (/^(xx-small|x-small|small)$/.test(value)) return "small";
  if (value === "large") return "large";
  if (/^x{1,3}-large$/.test(value)) return "x-large";
  const [, number, unit = ""] = /^([\d.]+)(px|pt|em|rem|%)$/.exec(value) ?? [];
  if (!number) return null;
  const pixels = Number(number) * (PIXELS[unit] ?? 0);
  return pixels >= 23.5 ? "x-large" : pixels >= 17.5 ? "large" : pixels < 12.5 ? "small" : null;
}

/** A few colors, all easy to read on white, and a few sizes: enough to point something out. */
export const COLORS = [
  { label: "Default", value: null },
  { label: "Gray", value: "#666666" },
  { label: "Red", value: "#b3202a" },
  { label: "Orange", value: "#a35200" },
  { label: "Green", value: "#1c7040" },
  { label: "Blue", value: "#2556c4" },
  { label: "Purple", value: "#7a3fb5" },
];

export const HIGHLIGHTS = [
  { label: "None", value: null },
  { label: "Yellow", value: "#fff2a8" },
  { label: "Green", value: "#d3f2d8" },
  { label: "Blue", value: "#d6e6ff" },
  { label: "Pink", value: "#ffdbe6" },
];

export const SIZES = [
  { label: "Small", value: "small" },
  { label: "Normal", value: null },
  { label: "Large", value: "large" },
  { label: "Huge", value: "x-large" },
];

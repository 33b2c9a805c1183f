/** Icons are our own: strokes on a 24 by 24 grid, in the color of the text. */
const PATHS = {
  archive: "M4 4h16v4H4zM5.5 8v11h13V8M10 12h4",
  attach:
    "m19 11-7.5 7.5a4.6 4.6 0 0 1-6.5-6.5L13 4a3 3 0 0 1 4.300 4.300L9.500 16a1.400 1.400 0 0 1-2-2l7-7",
  back: "M20 12H4m7-7-7 7 7 7",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 21h4",
  blank: "",
  bold: "M7 5h6a3.500 3.500 0 0 1 0 7H7zm0 7h7a3.500 3.500 0 0 1 0 7H7z",
  bullets: "M9 6h11M9 12h11M9 18h11M4.500 6v.1M4.500 12v.1M4.500 18v.1",
  camera: "M4 8h4l1.500-3h5L16 8h4v11H4zM12 10.500a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  check: "m5 13 4.500 4.500L19 7",
  chevronDown: "m6 9 6 6 6-6",
  chevronLeft: "m15 6-6 6 6 6",
  chevronRight: "m9 6 6 6-6 6",
  chevronUp: "m6 15 6-6 6 6",
  clear: "M6 5h12M12 5l-2.500 14M15 15l5 5m0-5-5 5",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 4v5l3.500 2",
  close: "m6 6 12 12M18 6 6 18",
  code: "m8 7-5 5 5 5m8-10 5 5-5 5",
  compose: "M4 20h4L19 9a2.100 2.100 0 0 0-4-4L4 16zM13.500 6.500l4 4",
  contrast: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 0v18M12 8l6-2m-6 6h9m-9 5 6 1",
  download: "M12 4v11m-4.500-4.500L12 15l4.500-4.500M4 20h16",
  drafts: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  filter: "M4 6h16M7 12h10M10 18h4",
  folder: "M3 6h6l2 2h10v11H3z",
  forward: "m14 6 6 6-6 6m6-6H9a5 5 0 0 0-5 5v2",
  help:
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.3-1 .8-1 1.700M12 16.800v.2",
  highlight: "m8 15-2 5 5-2 9-9-3-3zM4 21h16",
  image: "M4 5h16v14H4zm0 11 5-5 4 4 3-3 4 4M15.500 9.200v.1",
  inbox: "M4 13 6 5h12l2 8v6H4zm0 0h5a3 3 0 0 0 6 0h5",
  indent: "M4 5h16M11 10h9M11 14h9M4 19h16M4 9l3 3-3 3",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5.500M12 7.500v.2",
  italic: "M10 5h8M6 19h8M14 5l-4 14",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  lock: "M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  mail: "M3 5h18v14H3zm0 1 9 7 9-7",
  mailOpen: "M3 10v10h18V10l-9-6zm0 0 9 6 9-6",
  menu: "M4 7h16M4 12h16M4 17h16",
  minus: "M5 12h14",
  more: "M5 11.500h1v1H5zM11.500 11.500h1v1h-1zM18 11.500h1v1h-1z",
  move: "M3 6h6l2 2h10v11H3zm9 4 3.500 3.500L12 17m3.500-3.500H7",
  music: "M9 18V5l11-2v13M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0zm11-2a3 3 0 1 1-6 0 3 3 0 0 1 6 0z",
  mute: "M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15zM10 21h4M4 4l16 16",
  numbers: "M10 6h10M10 12h10M10 18h10M4 5l1.500-1v5M4 15.500c0-2 3-2 3 0 0 1.500-3 2-3 3.500h3",
  outbox: "M10 5H6l-2 8v6h16v-6l-2-8h-4M4 13h5a3 3 0 0 0 6 0h5M12 11V3m-3 3 3-3 3 3",
  outdent: "M4 5h16M11 10h9M11 14h9M4 19h16M7 9l-3 3 3 3",
  people:
    "M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zm-6 9a6 6 0 0 1 12 0M16 4.500a3.500 3.500 0 0 1 0 6.300M18 14.500a6 6 0 0 1 3 5.500",
  plainText: "M4 6h16M4 10h16M4 14h16M4 18h9",
  plus: "M12 5v14M5 12h14",
  popin: "M20 4l-9 9m0-6v6h6M18 15v5H4V6h5",
  popout: "M13 4h7v7m0-7-9 9M18 15v5H4V6h5",
  print: "M7 8V3h10v5M5 8h14v8h-3m-8 0H5V8m3 5h8v8H8z",
  quote: "M5 17c3-1 4-3 4-6V7H4v5h4m6 5c3-1 4-3 4-6V7h-5v5h4",
  redo: "M20 9H10a5.500 5.500 0 0 0 0 11h6M20 9l-4.500-4.500M20 9l-4.500 4.500",
  refresh: "M20 11a8 8 0 0 0-14.500-3.500L3 10m0-5v5h5M4 13a8 8 0 0 0 14.500 3.500L21 14m0 5v-5h-5",
  reply: "m10 6-6 6 6 6m-6-6h11a5 5 0 0 1 5 5v2",
  replyAll: "m7 6-5 6 5 6m6-12-6 6 6 6m-6-6h9a5 5 0 0 1 5 5v2",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 5 5",
  selectAll: "M8 4h12v12M4 8h12v12H4zm2.500 6 2.500 2.500 4.500-5",
  send: "M4 4l17 8-17 8 3-8zm3 8h7",
  settings:
    "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6zm8 3a8 8 0 0 0-.2-1.600l2-1.500-2-3.500-2.400 1a8 8 0 0 0-2.700-1.600L14.300 2h-4.600l-.4 2.800a8 8 0 0 0-2.700 1.600l-2.400-1-2 3.500 2 1.500a8 8 0 0 0 0 3.200l-2 1.500 2 3.500 2.400-1a8 8 0 0 0 2.700 1.600l.4 2.800h4.600l.4-2.800a8 8 0 0 0 2.700-1.600l2.400 1 2-3.500-2-1.500A8 8 0 0 0 20 12z",
  shield: "M12 3 5 6v6c0 4 3 7.500 7 9 4-1.500 7-5 7-9V6zm-3 9 2.200 2.200L15 10.500",
  spam: "M8 3h8l5 5v8l-5 5H8l-5-5V8zm4 4.500v5M12 16v.2",
  star: "m12 3.500 2.700 5.500 6 .9-4.400 4.200 1 6-5.300-2.800L6.700 20l1-6L3.300 9.900l6-.9z",
  strike: "M4 12h16M16.500 8c0-2-2-3-4.500-3S7.500 6 7.500 8c0 4 9.500 3 9.500 8 0 2-2.500 3-5 3s-5-1-5-3",
  tag: "M4 4h8l8.500 8.500-8 8L4 12zm4 4h.01",
  textColor: "M6 16l6-12 6 12M8 12h8M4 20h16",
  textSize: "M3 18l4.500-11L12 18M4.500 14h6M13 18l3.500-7 3.500 7M14 16h5",
  textStyle: "M5 5v14M13 5v14M5 12h8M17 12l3-2v9",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6",
  underline: "M7 4v7a5 5 0 0 0 10 0V4M5 20h14",
  undo: "M4 9h10a5.500 5.500 0 0 1 0 11H8M4 9l4.500-4.500M4 9l4.500 4.500",
  unread: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10z",
  video: "M3 6h12v12H3zm12 4 6-3v10l-6-3z",
  warning: "M12 4 2.500 20h19zm0 6v5M12 17.500v.2",
  window: "M4 5h16v14H4zM4 9h16M14 5v4",
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps {
  name: IconName;
  /** Filled instead of outlined: a star that is set. */
  isFilled?: boolean;
  className?: string;
}

/** Decorative: the meaning is in the adjacent text or the button's label. */
export function Icon({ name, isFilled, className = "" }: IconProps) {
  return (
    <svg
      className={`icon ${isFilled ? "icon-filled" : ""} ${className}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

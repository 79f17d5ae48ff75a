// Types of the shared modules, for `tsc` (make lint) only.

type Child = Node | string | null | undefined;
type Children = (Child | Child[])[];
type Attributes = Record<string, unknown>; // `on…` are listeners, null and false take an attribute away
type Point = [number, number];
type Cell = string | number | null | undefined;
type Depth = "highlight" | "paint" | "layout";
type Steps<T = void> = Record<string, (view: T) => void>; // by key
type Look = [className: string, mark: string, dash: string];
type Line = string | [text: string, color?: string];
type Drawing = Element | [drawing: Element, name?: string];

// A part of a view; `due` decides which of the three methods is called (view.js).
interface Part {
  node: Element;
  measure?(): void;
  layout(): void;
  paint(): void;
  highlight(): void;
}

interface Control {
  node: HTMLElement;
  paint(): void;
}

interface Panel {
  node: HTMLElement;
  heading: HTMLElement;
  head: HTMLElement;
  body: HTMLElement;
}

interface Pooled {
  node: HTMLElement | SVGElement;
}

// The host of a view: Streamlit, which receives states and events, a file, a notebook, a lesson.
interface Host {
  setState?: ((name: string, value: unknown) => void) | null;
  trigger?: ((name: string, value: unknown) => void) | null;
  guest: boolean;
  inner: boolean;
}

interface Call {
  parentElement: HTMLElement;
  data: unknown;
  setStateValue?: Host["setState"];
  setTriggerValue?: Host["trigger"];
  guest?: boolean;
  inner?: boolean;
}

interface Mounted {
  host: Host;
  stop?(): void;
}

interface Labelled {
  payload: { labels: string[] };
}

// The target of a bar.
interface Stepping {
  position: number;
  speed: number;
  playing: boolean;
  go(position: number): void;
  play(on: boolean): void;
  setSpeed(speed: number): void;
}

interface Result {
  className: string;
  name: string;
  answer: string;
  sure?: string;
  right?: boolean | null;
  story?: string;
}
interface View extends Mounted {
  root: HTMLElement;
  width: number;
  payload: any; // JSON of Python; each view knows its own
  parts: Record<string, Part>;
  load(payload: any): void;
  build(): void;
  repaint(due: number): void;
  go?(position: number, phase?: string): void;
  due?: number;
  waiting?: boolean;
  timer?: ReturnType<typeof setInterval>;
  playing?: boolean;
  opened?: string;
  announced?: string | null;
  presents?: boolean;
  advance?(): boolean; // the action of PageDown in present mode, if it is more than a step
  presenting?: boolean;
  results?(): Result[]; // of the poster that ends a presentation
  poster?: Element | null; // while it is shown
  figures?: Element[][]; // of present mode: a figure and its companions, the main one first
  figure?: number; // the one that is presented, from 1
  fitted?: unknown[] | null; // for which elements and window it is laid out
  fitWidth?(): boolean; // takes the width of the root; whether it is another one
}

interface TabbedView extends View, Stepping {
  go(position: number): void;
  playing: boolean;
  last: number;
  tabs: Record<string, Tab>;
  tab: Tab;
  answered?: any;
  linkTo(): string;
}

interface Tab {
  pace?: number; // milliseconds per step at speed 1
  open(view: TabbedView, before?: any): void;
  build(view: TabbedView): TabParts;
  place(view: TabbedView): Record<string, string | number | null>;
  marks(view: TabbedView): Attributes;
  results?(view: TabbedView): Result[];
  keys(view: TabbedView): Steps;
  keeps?(payload: any, before: any): boolean;
}

interface TabParts extends Record<string, Part> {
  tools: Part & { help(): void };
}

interface Scrubbed {
  at: number;
  first?: number;
  last: number;
  text: string;
  disabled?: boolean;
}

interface Scrubber {
  node: HTMLInputElement;
  paint(scrubbed: Scrubbed): void;
}

interface StepperOptions {
  few?: boolean;
  speeds?: number[];
  choices?: Control[];
  place?: (() => string) | null;
}

interface MoreCode {
  key(): unknown;
  lines(): Node[];
}

interface Exported {
  file(): string;
  link?: { title: string; to?(): string; always?: boolean };
  more?: MoreCode;
  tables?: { text?: string; end?: string; rows(): Cell[][]; title: string }[];
  picture: { title: string; draw?(): Element; lines?(): Line[]; drawings?(): Drawing[] };
  further?: (say: (text: string) => void) => HTMLElement[];
  steps?: string;
  keys?: [string, string][];
  signs?: [string, string][];
}

interface Opened {
  button: HTMLButtonElement;
  sheet: HTMLElement;
}

interface Context {
  name: string;
  labels: number[];
  length: number;
}

interface Run {
  method: string;
}

interface Dressed {
  kind: string;
  className: string;
  mark: string;
  dash: string;
}

interface Margins {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Box {
  x?: number;
  y?: number;
  width: number;
  height: number;
}

type Plot = Margins; // the edges of the box without its margins, in pixels
type Scale = import("./vendor/d3.js").Scale;

interface Curve {
  className: string;
  points: Point[];
  dash?: string | null;
  stepped?: boolean;
}

interface Chart {
  title: string;
  unit: string;
  is?: string;
  text?: (value: number) => string;
  curves: Curve[];
  low?: number;
  least?: number;
  share?: boolean;
  log?: boolean;
  between?: boolean;
}

interface Across {
  domain: number[];
  log?: boolean;
  ticks(scale: Scale, width: number): number[];
  text(value: number): string;
  noun?: string;
}

interface ChartCell {
  chart: Chart;
  plot: Plot;
  x: Scale;
  y: Scale;
  node: SVGElement;
}

type Reading = [curve: Curve, point: Point, text: string];

interface MultiplesSize extends Margins {
  height: number;
  gap: number;
  ticks: number;
}

interface Multiples {
  node: HTMLElement;
  drawing: SVGSVGElement;
  layout(width: number, columns: number, charts: Chart[], across: Across): void;
  cross(
    place: number,
    readingsOf: (chart: Chart) => Reading[],
    above?: (cell: ChartCell, x: number) => SVGElement | null,
  ): void;
  clear(): void;
  placeAt(point: Point): number | null;
  placeUnder(event: MouseEvent): number | null;
}

interface Waiting {
  root: Element;
  act: () => void;
  timer?: ReturnType<typeof setTimeout>;
}

interface Clock extends Mounted {
  root: HTMLElement;
  tick: number;
}

// A click on a link (null: Back or Forward) whose page has not begun.
interface Leaving {
  link: HTMLAnchorElement | null;
  menu: HTMLElement | null;
  from: string;
  rest: number;
  tries: number;
  timer: ReturnType<typeof setInterval>;
}

interface Watch {
  leaving: Leaving | null;
}

interface Window {
  rvLeaving?: Watch;
}

interface Write {
  (state: any, title: string, address?: string | URL | null): void;
  isShort?: boolean;
}

interface Hearer {
  heard(): void;
  corrected(link: URL): void;
}

interface NotebookModel {
  get(name: string): any;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, act: () => void): void;
  off(event: string, act: () => void): void;
}

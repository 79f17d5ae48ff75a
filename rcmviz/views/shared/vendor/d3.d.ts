// What the chart kit uses of d3, for `tsc` (make lint).

export interface Scale {
  (value: number): number;
  invert(pixels: number): number;
  domain(): number[];
  domain(ends: number[]): Scale;
  range(): number[];
  range(ends: number[]): Scale;
  clamp(on: boolean): Scale;
  ticks(count: number): number[];
  base?(): number; // of a logarithm
}

interface Shape<P> {
  (points: P[]): string | null;
  digits(count: number): this;
  curve(how: unknown): this;
}

interface Area<P> extends Shape<P> {
  x(of: (point: P) => number): this;
  y0(of: (point: P) => number): this;
  y1(of: (point: P) => number): this;
}

export function line(): Shape<[number, number]>;
export function area(): Area<[number, number, number]>;
export const curveStepAfter: unknown;
export function scaleLinear(): Scale;
export function scaleLog(): Scale;

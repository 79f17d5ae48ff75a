// The scales and shapes that the chart kit uses (chart.js).

export { scaleLinear, scaleLog } from "d3-scale";
export { area, curveStepAfter, line } from "d3-shape";

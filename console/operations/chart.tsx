// A chart of series over time, drawn by uPlot: the only file that imports it.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../state/theme.js';
import { shortNumber } from './show-values.js';

/** Points `[seconds since 1970, value]`, in the order of time. */
export type Points = readonly (readonly [atS: number, value: number])[];

/** A line. */
export interface ChartLine {
  readonly name: string;
  readonly points: Points;
}

/** A moment to mark. */
export interface ChartMark {
  readonly atS: number;
  readonly isSerious: boolean;
}

/** What a chart shows. */
export interface ChartProps {
  /** What it is about, for assistive technology. */
  readonly label: string;
  readonly lines: readonly ChartLine[];
  readonly fromS: number;
  readonly toS: number;
  /** The distance of points; a longer gap interrupts the line. */
  readonly stepS: number;
  readonly thresholds?: readonly number[];
  readonly marks?: readonly ChartMark[];
  readonly heightPx?: number;
}

/** Lower charts have no legend: their place says what they show. */
const smallPx = 200;
/** Colours of the style sheet: lines beyond them use them again. */
const colourCount = 6;

/** Draws a chart as wide as its place. */
export function Chart(props: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chosenTheme = theme.value;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    let plot = draw(element, props);
    const drawAgain = () => {
      plot.destroy();
      plot = draw(element, props);
    };
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: plot.height }));
    sizes.observe(element);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', drawAgain);
    return () => {
      system.removeEventListener('change', drawAgain);
      sizes.disconnect();
      plot.destroy();
    };
  }, [props, chosenTheme]);
  return <div class="chart" ref={frame} role="img" aria-label={summaryOf(props)} />;
}

/** The newest value of each line in words. */
function summaryOf({ label, lines }: ChartProps): string {
  const newest = lines.map(({ name, points }) => {
    const last = points.at(-1);
    return `${name}: ${last === undefined ? 'no values' : shortNumber(last[1])}`;
  });
  return `${label}. ${newest.slice(0, colourCount).join('; ')}`;
}

function draw(element: HTMLElement, props: ChartProps): uPlot {
  const { lines, fromS, toS, stepS, heightPx = 260 } = props;
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    width: Math.max(200, element.clientWidth),
    height: heightPx,
    scales: { x: { min: fromS, max: toS }, y: { range: (_, low, high) => rangeOf(low, high, props) } },
    axes: [
      { ...axis, size: 30, space: 70, values: (_, splits) => timeTexts(splits, toS - fromS) },
      { ...axis, size: 52, values: (_, splits) => splits.map(shortNumber) },
    ],
    legend: { show: heightPx >= smallPx },
    cursor: { y: false, points: { size: 6 } },
    series: [
      { label: 'Time', value: (_, atS) => (atS === null ? '' : new Date(atS * 1000).toLocaleString()) },
      ...lines.map(({ name }, at) => ({
        label: name,
        stroke: colour(`--series-${(at % colourCount) + 1}`),
        width: 1.6,
        points: { show: false },
        value: (_: uPlot, value: number | null) => (value === null ? '—' : shortNumber(value)),
      })),
    ],
    hooks: { draw: [(plot) => drawMarks(plot, props, colour)] },
  };
  return new uPlot(options, alignedData(lines, stepS), element);
}

const dayS = 86_400;

/** Times of the axis in the form of the reader. */
function timeTexts(times: readonly number[], seconds: number): string[] {
  const style =
    seconds <= dayS ? { timeStyle: 'short' as const } : { month: 'short' as const, day: 'numeric' as const };
  const format = new Intl.DateTimeFormat(undefined, style);
  return times.map((atS) => format.format(atS * 1000));
}

/** From 0, where values are not negative, with room for thresholds. */
function rangeOf(low: number | null, high: number | null, { thresholds = [] }: ChartProps): [number, number] {
  const least = Math.min(0, low ?? 0);
  const most = Math.max(high ?? 0, ...thresholds);
  return [least, most <= least ? least + 1 : most * 1.08];
}

/** The lines on one list of times; a missing value is null, which interrupts a line. */
function alignedData(lines: readonly ChartLine[], stepS: number): uPlot.AlignedData {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(([atS]) => atS)))].sort((a, b) => a - b);
  const filled = times.flatMap((atS, at) => {
    const before = times[at - 1];
    return before !== undefined && atS - before > stepS * 1.5 ? [before + stepS, atS] : [atS];
  });
  const values = lines.map(({ points }) => {
    const known = new Map(points);
    return filled.map((atS) => known.get(atS) ?? null);
  });
  return [filled, ...values];
}

function drawMarks(
  plot: uPlot,
  { thresholds = [], marks = [] }: ChartProps,
  colour: (name: string) => string,
): void {
  const { ctx: context, bbox } = plot;
  context.save();
  context.lineWidth = 1.5 * devicePixelRatio;
  context.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
  context.strokeStyle = colour('--danger');
  for (const threshold of thresholds) {
    const y = plot.valToPos(threshold, 'y', true);
    line(context, bbox.left, y, bbox.left + bbox.width, y);
  }
  context.setLineDash([]);
  context.lineWidth = devicePixelRatio;
  for (const { atS, isSerious } of marks) {
    const x = plot.valToPos(atS, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    context.strokeStyle = colour(isSerious ? '--danger' : '--line-strong');
    line(context, x, bbox.top + bbox.height - 10 * devicePixelRatio, x, bbox.top + bbox.height);
  }
  context.restore();
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

// A chart of series over time, drawn by uPlot: the only file that imports it.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../state/theme.js';
import { describeChart, legendNames } from './chart-legend.js';
import { legendBackground, lookCount, lookOf } from './line-looks.js';
import { shortNumber, withUnit } from './show-values.js';

/** Points `[seconds since 1970, value]`, in the order of time. */
export type Points = readonly (readonly [atS: number, value: number])[];

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
  /** The unit of the values, as metric keys name it. */
  readonly unit: string;
  /** A small chart stands in a tile and has no legend; a large one is as high as the window allows. */
  readonly size: 'small' | 'large';
  /** The names of lines that are not drawn; a press on a name of the legend changes them. */
  readonly hidden?: readonly string[];
  readonly onHide?: (hidden: readonly string[]) => void;
  /** A part of the time was marked with the pointer. */
  readonly onZoom?: (fromS: number, toS: number) => void;
}

const smallPx = 140;
/** The heights of a large chart, and of what stands above and below it on its screen. */
const largePx = { least: 240, most: 620, around: 380 } as const;
const axisFont = '12px system-ui, sans-serif';

/** Where the pointer is, and which name in the legend has the focus: new values leave both there. */
interface Place {
  readonly cursor: { readonly left: number; readonly top: number } | undefined;
  readonly focused: number;
}

/** Draws a chart as wide as its place. */
export function Chart(props: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const kept = useRef<Place>({ cursor: undefined, focused: -1 });
  const chosenTheme = theme.value;
  useEffect(() => {
    const element = frame.current;
    if (element === null) return undefined;
    const drawnAt = (place: Place): uPlot => {
      const drawn = draw(element, props);
      if (place.cursor !== undefined) drawn.setCursor(place.cursor);
      // The page may have been scrolled since the name was chosen.
      legendNames(element)[place.focused]?.focus({ preventScroll: true });
      return drawn;
    };
    const placeOf = ({ cursor: { left = -1, top = -1 } }: uPlot): Place => ({
      cursor: left < 0 ? undefined : { left, top },
      focused: legendNames(element).findIndex((name) => name.matches(':focus')),
    });
    let plot = drawnAt(kept.current);
    const drawAgain = () => {
      const place = placeOf(plot);
      plot.destroy();
      plot = drawnAt(place);
    };
    const sizes = new ResizeObserver(() => {
      const size = { width: widthOf(element), height: heightOf(props.size) };
      if (size.width !== plot.width || size.height !== plot.height) plot.setSize(size);
    });
    sizes.observe(element);
    sizes.observe(document.body);
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', drawAgain);
    return () => {
      system.removeEventListener('change', drawAgain);
      sizes.disconnect();
      kept.current = placeOf(plot);
      plot.destroy();
    };
  }, [props, chosenTheme]);
  return <div class="chart" ref={frame} />;
}

/** The newest value of each line in words. */
function summaryOf({ label, lines, unit }: ChartProps): string {
  const newest = lines.map(({ name, points }) => {
    const last = points.at(-1);
    return `${name}: ${last === undefined ? 'no values' : withUnit(last[1], unit)}`;
  });
  return `${label}. ${newest.slice(0, lookCount).join('; ')}`;
}

function widthOf(element: HTMLElement): number {
  return Math.max(200, element.clientWidth);
}

function heightOf(size: ChartProps['size']): number {
  const { least, most, around } = largePx;
  return size === 'small' ? smallPx : Math.min(most, Math.max(least, innerHeight - around));
}

function draw(element: HTMLElement, props: ChartProps): uPlot {
  const { lines, fromS, toS, stepS, size } = props;
  const colour = (name: string) => colourOf(element, name);
  const axis = {
    stroke: colour('--muted'),
    font: axisFont,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    width: widthOf(element),
    height: heightOf(size),
    scales: { x: { min: fromS, max: toS }, y: { range: (_, low, high) => rangeOf(low, high, props) } },
    // Above the highest value and right of the newest point there is room for their marks.
    padding: [8, 8, 0, 0],
    axes: axesOf(axis, props),
    legend: {
      show: size === 'large',
      markers: { width: 0, fill: (_, series) => (series === 0 ? 'none' : legendBackground(series - 1)) },
    },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: props.onZoom !== undefined, y: false, setScale: false, dist: leastMarkedPx },
    },
    series: [
      { label: 'Time', value: (_, atS) => (atS === null ? 'newest' : new Date(atS * 1000).toLocaleString()) },
      ...lines.map((one, at) => seriesOf(one, at, props, colour)),
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, props, colour)],
      setSelect: [(plot) => zoom(plot, props)],
      setSeries: [
        (plot, _, { show }) => {
          // The hook is called for lines under the pointer, too.
          if (show === undefined) return;
          props.onHide?.(
            lines.filter((__, at) => plot.series[at + 1]?.show === false).map(({ name }) => name),
          );
        },
      ],
    },
  };
  const plot = new uPlot(options, alignedData(lines, stepS), element);
  describeChart(element, summaryOf(props));
  return plot;
}

/** Shorter marks are presses. */
const leastMarkedPx = 6;

function zoom(plot: uPlot, { onZoom }: ChartProps): void {
  const { left, width } = plot.select;
  if (width >= leastMarkedPx) onZoom?.(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
}

function seriesOf(
  { name, points }: ChartLine,
  at: number,
  { unit, hidden = [] }: ChartProps,
  colour: (name: string) => string,
): uPlot.Series {
  const look = lookOf(at);
  return {
    label: name,
    show: !hidden.includes(name),
    stroke: colour(look.colour),
    dash: [...look.dash],
    width: 1.6,
    // A value alone has no line to its neighbours.
    points: { show: points.length < fewPoints, size: 4 },
    value: (_: uPlot, value: number | null, __: number, index: number | null) => {
      const shown = index === null ? points.at(-1)?.[1] : value;
      return shown === undefined || shown === null ? '—' : withUnit(shown, unit);
    },
  };
}

/** The colour of a variable in the theme that is shown: its own text names those of both themes. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

type AxisLook = Pick<uPlot.Axis, 'stroke' | 'font' | 'grid' | 'ticks'>;

function axesOf(look: AxisLook, { fromS, toS, unit, size }: ChartProps): uPlot.Axis[] {
  const isSmall = size === 'small';
  // The unit stands beside a small chart, so its values have none, except those in bytes.
  const valueText = (value: number) =>
    isSmall && !bytesUnits.includes(unit) ? shortNumber(value) : withUnit(value, unit);
  return [
    {
      ...look,
      size: 24,
      gap: axisGapPx,
      space: isSmall ? 76 : 80,
      incrs: timeSteps,
      values: (plot, splits) => textsInside(plot, splits, timeTexts(splits, toS - fromS)),
    },
    {
      ...look,
      size: (plot, texts) => widestPx(plot, texts) + axisGapPx,
      gap: axisGapPx,
      space: 32,
      ...(bytesUnits.includes(unit) ? { incrs: powersOfTwo } : {}),
      values: (_, splits) => splits.map(valueText),
    },
  ];
}

/** The space between the texts of an axis and the lines. */
const axisGapPx = 6;

/** The width of the values beside the axis: the lines begin right behind them. Undefined before there are any. */
function widestPx(plot: uPlot, texts: readonly string[] | null | undefined): number {
  return Math.ceil(Math.max(0, ...(texts ?? []).map((text) => textPx(plot, text))));
}

function textPx({ ctx: context }: uPlot, text: string): number {
  context.save();
  context.font = axisFont;
  const { width } = context.measureText(text);
  context.restore();
  return width;
}

/** The texts of times without those that the edge of the picture would cut. */
function textsInside(plot: uPlot, times: readonly number[], texts: readonly string[]): string[] {
  return texts.map((text, at) => {
    const half = textPx(plot, text) / 2;
    const left = plot.valToPos(times[at] ?? 0, 'x') + plot.bbox.left / devicePixelRatio;
    return left - half < 0 || left + half > plot.width ? '' : text;
  });
}

const bytesUnits: readonly string[] = ['bytes', 'bytes/s', 'MiB'];
/** Round numbers of bytes. */
const powersOfTwo = Array.from({ length: 60 }, (_, power) => 2 ** power);
const dayS = 86_400;
const fewPoints = 20;
/** The distances of times on the axis: none is shorter than what their texts show. */
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720]
  .map((minutes) => minutes * 60)
  .concat([1, 2, 7, 14, 30, 60, 90, 180, 365].map((days) => days * dayS));

/** Times of the axis in the form of the reader. */
function timeTexts(times: readonly number[], seconds: number): string[] {
  const step = (times[1] ?? 0) - (times[0] ?? 0);
  const day = { month: 'short', day: 'numeric' } as const;
  const style = seconds <= dayS ? { timeStyle: 'short' as const } : day;
  const format = new Intl.DateTimeFormat(
    undefined,
    seconds > dayS && step < dayS ? { ...day, hour: 'numeric' } : style,
  );
  return times.map((atS) => format.format(atS * 1000));
}

/** The ends of the value axis: it begins at 0 unless a value is negative, and has room for the thresholds. */
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

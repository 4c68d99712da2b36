import type { Series } from './summary.ts';

/** A picture of values over the time of a load. */
export interface Chart {
  readonly title: string;
  /** Of the values, such as `ms`. */
  readonly unit: string;
  readonly series: readonly Series[];
  /** What befell, at parts of the time between 0 and 1. */
  readonly events: readonly { readonly at: number; readonly name: string }[];
  /** Texts below the time, evenly from its begin to its end. */
  readonly ticks: readonly string[];
}

const WIDTH = 900;
const HEIGHT = 260;
const LEFT = 64;
const RIGHT = 16;
const TOP = 46;
const BOTTOM = 34;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const GRID_LINES = 4;

/** Told apart by people who do not see all colours (Okabe and Ito); on a dark page they are as readable. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

const STYLE = `text{font:12px system-ui,sans-serif;fill:#333}.axis{stroke:#bbb}.event{stroke:#999;stroke-dasharray:3 3}
.name{font-size:10px;fill:#777}.line{fill:none;stroke-width:1.6}
@media(prefers-color-scheme:dark){text{fill:#ddd}.axis{stroke:#555}.name{fill:#aaa}}`;

/** The chart as an SVG that stands for itself: no font, style or script from elsewhere. */
export function lineChart(chart: Chart): string {
  const most = Math.max(1e-9, ...chart.series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const top = niceTop(most);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(chart.title)}">`,
    `<title>${escapeXml(chart.title)}</title><style>${STYLE}</style>`,
    `<text x="${LEFT}" y="16" font-weight="bold">${escapeXml(`${chart.title} (${chart.unit})`)}</text>`,
    ...legend(chart.series),
    ...grid(top),
    ...timeAxis(chart),
    ...chart.series.map(({ values }, n) => line(values, top, n)),
    '</svg>',
  ].join('\n');
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below. */
export function niceTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= most * (1 - 1e-9)) ?? 10;
  return step * power;
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function legend(series: readonly Series[]): string[] {
  const width = PLOT_WIDTH / Math.max(1, series.length);
  return series.flatMap(({ name }, n) => {
    const x = LEFT + n * width;
    return [
      `<rect x="${round(x)}" y="25" width="12" height="3" fill="${colour(n)}"/>`,
      `<text x="${round(x + 17)}" y="31">${escapeXml(name)}</text>`,
    ];
  });
}

function grid(top: number): string[] {
  return Array.from({ length: GRID_LINES + 1 }, (_, n) => {
    const y = round(TOP + PLOT_HEIGHT * (1 - n / GRID_LINES));
    const text = Number(((top * n) / GRID_LINES).toPrecision(4));
    return `<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${text}</text>`;
  });
}

function timeAxis({ events, ticks }: Chart): string[] {
  const labels = ticks.map((tick, n) => {
    const x = round(LEFT + (PLOT_WIDTH * n) / Math.max(1, ticks.length - 1));
    // The last one would be cut off.
    const anchor = n === ticks.length - 1 ? 'end' : 'middle';
    return `<text x="${x}" y="${HEIGHT - 12}" text-anchor="${anchor}">${escapeXml(tick)}</text>`;
  });
  const marks = events.map(({ at, name }, n) => {
    const x = round(LEFT + PLOT_WIDTH * at);
    // Neighbours would stand on each other in one row.
    const y = TOP + 8 + (n % 3) * 11;
    return `<line class="event" x1="${x}" x2="${x}" y1="${TOP}" y2="${TOP + PLOT_HEIGHT}"/><text class="name" x="${x + 3}" y="${y}">${escapeXml(name)}</text>`;
  });
  return [...labels, ...marks];
}

/** Through the measured values: a part of the time without one is passed over. */
function line(values: Series['values'], top: number, n: number): string {
  const points = [...values.entries()].flatMap(([at, value]) => {
    if (value === undefined) return [];
    const x = LEFT + (PLOT_WIDTH * (at + 0.5)) / values.length;
    return [`${round(x)} ${round(TOP + PLOT_HEIGHT * (1 - value / top))}`];
  });
  return points.length === 0 ? '' : `<path class="line" stroke="${colour(n)}" d="M${points.join('L')}"/>`;
}

function colour(n: number): string {
  return COLOURS[n % COLOURS.length] as string;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

import { type CurveFactory, curveLinear, line } from 'd3';
import { showDirections } from '../../artifacts/format/show-directions.ts';

type Attribute = string | number | null;

/**
 * One SVG element with its child elements; see `textElement` for text. Numbers have at most two decimals, so that the text
 * is the same on every machine. Attributes that are null are omitted.
 */
export function element(name: string, attributes: Record<string, Attribute>, ...children: string[]): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => ` ${key}="${escapeText(typeof value === 'number' ? coordinate(value) : value!)}"`);
  const content = children.join('');
  return content === ''
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${content}</${name}>`;
}

/** Tells contents apart in ids: FNV-1a, 32 bits. */
export function digestOf(content: string): string {
  let digest = 0x811c9dc5;
  for (let at = 0; at < content.length; at += 1)
    digest = Math.imul(digest ^ content.charCodeAt(at), 0x01000193);
  return (digest >>> 0).toString(36);
}

/** A straight line between two places. */
export function segment(
  [x1, y1]: readonly [x: number, y: number],
  [x2, y2]: readonly [x: number, y: number],
  style: Record<string, Attribute>,
): string {
  return element('line', { x1, x2, y1, y2, ...style });
}

/** An element that holds text. */
export function textElement(name: string, attributes: Record<string, Attribute>, text: string): string {
  return element(name, attributes, escapeText(text));
}

function coordinate(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}

/** To a tenth of a pixel, for paths. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Characters that XML 1.0 forbids even when escaped; names and topics come from the ledger. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Text escaped for XML and HTML, in attributes too. */
export function escapeText(text: string): string {
  return showDirections(text)
    .replace(FORBIDDEN, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

interface Point {
  x: number;
  /** Null: the line has a gap. */
  y: number | null;
}

interface LineStyle {
  stroke: string;
  width?: number;
  dash?: string;
  curve?: CurveFactory;
}

/** A line through points in pixels; a point between two gaps is a dot. Empty without points. */
export function linePath(
  points: readonly Point[],
  { stroke, width = 2, dash, curve = curveLinear }: LineStyle,
): string {
  const path = line<Point>(
    ({ x }) => x,
    ({ y }) => y!,
  )
    .defined(({ y }) => y !== null)
    .curve(curve)
    .digits(1)(points);
  if (path === null) return '';
  // A line of one point has no length, so that a point alone is a dot, wider than the line.
  const dots = points.filter((_, index) => isAlone(points, index));
  const circles = dots.map(({ x, y }) => element('circle', { cx: x, cy: y, r: width + 0.5, fill: stroke }));
  const drawn = element('path', {
    d: path,
    fill: 'none',
    stroke,
    'stroke-width': width,
    'stroke-dasharray': dash ?? null,
    'stroke-linejoin': 'round',
    'stroke-linecap': dash === undefined ? 'round' : null,
  });
  return drawn + circles.join('');
}

/** Whether a point has gaps on both sides. */
function isAlone(points: readonly Point[], index: number): boolean {
  const has = (at: number) => (points[at]?.y ?? null) !== null;
  return has(index) && !has(index - 1) && !has(index + 1);
}

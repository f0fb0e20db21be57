import { expect } from 'vitest';
import { textWidth } from '../../pipeline/charts/drawing/label.ts';

/** The texts of a drawing with where they stand, read off its own markup. */
export function textsOf(
  svg: string,
): { text: string; left: number; right: number; y: number; size: number; fill: string; turned: boolean }[] {
  return [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = '', escaped = '']) => {
    const value = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
    const text = escaped
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
    const size = Number(value('font-size') ?? 13);
    const width = textWidth(text, size, Number(value('font-weight') ?? 400));
    const x = Number(value('x'));
    const left = x - { start: 0, middle: width / 2, end: width }[value('text-anchor') ?? 'start']!;
    const turned = attributes.includes('rotate');
    return { text, left, right: left + width, y: Number(value('y')), size, fill: value('fill')!, turned };
  });
}

/** What programs that know only SVG 1.1 draw as browsers do. Nothing that is read may depend on more. */
const PLAIN = new Set(
  [
    'svg title desc defs g use rect line path circle text',
    'xmlns xmlns:xlink xlink:href id class viewBox width height x y x1 x2 y1 y2 cx cy r rx d transform',
    'fill fill-opacity stroke stroke-opacity stroke-width stroke-dasharray stroke-linejoin stroke-linecap',
    'font-family font-size font-weight text-anchor',
    // Words and digits of equal width, for those who can use them.
    'role aria-labelledby font-variant',
  ].flatMap((names) => names.split(' ')),
);
const COLOUR = /^(none|#[0-9a-f]{6}|var\(--[\w-]+\))$/;

export function assertPlain(svg: string, place: string): void {
  const tags = [...svg.matchAll(/<([\w:-]+)([^>]*)>/g)];
  const attributes = tags.flatMap(([, , text]) => [...text!.matchAll(/([\w:-]+)="([^"]*)"/g)]);
  const names = [...tags, ...attributes].map(([, name]) => name!);
  expect(
    [...new Set(names)].filter((name) => !PLAIN.has(name)),
    place,
  ).toEqual([]);
  const colours = attributes
    .filter(([, name]) => name === 'fill' || name === 'stroke')
    .map(([, , value]) => value!);
  expect(
    [...new Set(colours)].filter((value) => !COLOUR.test(value)),
    place,
  ).toEqual([]);
}

/** Whole and in its frame: no number that is none, every coordinate and every text inside. */
export function assertDrawn(svg: string, place: string): void {
  expect(svg, place).not.toMatch(/NaN|undefined|Infinity|\[object|="null"/);
  assertPlain(svg, place);
  const [, width, height] = /^<svg [^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg)!.map(Number) as [
    0,
    number,
    number,
  ];
  const beyond = (names: string, most: number) =>
    [...svg.matchAll(new RegExp(` (?:${names})="(-?[\\d.e+]+)"`, 'g'))]
      .map((match) => Number(match[1]))
      .filter((value) => !(value >= -0.01 && value <= most + 0.01));
  expect(beyond('x|x1|x2|cx|width', width), place).toEqual([]);
  expect(beyond('y|y1|y2|cy|height', height), place).toEqual([]);
  for (const { text, left, right, turned } of textsOf(svg)) {
    if (turned) continue;
    expect(left, `${place}: ${text}`).toBeGreaterThanOrEqual(-1);
    expect(right, `${place}: ${text}`).toBeLessThanOrEqual(width + 1);
  }
}

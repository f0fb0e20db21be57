import { expect } from 'vitest';
import { textWidth } from '../../pipeline/charts/drawing/label.ts';

/** The texts of a drawing with where they stand, read off its own markup. */
export function textsOf(
  svg: string,
): { text: string; left: number; right: number; y: number; turned: boolean }[] {
  return [...svg.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = '', escaped = '']) => {
    const value = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
    const text = escaped
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
    // Without the slack of the estimate: Helvetica itself.
    const width = textWidth(text, Number(value('font-size') ?? 13)) / 1.08;
    const x = Number(value('x'));
    const left = x - { start: 0, middle: width / 2, end: width }[value('text-anchor') ?? 'start']!;
    return { text, left, right: left + width, y: Number(value('y')), turned: attributes.includes('rotate') };
  });
}

/** Whole and in its frame: no number that is none, every coordinate and every text inside. */
export function assertDrawn(svg: string, place: string): void {
  expect(svg, place).not.toMatch(/NaN|undefined|Infinity|\[object|="null"/);
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

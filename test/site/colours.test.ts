import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AREAS } from '../../pipeline/artifacts/artifact.ts';
import { THEMES } from '../../pipeline/charts/drawing/theme.ts';

const CSS = readFileSync(new URL('../../src/site/styles/tokens.css', import.meta.url), 'utf8');
const [LIGHT, DARK] = ['$1', '$2'].map((one) => CSS.replaceAll(/light-dark\((#\w{6}), (#\w{6})\)/g, one)) as [
  string,
  string,
];

/** The value of a token in a piece of the style sheet, of an area where it has its own. */
function token(css: string, name: string, area?: string): string {
  const rule = area
    ? new RegExp(`\\[data-area="${area}"\\] \\{\\s*--${name}: (#\\w{6})`)
    : new RegExp(`--${name}: (#\\w{6})`);
  return rule.exec(css)?.[1] ?? `no --${name} of ${area ?? 'the root'}`;
}

/** Contrast ratio after WCAG 2.2. */
function contrast(one: string, two: string): number {
  const [high, low] = [luminance(one), luminance(two)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe.each([
  ['light', LIGHT, THEMES.light],
  ['dark', DARK, THEMES.dark],
])('in %s', (_, css, theme) => {
  const grounds = [token(css, 'paper'), token(css, 'panel')];

  test.each(['ink', 'muted', 'contrast', 'accent'])('%s is read on paper and on panel', (name) => {
    for (const ground of grounds) expect(contrast(token(css, name), ground)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(AREAS)('the accent of %s is read on paper and on panel', (area) => {
    for (const ground of grounds) {
      expect(contrast(token(css, 'accent', area), ground)).toBeGreaterThanOrEqual(4.5);
    }
  });

  test('a chart in a page has the series of one that stands alone', () => {
    const series = theme.series.map((_, index) => token(css, `series-${index + 1}`));
    expect(series).toEqual(theme.series);
  });

  test('a chart that stands alone has the colours of the page', () => {
    for (const name of ['ink', 'muted', 'rule', 'contrast', 'subject', 'warning'] as const)
      expect(theme[name]).toBe(token(css, name));
    expect(theme.parts.map((_, index) => token(css, `part-${index + 1}`))).toEqual(theme.parts);
  });
});

test('every area has an accent of its own', () => {
  for (const css of [LIGHT, DARK])
    expect(new Set(AREAS.map((area) => token(css, 'accent', area))).size).toBe(5);
});

test('a browser’s own frame has the colour of the page', () => {
  const head = readFileSync(new URL('../../src/site/layout/Head.astro', import.meta.url), 'utf8');
  const colours = [...head.matchAll(/name="theme-color" content="(#\w{6})"/g)].map((match) => match[1]);
  expect(colours).toEqual([token(LIGHT, 'paper'), token(DARK, 'paper')]);
});

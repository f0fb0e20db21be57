import { lab, rgb } from 'd3';
import { describe, expect, test } from 'vitest';
import { cathedralColour, THEMES } from '../../pipeline/charts/drawing/theme.ts';
import { CATHEDRALS } from '../../pipeline/ledger/events/vocabulary.ts';

type Rgb = [number, number, number];
type Matrix = [Rgb, Rgb, Rgb];

/** Of linear RGB, for full deficiency: Machado, Oliveira, Fernandes (2009), table of severity 1.0. */
const VISIONS: Record<string, Matrix> = {
  'full colour vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** Of CIE 1976; 2.3 is what an eye just notices. */
const APART = 20;
/** Of colours that never share a picture. */
const OTHER = 15;

const linear = (value: number) =>
  value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4;
const encoded = (value: number) => {
  const inside = Math.min(1, Math.max(0, value));
  return 255 * (inside <= 0.0031308 ? 12.92 * inside : 1.055 * inside ** (1 / 2.4) - 0.055);
};

function linearRgb(colour: string): Rgb {
  const { r, g, b } = rgb(colour);
  return [linear(r), linear(g), linear(b)];
}

function seen(colour: string, vision: Matrix) {
  const light = linearRgb(colour);
  const [r, g, b] = vision.map((row) =>
    encoded(row[0] * light[0] + row[1] * light[1] + row[2] * light[2]),
  ) as Rgb;
  return lab(rgb(r, g, b));
}

function distance(one: string, other: string, vision: Matrix): number {
  const [a, b] = [seen(one, vision), seen(other, vision)];
  return Math.hypot(a.l - b.l, a.a - b.a, a.b - b.b);
}

function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [r, g, b] = linearRgb(colour);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

describe.each(['light', 'dark'] as const)('the colours of series in %s', (name) => {
  const { series, parts, subject, warning, paper, ink, muted, contrast: other } = THEMES[name];
  const panel = { light: '#f4f0e6', dark: '#211f1c' }[name];

  test.each(Object.entries(VISIONS))('are told apart with %s', (_, vision) => {
    const statuses = [parts[0], warning, other];
    for (const together of [series, parts, statuses, [subject, other]]) {
      for (const [index, one] of together.entries()) {
        for (const another of together.slice(0, index))
          expect(distance(one, another, vision), `${one} ${another}`).toBeGreaterThan(APART);
      }
    }
  });

  test('are read as text on paper and on panel', () => {
    for (const ground of [paper, panel]) {
      for (const colour of [...series, subject, ink, muted, other])
        expect(contrast(colour, ground), colour).toBeGreaterThanOrEqual(4.5);
      for (const colour of [...parts, warning])
        expect(contrast(colour, ground), colour).toBeGreaterThanOrEqual(3);
    }
  });

  test('have one meaning: no other colour is taken for a cathedral’s', () => {
    for (const colour of [subject, warning, other, ...parts]) {
      for (const cathedral of series)
        expect(
          distance(colour, cathedral, VISIONS['full colour vision']!),
          `${colour} ${cathedral}`,
        ).toBeGreaterThan(OTHER);
    }
  });
});

test('a cathedral has a colour of its own, and one that is not known is muted', () => {
  const colours = CATHEDRALS.map((cathedral) => cathedralColour(cathedral));
  expect(new Set(colours).size).toBe(CATHEDRALS.length);
  expect(cathedralColour('FOR-NOBODY')).toBe('muted');
});

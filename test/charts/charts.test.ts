import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { element } from '../../pipeline/charts/drawing/element.ts';
import { THEMES } from '../../pipeline/charts/drawing/theme.ts';
import { type MiiMonth, miiByMonth } from '../../pipeline/charts/kinds/mii-by-month.ts';
import { type SupplyMonth, supplyByMonth } from '../../pipeline/charts/kinds/supply-by-month.ts';

const WIDE = { width: 780, height: 350 };
const NARROW = { width: 340, height: 380 };
const SUMMARY = 'Total supply was 1,000,000 MIC & "more" <later>.';
const month = (index: number) => `2026-${String(index + 1).padStart(2, '0')}`;

const SUPPLY: SupplyMonth[] = [25_193.5, 20_654, 0, 26_753].map((minted, index) => ({
  month: month(index),
  minted,
  burned: index === 3 ? 2500.5 : 0,
  total_supply: 1_104_055 + index * 24_000,
  partial: index === 3 ? {} : null,
}));
const MII: MiiMonth[] = [
  { month: '2026-01', mii_mean: 0.9471, mii_min: 0.9382, threshold: 0.9489, partial: null },
  { month: '2026-02', mii_mean: null, mii_min: null, threshold: 0.9488, partial: null },
  { month: '2026-03', mii_mean: 0.9604, mii_min: 0.9604, threshold: 0.9487, partial: null },
  { month: '2026-04', mii_mean: 0.9668, mii_min: 0.958, threshold: 0.9486, partial: {} },
];
const NOTHING: SupplyMonth[] = [{ month: '2025-07', minted: 0, burned: 0, total_supply: 0, partial: null }];

/** A picture each: what a change of the drawing looks like is seen in its diff. */
const PICTURES: Record<string, string> = {
  'supply-wide-light': supplyByMonth(SUPPLY, WIDE, THEMES.light, SUMMARY),
  'supply-narrow-dark': supplyByMonth(SUPPLY, NARROW, THEMES.dark, SUMMARY),
  'supply-nothing-page': supplyByMonth(NOTHING, WIDE, THEMES.page, SUMMARY),
  'mii-wide-light': miiByMonth(MII, WIDE, THEMES.light, SUMMARY),
  'mii-narrow-page': miiByMonth(MII, NARROW, THEMES.page, SUMMARY),
  'mii-no-reading-dark': miiByMonth(MII.slice(1, 2), WIDE, THEMES.dark, SUMMARY),
};

describe('a chart', () => {
  test.each(Object.entries(PICTURES))('%s is drawn as its picture', async (name, svg) => {
    await expect(`${svg.replaceAll('><', '>\n<')}\n`).toMatchFileSnapshot(`../golden/charts/${name}.svg`);
  });

  test('names itself and says in words what it shows', () => {
    const svg = PICTURES['supply-wide-light']!;
    expect(svg).toContain('<title id="supply-by-month-780-title">Supply and minting by month</title>');
    expect(svg).toContain('1,000,000 MIC &amp; &quot;more&quot; &lt;later&gt;.</desc>');
    expect(svg).toContain('aria-labelledby="supply-by-month-780-title supply-by-month-780-summary"');
  });

  test('leaves a gap where a month has no reading', () => {
    const line = /<path d="([^"]*)"[^>]*stroke="#1d4f7c"/.exec(PICTURES['mii-wide-light']!)![1]!;
    expect(line.match(/M/g)).toHaveLength(2);
    expect(PICTURES['mii-no-reading-dark']).not.toContain('stroke="#8fbce8" stroke-width="2" d=');
  });

  test('takes every colour from its theme', () => {
    const theme = {
      ...THEMES.light,
      ink: 'A',
      muted: 'B',
      rule: 'C',
      accent: 'D',
      contrast: 'E',
      paper: 'F',
    };
    const seen = new Set<string>();
    for (const svg of [supplyByMonth(SUPPLY, WIDE, theme, ''), miiByMonth(MII, WIDE, theme, '')]) {
      const used = [...svg.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map((match) => match[1]);
      for (const colour of used) seen.add(colour!);
    }
    expect(seen).toEqual(new Set(['A', 'B', 'C', 'D', 'E', 'F', 'none']));
  });
});

const months = <T>(values: fc.Arbitrary<T>) =>
  fc
    .array(values, { minLength: 1, maxLength: 12 })
    .map((list) => list.map((value, index) => ({ month: month(index), ...value })));
/** Of six places, as the ledger writes them. */
const amount = fc.oneof(fc.nat(3), fc.maxSafeNat()).map((micro) => micro / 1e6);
const partial = fc.constantFrom({}, null);
const share = fc.nat(1_000_000).map((millionths) => millionths / 1e6);

describe('whatever the numbers are, a chart stays inside its frame', () => {
  test('of supply', () => {
    const data = months(fc.record({ minted: amount, burned: amount, total_supply: amount, partial }));
    fc.assert(fc.property(data, (list) => assertInside(supplyByMonth(list, WIDE, THEMES.light, ''))));
  });

  test('of the integrity index', () => {
    const mean = fc.option(share);
    const data = months(fc.record({ mii_mean: mean, mii_min: mean, threshold: mean, partial }));
    fc.assert(fc.property(data, (list) => assertInside(miiByMonth(list, WIDE, THEMES.light, ''))));
  });
});

function assertInside(svg: string): void {
  expect(svg).not.toMatch(/NaN|undefined|Infinity|null/);
  const at = (names: string) =>
    [...svg.matchAll(new RegExp(` (?:${names})="(-?[\\d.]+)"`, 'g'))].map((match) => Number(match[1]));
  for (const x of at('x|x1|x2|cx')) expect(x).toSatisfy((value: number) => value >= 0 && value <= WIDE.width);
  for (const y of at('y|y1|y2|cy'))
    expect(y).toSatisfy((value: number) => value >= 0 && value <= WIDE.height);
  for (const side of at('width|height')) expect(side).toBeGreaterThanOrEqual(0);
}

describe('an SVG element', () => {
  test('is written with its attributes escaped, numbers short, and what is null left out', () => {
    const written = element('g', { a: '<"&', x: 1.23456, y: -0.001, z: null }, element('b', {}));
    expect(written).toBe('<g a="&lt;&quot;&amp;" x="1.23" y="0"><b/></g>');
  });
});

import type { Page } from 'playwright';
import { beforeAll, describe, expect, test } from 'vitest';
import { PublishedFiles } from '../../pipeline/artifacts/published-files.ts';
import { DEFAULT_STATE } from '../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../pipeline/charts/table.ts';
import { useBrowser } from '../setups/use-browser.ts';
import { chartFiles } from './chart-files.ts';
import { smallLedger } from './small-ledger.ts';

const FILES = chartFiles(smallLedger(75).leaves);
const WIDTHS = [280, 320, 500, 780, 1200];

const browser = useBrowser();
let page: Page;

beforeAll(async () => {
  page = await browser.newPage();
});

/** In the browser: whether it is XML, which texts leave the frame, and which two cover each other. */
function faultsOf(svg: string): string[] {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const broken = parsed.querySelector('parsererror');
  if (broken) return [`not well-formed: ${broken.textContent}`];
  const ids = [...parsed.querySelectorAll('[id]')].map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `the id ${id} twice`);
  document.body.style.margin = '0';
  document.body.innerHTML = svg;
  const frame = document.querySelector('svg')!.getBoundingClientRect();
  const texts = [...document.querySelectorAll('text')].map((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    // Of the line's height the letters fill the middle.
    const inset = (bottom - top) * 0.2;
    return { text: element.textContent, left, right, top: top + inset, bottom: bottom - inset };
  });
  const outside = texts
    .filter(
      ({ left, right, top, bottom }) =>
        left < -1 || right > frame.right + 1 || top < 0 || bottom > frame.bottom,
    )
    .map(({ text }) => `outside: ${text}`);
  const touching = texts.flatMap((one, index) =>
    texts
      .slice(0, index)
      .filter(
        (other) =>
          Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1 &&
          Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1,
      )
      .map((other) => `${one.text} covers ${other.text}`),
  );
  return [...twice, ...outside, ...touching];
}

describe('in a browser, with whatever fonts it has', () => {
  test.each(CHARTS.map((chart) => [chart.id, chart] as const))(
    '%s is XML, and no text leaves the frame or covers another',
    async (_, chart) => {
      const { draw } = chart.open(PublishedFiles.of(FILES)).show(DEFAULT_STATE);
      for (const width of WIDTHS) {
        const svg = draw({ width, theme: 'light' });
        expect(await page.evaluate(faultsOf, svg), `at ${width}`).toEqual([]);
      }
    },
  );

  test('figures have one width each', async () => {
    const chart = CHARTS.find(({ id }) => id === 'supply')!;
    const { draw } = chart.open(PublishedFiles.of(FILES)).show(DEFAULT_STATE);
    const svg = draw({ width: 500, theme: 'light' });
    await page.setContent(svg);
    const variant = await page.evaluate(
      () => getComputedStyle(document.querySelector('text')!).fontVariantNumeric,
    );
    expect(variant).toBe('tabular-nums');
  });
});

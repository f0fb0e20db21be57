import { describe, expect, test } from 'vitest';
import { SearchEngine, type SearchEntry } from '../../src/site/reference/search/search-engine.ts';

const entry = (kind: SearchEntry['kind'], title: string, text: string, href = `/${title}/`): SearchEntry => ({
  kind,
  href,
  title,
  text,
});

const LAMP = 'The lamp stays lit because nobody objected, said ATLAS, and because light is cheap in Zürich.';
const engine = new SearchEngine([
  entry('sentinel', 'ATLAS', 'FOR-ACADEMICS'),
  entry('file', 'MIC supply', 'economy/supply · burned_total: MIC that were burned'),
  entry('term', 'supply', 'How many MIC there are'),
  entry('decision', 'Whether the lamp stays lit', LAMP),
  entry('decision', 'Whether lamps are counted', 'Every lamp is counted once.'),
  entry('decision', 'Whether the lamp stays lit', 'An earlier record of the same page.'),
]);
const titles = (query: string, kind = '') => engine.search(query, kind, 10).results.map(({ title }) => title);

describe('the search', () => {
  test('finds what has every word, or one that begins with it', () => {
    expect(titles('lamp')).toEqual(['Whether the lamp stays lit', 'Whether lamps are counted']);
    expect(titles('lamp counted')).toEqual(['Whether lamps are counted']);
    expect(titles('sup')).toEqual(['MIC supply', 'supply']);
    expect(titles('lamp quokka')).toEqual([]);
    expect(titles('upply')).toEqual([]);
  });

  test.each(['zurich', 'ZÜRICH', 'Zu\u0308rich', '“is cheap in”', '"cheap in zürich"', 'lamp light atlas'])(
    'finds %j whatever case, accents and marks',
    (query) => expect(titles(query)).toEqual(['Whether the lamp stays lit']),
  );

  test('a phrase is not found where its words stand apart', () => {
    expect(titles('“lamp lit”')).toEqual([]);
    expect(titles('lamp lit')).toEqual(['Whether the lamp stays lit']);
  });

  test('a plural finds the singular, and names of columns are found', () => {
    expect(titles('lamps counted')).toEqual(['Whether lamps are counted']);
    expect(titles('lamps')).toHaveLength(2);
    expect(titles('burned_total')).toEqual(['MIC supply']);
  });

  test('has what is called exactly so first, then words in titles, then in texts', () => {
    expect(titles('supply')).toEqual(['supply', 'MIC supply']);
    expect(titles('atlas')).toEqual(['ATLAS', 'Whether the lamp stays lit']);
    expect(titles('count')).toEqual(['Whether lamps are counted']);
  });

  test('has a page once, with its newest record', () => {
    const { results } = engine.search('lamp stays', '', 10);
    expect(results).toMatchObject([{ text: LAMP }]);
  });

  test('counts every kind whichever is chosen, and gives no more results than asked for', () => {
    const found = engine.search('lamp', 'sentinel', 10);
    expect(found).toMatchObject({ total: 0, counts: { decision: 2 }, results: [] });
    expect(engine.search('lamp', 'decision', 1)).toMatchObject({ total: 2, results: [{ kind: 'decision' }] });
  });

  test.each(['', ' ', '–', '“”', '"', '%'])('finds nothing for %j', (query) => {
    expect(engine.search(query, '', 10)).toEqual({ total: 0, counts: {}, results: [] });
  });

  test('shows the text around what it found, every second piece marked', () => {
    const [first] = engine.search('light zurich', '', 10).results;
    expect(first!.excerpt).toEqual([
      '… stays lit because nobody objected, said ATLAS, and because ',
      'light',
      ' is cheap in ',
      'Zürich',
      '.',
    ]);
    const [title] = engine.search('whether counted', '', 10).results;
    expect(title!.excerpt.join('')).toBe('Every lamp is counted once.');
    const long = new SearchEngine([
      entry('page', 'Long', `${'word '.repeat(1000)}needle ${'word '.repeat(1000)}`),
    ]);
    const shown = long.search('needle', '', 1).results[0]!.excerpt;
    expect([
      shown[1],
      shown.join('').length < 320,
      shown[0]!.startsWith('… '),
      shown.at(-1)!.endsWith(' …'),
    ]).toEqual(['needle', true, true, true]);
  });

  test('prepares many entries in slices, between which a page can answer', async () => {
    const many = new SearchEngine(
      Array.from({ length: 250 }, (_, at) => entry('decision', `Decision ${at}`, LAMP)),
    );
    let pauses = 0;
    const prepared = await many.prepare(async () => {
      pauses += 1;
    });
    expect(pauses).toBe(2);
    expect(prepared.search('lamp', '', 10).total).toBe(250);
  });
});

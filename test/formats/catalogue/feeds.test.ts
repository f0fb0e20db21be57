import { parseAtomFeed } from 'feedsmith';
import { expect, test } from 'vitest';
import { formatAtom } from '../../../pipeline/formats/catalogue/feeds.ts';
import { ORGANISATION } from '../../organisation.ts';

test('whatever a text of the ledger says, a feed shows it as text', () => {
  const text = '</summary><script>alert("1 & 2")</script> ]]> \u202e';
  const change = {
    ...{ id: 'decision/d-1', title: text, summary: text, path: 'decisions/d-1/', areas: [] },
    ...{ published: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' },
  };
  const about = {
    baseUrl: 'https://data.example.org',
    organisation: ORGANISATION,
    since: '2025-12-01T00:00:00Z',
  };
  const feed = { path: 'feed', title: text, subtitle: text, page: '' };
  const atom = formatAtom(feed as never, [change as never], about);
  expect(atom).not.toContain('<script');
  const { entries, subtitle } = parseAtomFeed(atom);
  const shown = [subtitle, entries![0]!.title, entries![0]!.summary].map((one) => one!.value);
  expect(shown).toEqual([text, text, text]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SEARCH_KINDS } from '../../pipeline/release/format/search-kinds.ts';
import { KIND_WORDS } from '../../src/site/components/search/browse-lists.ts';
import { formatSearch, LONGEST_QUERY, parseSearch } from '../../src/site/components/search/search-state.ts';

describe('a search’s address', () => {
  test('gives back what is searched for', () => {
    const queries = fc.string({ maxLength: LONGEST_QUERY }).map((text) => text.trim());
    fc.assert(
      fc.property(queries, fc.constantFrom('', ...SEARCH_KINDS), (query, kind) => {
        const address = formatSearch({ query, kind });
        expect(parseSearch(new URLSearchParams(address), SEARCH_KINDS)).toEqual({ query, kind });
      }),
    );
  });

  test('is empty where nothing is searched for', () => {
    expect(formatSearch({ query: '  ', kind: '' })).toBe('');
  });

  test('is searched in every kind where it names one that there is not', () => {
    expect(parseSearch(new URLSearchParams('q=x&kind=secret'), SEARCH_KINDS)).toEqual({
      query: 'x',
      kind: '',
    });
  });

  test('is cut where it is too long', () => {
    const { query } = parseSearch(new URLSearchParams({ q: 'x'.repeat(5000) }), SEARCH_KINDS);
    expect(query).toHaveLength(LONGEST_QUERY);
  });
});

test('every kind of page has a name for readers', () => {
  expect(Object.keys(KIND_WORDS).sort()).toEqual([...SEARCH_KINDS].sort());
});

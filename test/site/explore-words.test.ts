import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deliberationNames, pageNames } from '../../pipeline/words/page-names.ts';
import { shortText } from '../../pipeline/words/phrase.ts';
import { archiveOf, questionOf, recordsAt } from '../../src/site/records/archive.ts';
import { linkWords } from '../../src/site/records/linked-words.ts';
import { firstSentence } from '../../src/site/records/why-it-ended.ts';
import { anyCharacter } from '../any-character.ts';

describe('the name of a page', () => {
  test('is the id in lower case', () => {
    expect(pageNames(['ATLAS', 'decision-7-1'])).toEqual(
      new Map([
        ['ATLAS', 'atlas'],
        ['decision-7-1', 'decision-7-1'],
      ]),
    );
  });

  test('keeps what is plain, dots and all', () => {
    const ids = ['d_2--', 'v1.2', 'a.b-c', '7', 'consul', 'in-2025-07', 'in-31', 'indexed', 'x'.repeat(100)];
    expect([...pageNames(ids).values()]).toEqual(ids);
  });

  test('never means anything to a file system, a host or the site’s build', () => {
    const ids = [
      ...'index.html INDEX index Index.HTM a.html in-2025 IN-0031 web.config x.br x.gz con NUL aux.txt'.split(
        ' ',
      ),
      ...'com1 LPT9.x . .. ... .htaccess _headers a. a..b %2e%2e % ../x a/b a\\b \u212a \u0130 \u202e'.split(
        ' ',
      ),
      ...['a b', 'x'.repeat(101), 'é'.repeat(200)],
    ];
    const names = [...pageNames(ids).values()];
    for (const [index, name] of names.entries())
      expect(name, ids[index]).toMatch(/^([a-z0-9-]+-)?[0-9a-f]{10}$/);
    expect(new Set(names).size).toBe(ids.length);
  });

  test('of a deliberation stays, in whatever order they close', () => {
    const ids = fc.shuffledSubarray(['D-1', 'd-1', 'É', 'E\u0301', 'E', 'e', 'x'], { minLength: 2 });
    const closings = fc.array(fc.nat(20), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(ids, closings, (opened, closing) => {
        const all = opened.map((id, at) => ({
          id,
          opened: new Date(at * 1000).toISOString(),
          at,
          closed: at + 1 + closing[at]!,
        }));
        const expected = pageNames(opened);
        for (let now = 0; now < 30; now += 1) {
          const current = all.filter(({ at }) => at <= now).toReversed();
          const archived = all
            .filter(({ closed }) => closed < now)
            .sort((one, other) => one.closed - other.closed);
          const names = deliberationNames(
            archived,
            current.map(({ id }) => id),
          );
          expect(names.size).toBe(current.length);
          for (const [id, name] of names) expect(name).toBe(expected.get(id));
        }
      }),
    );
  });

  test('is a plain one for any id, unlike every other, and stays whatever comes later', () => {
    const part = fc.constantFrom(
      ...'aAbB.-_/% é',
      'e\u0301',
      'index',
      '.html',
      'in-',
      '2025',
      'con',
      '\u212a',
    );
    const id = fc.oneof(
      fc.string({ minLength: 1, maxLength: 30, unit: anyCharacter }),
      fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('')),
    );
    const ids = fc.uniqueArray(id, { minLength: 1, maxLength: 12 });
    // Each may be followed by an id that is the very name that it was given.
    const hostile = ids.map((all) => [...new Set(all.flatMap((one) => [...pageNames([one]).values(), one]))]);
    fc.assert(
      fc.property(fc.oneof(ids, hostile), (all) => {
        const names = pageNames(all);
        expect(new Set(names.values()).size).toBe(new Set(all).size);
        for (const name of names.values()) {
          expect(name).toMatch(/^[a-z0-9](?:[a-z0-9_-]|\.(?=[a-z0-9]))*$/);
          expect(name).not.toMatch(/^in-\d{4}$|^index(\.|$)|^(con|prn|aux|nul|(com|lpt)\d)(\.|$)|\.html?$/);
          expect(name.length).toBeLessThanOrEqual(100);
        }
        const before = all.slice(0, Math.ceil(all.length / 2));
        for (const [one, name] of pageNames(before)) expect(names.get(one)).toBe(name);
      }),
    );
  });

  test('is another one where an earlier id was made to have it', () => {
    const forged = pageNames(['a b']).get('a b')!;
    expect(pageNames([forged, 'a b']).get(forged)).toBe(forged);
    expect(pageNames([forged, 'a b']).get('a b')).toMatch(/^a-b-[0-9a-f]{10}$/);
    expect(pageNames([forged, 'a b']).get('a b')).not.toBe(forged);
  });

  test('stays when later ids come', () => {
    const before = pageNames(['Atlas', 'a b']);
    const after = pageNames(['Atlas', 'a b', 'ATLAS', 'a-b']);
    for (const [id, name] of before) expect(after.get(id)).toBe(name);
  });
});

describe('the records of a page', () => {
  const all = ['d', 'a', 'b', 'a', 'c'].map((id, index) => ({
    id,
    href: `/decisions/${id}/`,
    topic: id,
    date: null,
    index,
    events: null,
  }));
  const archive = archiveOf(all);

  test('are all of its address, newest first, and beside them those of other pages', () => {
    expect(recordsAt(archive, '/decisions/a/')).toEqual({
      one: all[3],
      previous: [all[1]],
      later: all[4],
      earlier: all[2],
    });
    expect(recordsAt(archive, '/decisions/d/')).toEqual({
      one: all[0],
      previous: [],
      later: all[1],
      earlier: null,
    });
    expect(recordsAt(archive, '/decisions/in-2025/')).toBeNull();
  });
});

describe('a question', () => {
  test('is the same when it is reviewed', () => {
    expect(questionOf('Review of D-7: whether to lock')).toBe(questionOf('Whether to lock'));
    expect(questionOf('Review of budgets')).toBe('review of budgets');
  });
});

describe('a text of the ledger', () => {
  const known = new Map([
    ['ATLAS', '/sentinels/atlas/'],
    ['d-1', '/decisions/d-1/'],
  ]);
  const pages = (word: string) => known.get(word) ?? null;

  test('leads to what it names, and is otherwise as it was', () => {
    const text = 'ATLAS, unlike ATLASES, asked (d-1) for <b>more</b>.';
    const pieces = linkWords(text, pages, '/x/');
    expect(pieces.map(({ text }) => text).join('')).toBe(text);
    expect(pieces.filter(({ href }) => href !== null)).toEqual([
      { text: 'ATLAS', href: '/sentinels/atlas/' },
      { text: 'd-1', href: '/decisions/d-1/' },
    ]);
  });

  test('does not lead to the page that it is on', () => {
    expect(linkWords('ATLAS', pages, '/sentinels/atlas/')).toEqual([{ text: 'ATLAS', href: null }]);
  });

  test('is whole in its pieces, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(
          linkWords(text, pages, '')
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  test('begins with a sentence', () => {
    expect(firstSentence('Version 2.1 holds. It does.')).toBe('Version 2.1 holds.');
    expect(firstSentence('Is it? Yes.')).toBe('Is it?');
    expect(firstSentence('no end')).toBe('no end');
  });

  test('is cut after a word where it is long', () => {
    const long = 'word '.repeat(100);
    expect(shortText('short')).toBe('short');
    expect(shortText(long)).toMatch(/^(word )+word …$/);
    expect(shortText('x'.repeat(500)).length).toBeLessThan(120);
  });
});

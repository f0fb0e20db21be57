import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordAccess } from '../../../src/sidecar/access-log/entry.ts';
import { redactKeysInQuery } from '../../../src/sidecar/access-log/redact-keys-in-query.ts';
import { sampleAccess } from './sample-access.ts';

const KEY = 'cds_government_0123456789abcdefghijABCDEFGHIJ_0aZ9bY';

describe('an entry', () => {
  test('has no endless text and nothing without a UTF-8 form', () => {
    const record = recordAccess(
      sampleAccess(0, { path: `/${'a'.repeat(9_000)}`, query: '\ud800', requestId: 'é' }),
    );
    expect(record.path).toHaveLength(2_049);
    expect(record.query).toBe('?\ufffd');
    expect(record.request_id).toBe('é');
  });
});

describe('a logged query', () => {
  test.each([
    ['from=2025-01-01&to=2025-02-01', 'from=2025-01-01&to=2025-02-01'],
    ['', ''],
    [
      'filter=event_type==mic_mint;agent=in=(ATLAS,AUREA)',
      'filter=event_type==mic_mint;agent=in=(ATLAS,AUREA)',
    ],
    ['filter=%E0%A4%A', 'filter=%E0%A4%A'],
    [`a=1&key=${KEY}&b=2`, 'a=1&key=[removed]&b=2'],
    ['api_key=short&API-Key=other', 'api_key=[removed]&API-Key=[removed]'],
    ['%61ccess_token=abc', '%61ccess_token=[removed]'],
    [`x=${KEY}`, 'x=[removed]'],
    [`x=${KEY.toUpperCase()}`, 'x=[removed]'],
    [KEY, '[removed]'],
    [`${KEY}=1`, '[removed]=1'],
    [`x=a${KEY}b`, 'x=a[removed]'],
    [`x=${KEY.slice(0, 40)}`, 'x=[removed]'],
    [`x=${KEY.replaceAll('_', '%5F')}`, 'x=[removed]'],
    [`x=${KEY.replaceAll('_', '%255f')}&y=1`, 'x=[removed]&y=1'],
    [`x=%zz${encodeEach(KEY)}`, 'x=[removed]'],
    [`${encodeEach(KEY)}=1`, '[removed]'],
    [`/government/${encodeEach(KEY)}/x`, '/government/[removed]/x'],
  ])('%s is %s', (query, logged) => {
    expect(redactKeysInQuery(query)).toBe(logged);
  });

  test('holds no key, whatever stands around it and however it is encoded', () => {
    const noise = fc.string({ unit: fc.constantFrom('a', '&', '=', '%', '/', '2', '_', ';', '+') });
    const written = fc.array(fc.boolean(), { minLength: KEY.length, maxLength: KEY.length });
    fc.assert(
      fc.property(noise, written, noise, (before, encoded, after) => {
        const key = [...KEY].map((char, index) => (encoded[index] ? encodeEach(char) : char)).join('');
        const logged = redactKeysInQuery(`${before}&${key}${after}`);
        for (const shown of [logged, unescapeAll(logged)]) expect(shown).not.toContain(KEY.slice(15, 40));
      }),
    );
  });
});

function unescapeAll(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function encodeEach(text: string): string {
  return [...text].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
}

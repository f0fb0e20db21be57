import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatCheckpoint, parseCheckpoint } from '../../../pipeline/ledger/notes/checkpoint.ts';

/** The example of c2sp.org/tlog-checkpoint. */
const TEXT = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
const CHECKPOINT = {
  origin: 'example.com/behind-the-sofa',
  size: 20_852_163,
  root: '0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62',
};

describe('a checkpoint', () => {
  test('is read and written as in the specification', () => {
    expect(parseCheckpoint(TEXT, 'checkpoint')).toEqual(CHECKPOINT);
    expect(formatCheckpoint(CHECKPOINT)).toBe(TEXT);
  });

  test('is unchanged by writing and reading', () => {
    const root = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => Buffer.from(bytes).toString('hex'));
    fc.assert(
      fc.property(fc.maxSafeNat(), root, (size, hex) => {
        const checkpoint = { origin: 'ledger.example', size, root: hex };
        expect(parseCheckpoint(formatCheckpoint(checkpoint), 'checkpoint')).toEqual(checkpoint);
      }),
    );
  });

  test('may have extension lines, which are ignored', () => {
    expect(parseCheckpoint(`${TEXT}an extension\n`, 'checkpoint')).toEqual(CHECKPOINT);
  });

  test.each([
    ['', 'here'],
    ['\n', 'here'],
    [TEXT.slice(0, -1), 'here'],
    [TEXT.split('\n').slice(0, 2).join('\n').concat('\n'), 'here'],
    [`\n${TEXT}`, 'here'],
    [`${TEXT}\n`, 'here'],
    [TEXT.replace('20852163', '020852163'), 'here:2'],
    [TEXT.replace('20852163', '-1'), 'here:2'],
    [TEXT.replace('20852163', '1.5'), 'here:2'],
    [TEXT.replace('20852163', '1e3'), 'here:2'],
    [TEXT.replace('20852163', ' 1'), 'here:2'],
    [TEXT.replace('20852163', '9007199254740992'), 'here:2'],
    [TEXT.replace('20852163', '99999999999999999999'), 'here:2'],
    [TEXT.replace('2I=', '2I'), 'here:3'],
    [TEXT.replace('2I=', '2J='), 'here:3'],
    [TEXT.replace('CsUY', 'Cs-Y'), 'here:3'],
    [TEXT.replace('CsUY', ''), 'here:3'],
    [TEXT.replace('CsUY', 'CsUYCsUY'), 'here:3'],
  ])('is not %j', (text, place) => {
    expect(() => parseCheckpoint(text, 'here')).toThrow(
      expect.objectContaining({ code: 'ledger_corrupt', place }),
    );
  });
});

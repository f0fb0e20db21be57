import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatTlogProof, parseTlogProof } from '../../../pipeline/ledger/log/tlog-proof.ts';

const CHECKPOINT =
  'example.com/log\n5\nsFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=\n\n— example.com/log AAAAAAA=\n';
const path = ['a', 'b'].map((text) => hash('sha256', text));
const TEXT = formatTlogProof({ index: 3, path, checkpoint: CHECKPOINT, extra: null });

describe('a tlog-proof', () => {
  test('has the lines of the specification', () => {
    const [first, second] = path.map((hex) => Buffer.from(hex, 'hex').toString('base64'));
    expect(TEXT).toBe(`c2sp.org/tlog-proof@v1\nindex 3\n${first}\n${second}\n\n${CHECKPOINT}`);
  });

  test('parses back to the same proof', () => {
    const hashes = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 53 });
    const extras = fc.option(fc.uint8Array({ maxLength: 200 }));
    fc.assert(
      fc.property(fc.maxSafeNat(), hashes, extras, (index, bytes, extra) => {
        const hexes = bytes.map((one) => Buffer.from(one).toString('hex'));
        const proof = { index, path: hexes, checkpoint: CHECKPOINT, extra };
        expect(parseTlogProof(formatTlogProof(proof), 'here')).toEqual(proof);
      }),
    );
  });

  test.each([
    ['of a different version', TEXT.replace('@v1', '@v2'), 1],
    ['with a Windows line ending', TEXT.replaceAll('\n', '\r\n'), 1],
    ['without a checkpoint', TEXT.slice(0, TEXT.indexOf('\n\n')), 1],
    ['without an index', TEXT.replace('index 3\n', ''), 2],
    ['with a leading zero in the index', TEXT.replace('index 3', 'index 03'), 2],
    ['with a negative index', TEXT.replace('index 3', 'index -3'), 2],
    ['with an index that is too large', TEXT.replace('index 3', 'index 9007199254740993'), 2],
    ['with a hash of 31 bytes', TEXT.replace(/\n[\w+/]{43}=/, `\n${Buffer.alloc(31).toString('base64')}`), 3],
    ['with a hash in another base64', TEXT.replace(/=\n/, '\n'), 3],
    ['with a space after a hash', TEXT.replace('=\n', '= \n'), 3],
    ['with extra data that is not base64', TEXT.replace('index', 'extra ???\nindex'), 2],
    ['with extra data after the index', TEXT.replace('index 3', 'index 3\nextra AAAA'), 3],
    [
      'with more hashes than any tree has',
      TEXT.replace('index 3', `index 3${`\n${Buffer.alloc(32).toString('base64')}`.repeat(60)}`),
      3,
    ],
    ['that never ends', 'x'.repeat(1_000_001), 1],
    ['that is empty', '', 1],
  ])('%s is refused with its line', (_, text, line) => {
    expect(() => parseTlogProof(text, 'a.tlog-proof')).toThrow(
      expect.objectContaining({ code: 'log_invalid', place: `a.tlog-proof:${line}` }),
    );
  });
});

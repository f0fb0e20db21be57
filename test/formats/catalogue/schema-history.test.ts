import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { digestOf, schemaDigest } from './schema-digest.ts';

const HISTORIES = ARTIFACTS.flatMap((artifact) =>
  artifact.kind === 'printed' ? [] : [[artifact.path, artifact.schemaHistory, artifact] as const],
);

describe('a schema history', () => {
  test.each(HISTORIES)('of %s begins with the digest of the current schema', (_, versions, artifact) => {
    expect(versions[0]?.digest).toBe(schemaDigest(artifact)?.slice(0, 16));
  });

  test.each(HISTORIES)(
    'of %s goes back in time, says what changed, and repeats no schema',
    (path, versions) => {
      const dates = versions.map(({ date }) => z.iso.date().parse(date));
      expect(dates, path).toEqual([...dates].sort().reverse());
      for (const [index, { version, change, digest }] of versions.entries()) {
        expect(version).toMatch(/^\d+\.\d+\.\d+$/);
        expect(change).toMatch(/^[A-Z].*\.$/);
        expect(digest).not.toBe(versions[index + 1]?.digest);
      }
    },
  );
});

describe('the digest of a schema', () => {
  const plain = z.strictObject({ amount: z.number().meta({ unit: 'MIC', description: 'How much' }) });

  test('stays when only the words change', () => {
    const reworded = z.strictObject({ amount: z.number().meta({ unit: 'MIC', description: 'The amount' }) });
    expect(digestOf(reworded)).toBe(digestOf(plain));
  });

  test.each([
    ['name', z.strictObject({ total: z.number().meta({ unit: 'MIC' }) })],
    ['type', z.strictObject({ amount: z.string().meta({ unit: 'MIC' }) })],
    ['unit', z.strictObject({ amount: z.number().meta({ unit: 'share' }) })],
    ['formula', z.strictObject({ amount: z.number().meta({ unit: 'MIC', formula: 'a + b' }) })],
    ['presence', z.strictObject({ amount: z.number().meta({ unit: 'MIC' }).optional() })],
    ['nullability', z.strictObject({ amount: z.number().nullable().meta({ unit: 'MIC' }) })],
  ])('changes with a %s', (_, other) => {
    expect(digestOf(other)).not.toBe(digestOf(plain));
  });

  test('counts a member that is named like a word of JSON Schema', () => {
    const named = z.strictObject({ description: z.string() });
    expect(digestOf(named)).not.toBe(digestOf(z.strictObject({ title: z.string() })));
  });
});

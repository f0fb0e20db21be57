import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FIRST_VERSION } from '../../../pipeline/artifacts/artifact.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { digestOf, schemaDigest } from './schema-digest.ts';

const HISTORIES = ARTIFACTS.flatMap((artifact) => {
  const digest = schemaDigest(artifact)?.slice(0, 16);
  if (artifact.kind === 'printed' || digest === undefined) return [];
  return [[artifact.path, [...(artifact.schemaChanges ?? []), FIRST_VERSION], digest] as const];
});

/** `economy/mii 1.0.0 38ce60de6e4dbb22`: every version that a schema ever had, newest first. */
const DIGESTS = readFileSync(new URL('schema-digests.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split(' ') as [path: string, version: string, digest: string]);

describe('a schema history', () => {
  test.each(HISTORIES)(
    'of %s has a line in schema-digests.txt for each version, the first with the digest of the schema',
    (path, versions, digest) => {
      const listed = DIGESTS.filter(([one]) => one === path);
      expect(listed.map(([, version]) => version)).toEqual(versions.map(({ version }) => version));
      expect(listed[0]).toEqual([path, versions[0]!.version, digest]);
      expect(new Set(listed.map(([, , one]) => one)).size).toBe(versions.length);
    },
  );

  test.each(HISTORIES)('of %s goes back in time, and says what changed', (path, versions) => {
    const dates = versions.map(({ date }) => z.iso.date().parse(date));
    expect(dates, path).toEqual([...dates].sort().reverse());
    for (const { version, change } of versions) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(change).toMatch(/^[A-Z].*\.$/);
    }
  });
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

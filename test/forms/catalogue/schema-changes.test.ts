import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SCHEMA_CHANGES } from '../../../pipeline/artifacts/schema-changes.ts';
import { ARTIFACTS } from '../../../pipeline/artifacts/table.ts';
import { digestOf, schemaDigest } from '../../../pipeline/forms/catalogue/schema-digest.ts';

const WITH_SCHEMA = ARTIFACTS.filter((artifact) => schemaDigest(artifact) !== null);

describe('the history of schemas', () => {
  test.each(WITH_SCHEMA.map((artifact) => [artifact.path, artifact] as const))(
    'has the schema of %s as it is now: a changed one needs an entry in schema-changes.ts, with this digest',
    (path, artifact) => {
      expect(SCHEMA_CHANGES[path]?.[0]?.digest).toBe(schemaDigest(artifact)!.slice(0, 16));
    },
  );

  test('has no file that is not published, or has no fields', () => {
    expect(Object.keys(SCHEMA_CHANGES)).toEqual(WITH_SCHEMA.map(({ path }) => path));
  });

  test('goes back in time, says what changed, and repeats no schema', () => {
    for (const [path, changes] of Object.entries(SCHEMA_CHANGES)) {
      const dates = changes.map(({ date }) => z.iso.date().parse(date));
      expect(dates, path).toEqual([...dates].sort().reverse());
      for (const [index, { version, words, digest }] of changes.entries()) {
        expect(version).toMatch(/^\d+\.\d+\.\d+$/);
        expect(words).toMatch(/^[A-Z].*\.$/);
        expect(digest).not.toBe(changes[index + 1]?.digest);
      }
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

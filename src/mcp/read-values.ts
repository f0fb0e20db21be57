import { z } from 'zod';
import { fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { FilePath, knownFile } from './find-files.ts';
import { Provenance, provenanceOf } from './provenance.ts';
import { AsOf, MOST_ANSWER } from './read-rows.ts';
import { defineTool } from './tool.ts';
import { ToolError } from './tool-error.ts';

const Member = z.strictObject({
  name: z.string(),
  value: z.unknown().meta({ description: 'A number of more than 15 digits is text, so that none is lost' }),
  unit: z.string(),
  formula: z.string(),
});

export const readValues = defineTool({
  name: 'read_values',
  title: 'Read values',
  description:
    'Reads figures of a JSON file, as published now or at an earlier time: for example the circulating supply on a day. Names of members are those of describe_file, joined by full stops: compliance.gdpr. For lists use read_rows.',
  input: z.strictObject({
    path: FilePath,
    members: z.array(z.string().min(1).max(200)).max(50).optional().meta({
      description: 'Default: all members of the document',
    }),
    as_of: AsOf,
  }),
  output: z.strictObject({ values: z.array(Member), source: Provenance }),
  run: async ({ path, members, as_of }, { held, count, signal }) =>
    held.read(async (release) => {
      const { artifact, file: known } = knownFile(release, path);
      if (artifact.mediaType !== 'application/json')
        throw new ToolError(
          `${path} is not JSON. read_rows reads tables; describe_file has the address of the file.`,
        );
      await count(artifact.area);
      const file = await release.read(known.path, as_of);
      signal.throwIfAborted();
      const document = parseExactly(file.text) as Record<string, unknown>;
      const fields = new Map(fieldsOf(artifact).map((field) => [field.name, field]));
      const values = (members ?? Object.keys(document)).map((name) => {
        const { unit = '', formula = '' } = fields.get(name) ?? {};
        return { name, value: memberAt(document, name, file.path), unit, formula };
      });
      const length = JSON.stringify(values).length;
      if (length > MOST_ANSWER)
        throw new ToolError(
          `These members have ${length} characters, more than ${MOST_ANSWER}. Name fewer in members: ${Object.keys(document).join(', ')}. read_rows reads lists by pages.`,
        );
      const source = await provenanceOf(release, artifact, file);
      const when = source.as_of === null ? `in the snapshot ${file.snapshot}` : `as of ${source.as_of}`;
      return {
        text: `${formatCount(values.length, 'member')} of ${file.path} ${when}. ${source.permanent_address ?? ''}`.trim(),
        value: { values, source },
      };
    }),
});

/** Names may contain full stops themselves, so the longest one that exists is taken first. */
function memberAt(document: Record<string, unknown>, name: string, path: string): unknown {
  const found = lookUp(document, name.split('.'));
  if (found !== undefined) return found;
  throw new ToolError(
    `${path} has no member ${JSON.stringify(name)}. At its top: ${Object.keys(document).join(', ')}.`,
  );
}

function lookUp(value: unknown, steps: readonly string[]): unknown {
  if (steps.length === 0) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  for (let length = steps.length; length > 0; length -= 1) {
    const name = steps.slice(0, length).join('.');
    if (!Object.hasOwn(value, name)) continue;
    const found = lookUp((value as Record<string, unknown>)[name], steps.slice(length));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A double holds fifteen digits of any number. */
function parseExactly(text: string): unknown {
  const keepDigits = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && source.replace(/[^\d]|^[-0.]+|e.*$/gi, '').length > 15 ? source : value;
  // The third argument is in the language since 2025, and not in the types yet.
  return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
}

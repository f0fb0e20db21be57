import type { Manifest } from '../release/format/manifest.ts';
import type { Problem } from '../release/staging/verify-release.ts';

/**
 * Everything but when a file first appeared, how it is compressed and who signed it: those are of the publishing, not
 * of the ledger.
 */
const COMPARED = [
  'sha256',
  'bytes',
  'rows',
  'media_type',
  'kind',
  'area',
  'restricted',
  'immutable',
] as const;

/** How a published manifest differs from one built again from the ledger; empty where it does not. */
export function compareManifests(published: Manifest, rebuilt: Manifest): Problem[] {
  return [
    ...compareMembers('manifest.json', ['timestamp', 'software', 'inputs'], rebuilt, published),
    ...compareMembers(
      'manifest.json ledger',
      ['origin', 'snapshot', 'size', 'root'],
      rebuilt.ledger,
      published.ledger,
    ),
    ...compareByName(contents(rebuilt), contents(published), ({ path }) => path, COMPARED),
    ...compareSegments(published, rebuilt),
    ...compareByName(rebuilt.unlisted, published.unlisted, ({ file }) => file, ['sha256']),
  ];
}

function contents({ files }: Manifest): Manifest['files'] {
  return files.filter(({ kind }) => kind !== 'proof');
}

function compareSegments(published: Manifest, rebuilt: Manifest): Problem[] {
  const all = ({ segments }: Manifest) =>
    Object.values(segments)
      .flat()
      .map(({ cycles, ...segment }) => ({ ...segment, cycles: cycles?.sha256 ?? 'not kept' }));
  return compareByName(all(rebuilt), all(published), ({ file }) => file, [
    'sha256',
    'first_row',
    'end_row',
    'from',
    'to',
    'cycles',
  ]);
}

function compareByName<T>(
  expected: readonly T[],
  found: readonly T[],
  name: (item: T) => string,
  members: readonly (keyof T)[],
): Problem[] {
  const rest = new Map(found.map((item) => [name(item), item]));
  const problems: Problem[] = [];
  for (const item of expected) {
    const other = rest.get(name(item));
    rest.delete(name(item));
    if (other) problems.push(...compareMembers(name(item), members, item, other));
    else problems.push({ place: name(item), expected: 'to be published', found: 'missing' });
  }
  return [
    ...problems,
    ...[...rest.keys()].map((place) => ({ place, expected: 'not to be published', found: 'published' })),
  ];
}

function compareMembers<T>(place: string, members: readonly (keyof T)[], expected: T, found: T): Problem[] {
  return members
    .filter((member) => expected[member] !== found[member])
    .map((member) => ({
      place: `${place} ${String(member)}`,
      expected: `${expected[member]}`,
      found: `${found[member]}`,
    }));
}

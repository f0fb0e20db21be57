import type { Finding } from '../errors.ts';
import type { Manifest } from '../release/format/manifest.ts';

/**
 * Everything that follows from the ledger. When a file first appeared, how it is compressed and who signed it follows from
 * publishing.
 */
const COMPARED = [
  'sha256',
  'bytes',
  'rows',
  'as_of',
  'media_type',
  'kind',
  'area',
  'restricted',
  'immutable',
] as const;

/** How a published manifest differs from one that was rebuilt from the ledger. */
export function compareManifests(published: Manifest, rebuilt: Manifest): Finding[] {
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

function compareSegments(published: Manifest, rebuilt: Manifest): Finding[] {
  const all = ({ segments }: Manifest) =>
    Object.values(segments)
      .flat()
      .map((segment) => ({ ...segment, events: segment.events?.sha256 ?? 'not kept' }));
  return compareByName(all(rebuilt), all(published), ({ file }) => file, [
    'sha256',
    'first_row',
    'end_row',
    'from',
    'to',
    'events',
  ]);
}

export function compareByName<T>(
  expected: readonly T[],
  found: readonly T[],
  name: (item: T) => string,
  members: readonly (keyof T)[],
): Finding[] {
  const rest = new Map(found.map((item) => [name(item), item]));
  const findings: Finding[] = [];
  for (const item of expected) {
    const other = rest.get(name(item));
    rest.delete(name(item));
    if (other) findings.push(...compareMembers(name(item), members, item, other));
    else findings.push(finding(name(item), 'to be published', 'missing'));
  }
  return [
    ...findings,
    ...[...rest.keys()].map((place) => finding(place, 'not to be published', 'published')),
  ];
}

export function compareMembers<T>(
  place: string,
  members: readonly (keyof T)[],
  expected: T,
  found: T,
): Finding[] {
  return members
    .filter((member) => expected[member] !== found[member])
    .map((member) => finding(`${place} ${String(member)}`, `${expected[member]}`, `${found[member]}`));
}

function finding(place: string, expected: string, found: string): Finding {
  return { code: 'release_invalid', place, expected, found };
}

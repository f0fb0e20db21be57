import { type DraftFile, type DraftManifest, sha256 } from '../../release/format/manifest.ts';
import type { ReadName, SiteFacts } from './open-program.ts';

const FACTS = {
  timestamp: ({ timestamp }) => timestamp,
  origin: ({ ledger }) => ledger.origin,
  snapshot: ({ ledger }) => ledger.snapshot,
  size: ({ ledger }) => String(ledger.size),
  root: ({ ledger }) => ledger.root,
  software: ({ software }) => software,
  inputs: ({ inputs }) => inputs,
  baseUrl: (_, { baseUrl }) => baseUrl,
  organisation: (_, { organisation }) => JSON.stringify(organisation),
  sourceCode: (_, { sourceCode = '' }) => sourceCode,
  checkpoints: (_, { checkpoints = [] }) => JSON.stringify(checkpoints),
} satisfies Record<string, (draft: DraftManifest, facts: SiteFacts) => string>;

type FactName = keyof typeof FACTS;

/** Gives the value of each name in a release. */
export function readValues(draft: DraftManifest, facts: SiteFacts): (name: ReadName) => string {
  const files = new Map(draft.files.map((file) => [file.path, entryText(file)]));
  const printed = new Set(facts.printed);
  const kinds: Record<string, (of: string) => string> = {
    file: (path) => files.get(path) ?? '',
    has: (path) => String(files.has(path) || printed.has(path)),
    paths: (prefix) => [...files.keys()].filter((path) => path.startsWith(prefix)).join('\n'),
    files: () => sha256([...files.values()].join('\n')),
    paper: (id) => facts.papers?.get(id) ?? '',
    fact: (name) => FACTS[name as FactName]?.(draft, facts) ?? '',
  };
  const known = new Map<ReadName, string>();
  return (name) => {
    let value = known.get(name);
    if (value === undefined) {
      const [, kind = '', of = ''] = /^(\w+) ?(.*)$/.exec(name) ?? [];
      value = kinds[kind]?.(of) ?? '';
      known.set(name, value);
    }
    return value;
  };
}

/** Members in one order: an entry that was taken over has another than one that was written. */
function entryText({ encodings: { br, gzip }, ...file }: DraftFile): string {
  const members = Object.entries(file).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([members, br?.sha256, br?.bytes, gzip?.sha256, gzip?.bytes]);
}

/**
 * Of the pages of an archive, whose files grow with every release, only those are rendered again that new rows touch. So they do not
 * depend on the files as wholes, nor on the time of the release.
 */
export function withoutData(names: readonly ReadName[]): ReadName[] {
  return names.filter((name) => /^(has|fact (software|baseUrl|organisation|sourceCode)$)/.test(name));
}

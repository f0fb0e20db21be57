import { z } from 'zod';
import { address, hasScheme, text, withoutPassword } from './setting.ts';

/** Where a ledger is: a folder, the database and bucket of many machines, or a source that is imported into a folder first. */
export type LedgerSource = { kind: 'directory'; path: string } | { kind: 'store' } | RemoteSource;
export type RemoteSource =
  | { kind: 'civic'; url: string }
  | { kind: 'postgres'; url: string }
  | { kind: 'ndjson' | 'csv'; path: string };

/** `ndjson+file:/srv/votes.ndjson`: a file that is followed; also with `//` before an absolute path. */
export const FILE_SOURCE = /^(ndjson|csv)\+file:(?:\/\/(?=\/))?(.+)$/s;

/** Also `json+file:x` and `csv:x`, which are not taken for paths. */
export const FILE_ADDRESS = /^([a-z]+\+file|file|csv|tsv|ndjson|jsonl?|xlsx?):/;

/** The ledger that another machine shares. */
export const SHARED_LEDGER = 'store:';

/** The addresses of sources, each with what its `url` is. The source checks the rest. */
const REMOTE: readonly (readonly ['civic' | 'postgres', RegExp, z.ZodType<string>])[] = [
  ['civic', /^civic\+(https?:\/\/.+?)\/*$/, address],
  ['postgres', /^(postgres(?:ql)?:\/\/.+)$/, text.refine((value) => URL.canParse(value))],
];

export const ledgerSource = text.transform((value, context): LedgerSource => {
  if (value === SHARED_LEDGER) return { kind: 'store' };
  const [, kind, path] = FILE_SOURCE.exec(value) ?? [];
  if (path !== undefined) return { kind: kind as 'ndjson' | 'csv', path };
  if (!hasScheme(value) && !FILE_ADDRESS.test(value)) return { kind: 'directory', path: value };
  for (const [kind, pattern, schema] of REMOTE) {
    const url = pattern.exec(value)?.[1];
    if (url !== undefined && schema.safeParse(url).success) return { kind, url };
  }
  context.addIssue({ code: 'custom', message: 'an address of another form' });
  return z.NEVER;
});

/** For messages: never with a password. */
export function nameOfSource(source: LedgerSource): string {
  if (source.kind === 'directory') return source.path;
  if (source.kind === 'store') return SHARED_LEDGER;
  return 'url' in source ? withoutPassword(source.url) : `${source.kind}+file:${source.path}`;
}

/** The folder of a ledger; of any other source, the folder that has it on this machine. */
export function ledgerFolder(source: LedgerSource, { importFolder }: { importFolder: string }): string {
  return source.kind === 'directory' ? source.path : importFolder;
}

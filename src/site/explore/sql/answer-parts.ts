import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { versionAddress } from '../../files/versions/wanted-version.ts';
import { codePart, linkPart, type Part, part, tablePart } from '../../layout/worker-parts.ts';
import type { QueryResult } from './engine.ts';
import { sqlAddress } from './limits.ts';

/** A file that the result follows from. */
export interface ReadFile {
  path: string;
  snapshot: string;
  /** Compared with the snapshot's index, which has the hash that the list states. */
  sha256: string;
  bytes: number;
}

/** What the page shows of a query. */
export interface SqlAnswer {
  /** In one line. */
  words: string;
  parts: readonly Part[];
  /** The whole result to save, and the address that repeats it; null where there is none. */
  result: { csv: Blob; permanent: string } | null;
}

/** Why there is no result: what is asked for cannot be. `near`: snapshots of which it can. */
export function refusal(
  words: string,
  message: string,
  sql: string,
  near: readonly string[] = [],
): SqlAnswer {
  const links = near.map((id) => linkPart(`As of ${id}`, sqlAddress(sql, id)));
  const note = part(
    'div',
    { class: 'missing', role: 'alert' },
    part('p', {}, words),
    codePart(words, message),
    ...(links.length > 0 ? [part('p', { class: 'buttons' }, ...links)] : []),
  );
  return { words: '', parts: [note], result: null };
}

interface Answered {
  sql: string;
  result: QueryResult;
  files: readonly ReadFile[];
  ms: number;
  /** Of DuckDB. */
  version: string;
}

export function answerOf({ sql, result, files, ms, version }: Answered): SqlAnswer {
  const { rows, stopped, columns, numbers, shown, csv } = result;
  const time = ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
  const snapshot = files.reduce((last, file) => (file.snapshot > last ? file.snapshot : last), '');
  const permanent = `${location.origin}${sqlAddress(sql, snapshot)}`;
  const cut = `The result was cut off at ${stopped}. The saved file has ${formatCount(rows, 'row')}. Add a LIMIT or a WHERE.`;
  const more = `The table shows the first ${formatNumber(shown.length)} rows; the saved file has all ${formatNumber(rows)}.`;
  const notes = [...(stopped === null ? [] : [cut]), ...(shown.length < rows ? [more] : [])];
  return {
    words: `${formatCount(rows, 'row')} in ${time}${stopped === null ? '' : ', then stopped'}.`,
    parts: [
      ...notes.map((words) => part('p', { class: 'missing' }, words)),
      tablePart('The result', columns, shown, { numbers, id: 'sql-result' }),
      part('div', { class: 'sql-provenance' }, ...provenance(files, version, permanent)),
    ],
    result: { csv, permanent },
  };
}

/** What the result follows from, so that others can repeat it. */
function provenance(files: readonly ReadFile[], version: string, permanent: string): Part[] {
  if (files.length === 0) return [part('p', {}, 'The query read no file.')];
  const items = files.map(({ path, snapshot, sha256, bytes }) => {
    const link = linkPart(`/${path}`, versionAddress(path, snapshot));
    return part(
      'li',
      {},
      link,
      ` as of ${snapshot}, ${formatBytes(bytes)}, SHA-256 `,
      part('code', {}, sha256),
    );
  });
  const words = `DuckDB ${version} read ${files.length === 1 ? 'this file' : 'these files'}, whole; the SHA-256 of each was computed here and is the one in the snapshot’s index:`;
  return [
    part('p', {}, words),
    part('ul', {}, ...items),
    part('p', {}, 'The same query on the same files: ', linkPart('permanent link', permanent), '.'),
  ];
}

import { mismatchError } from '../findings.ts';
import type { Origin } from '../origin.ts';
import { type ChangedMember, changedMembers } from './changed-members.ts';
import { continues, type FileVersion, type Progress, readNewRows, readVersion } from './file-version.ts';

/** What differs between two versions of a file, both of which were verified. */
export type Comparison =
  | { kind: 'same' }
  /** `header`: of the table, where it is another one. Newest rows first. */
  | { kind: 'rows'; added: string[]; removed: string[]; header: ChangedMember[] }
  | { kind: 'members'; changed: ChangedMember[] }
  /** Not text with rows or members: a PDF. */
  | { kind: 'bytes' };

/** The longest text that is compared line by line. What a history adds is shorter than the history. */
const LONGEST_TEXT = 64 << 20;

/**
 * Compares two versions of a file. A history of which both have the same rows at the end is read once, and only its new rows are kept.
 * Throws mirror_mismatch and mirror_unreachable.
 */
export async function compareVersions(
  origin: Origin,
  newer: FileVersion,
  older: FileVersion,
  progress: Progress,
): Promise<Comparison> {
  const type = newer.file.media_type;
  const isJson = /\bjson$/.test(type);
  if (newer.file.sha256 === older.file.sha256) return { kind: 'same' };
  if (continues(newer, older)) {
    const text = await textIn(await readNewRows(origin, newer, older, progress), newer);
    const added = isJson ? elementsIn(text) : recordsIn(text);
    return { kind: 'rows', added, removed: [], header: headerChanges(newer, older, isJson) };
  }
  if (!isJson && !/^text\//.test(type) && !/bibtex/.test(type)) {
    for (const one of [newer, older]) await readVersion(origin, one, progress);
    return { kind: 'bytes' };
  }
  const texts: string[] = [];
  for (const one of [newer, older]) texts.push(await textIn(await readVersion(origin, one, progress), one));
  const [now, before] = texts as [string, string];
  if (isJson) return { kind: 'members', changed: changedMembers(JSON.parse(before), JSON.parse(now)) };
  const [rows, rowsBefore] = [recordsIn(now), recordsIn(before)];
  return { kind: 'rows', added: without(rows, rowsBefore), removed: without(rowsBefore, rows), header: [] };
}

async function textIn(blob: Blob, { file }: FileVersion): Promise<string> {
  if (blob.size <= LONGEST_TEXT) return blob.text();
  throw mismatchError(`/${file.path}`, `at most ${LONGEST_TEXT} bytes to compare`, `${blob.size}`);
}

/** The members of a JSON file around its rows, or the first line of a table. */
function headerChanges(newer: FileVersion, older: FileVersion, isJson: boolean): ChangedMember[] {
  const heads = [older, newer].map(({ file }) => ('head' in file ? file.head : ''));
  if (heads[0] === heads[1]) return [];
  if (!isJson) return [{ path: 'header', before: heads[0]!.trimEnd(), now: heads[1]!.trimEnd() }];
  const [before, now] = heads.map(closed);
  return changedMembers(before, now);
}

/** A JSON text up to its first row, closed: `{"timestamp":"…","decisions":[`. */
function closed(head: string): unknown {
  for (const end of [']}', ']', '}'])
    try {
      return JSON.parse(head + end);
    } catch {}
  return head;
}

/** The elements of a part of a list, `{…},\n{…},`. */
export function elementsIn(text: string): string[] {
  const list = JSON.parse(`[${text.replace(/^[\s,]+|[\s,]+$/g, '')}]`) as unknown[];
  return list.map((element) => JSON.stringify(element));
}

/** The records of a CSV text; a quoted field may have a line end in it. */
export function recordsIn(text: string): string[] {
  const records: string[] = [];
  let begun = '';
  for (const line of text.split('\n')) {
    begun += begun === '' ? line : `\n${line}`;
    const isWhole = (begun.split('"').length - 1) % 2 === 0;
    if (!isWhole) continue;
    if (begun !== '') records.push(begun.replace(/\r$/, ''));
    begun = '';
  }
  if (begun !== '') records.push(begun);
  return records;
}

/** The lines that another text lacks, or has less often, in order. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}

import { printable } from '../../../pipeline/attestation/printable.ts';
import type { FileVerdict } from './verify-files.ts';

const MARKS = { passed: 'ok', failed: 'FAILED', warning: 'WARNING', not_checked: '-' } as const;

/** For people. */
export function formatVerdict(verdict: FileVerdict): string {
  const { file, valid, summary, status, id, uuid, checks, problems } = verdict;
  const lines = [`${file}: ${valid ? 'VALID' : 'NOT VALID'} (${status})`, `  ${summary}`];
  if (id !== null) lines.push(`  id    ${id}`, `  uuid  ${uuid}`);
  for (const { name, result, detail } of checks)
    lines.push(`  ${MARKS[result].padEnd(8)} ${name.padEnd(13)} ${detail}`);
  for (const { code, pointer } of problems)
    lines.push(`  because  ${code} at ${pointer === '' ? 'the whole document' : pointer}`);
  return lines.map(printable).join('\n');
}

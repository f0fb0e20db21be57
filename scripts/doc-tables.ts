import { formatTable } from '../pipeline/artifacts/data-dictionary.ts';
import { PROBLEMS } from '../pipeline/attestation/problem.ts';
import { WARNINGS } from '../pipeline/ledger/check/findings.ts';
import { LOG_FAULTS } from '../src/sidecar/access-log/verify-access-log.ts';
import { UPGRADE_PROBLEMS } from '../src/sidecar/simulation/reject-upgrade.ts';
import { SIMULATION_PROBLEMS } from '../src/simulation/fault.ts';
import { CLOSE_CODES } from '../src/simulation/protocol/problems.ts';

/** The first table of a section whose rows the code declares. The text around it is written by people. */
interface DocTable {
  doc: string;
  /** Its heading without the number signs. */
  section: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

const meanings = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).map(([code, meaning]) => [`\`${code}\``, meaning]);
const problems = (table: Readonly<Record<string, { status: number; meaning: string }>>) =>
  Object.entries(table).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]);

const TABLES: readonly DocTable[] = [
  {
    doc: 'attestations.md',
    section: 'Problem codes',
    columns: ['code', 'meaning'],
    rows: meanings(PROBLEMS),
  },
  { doc: 'access-log.md', section: 'Verify', columns: ['fault', 'meaning'], rows: meanings(LOG_FAULTS) },
  { doc: 'ledger.md', section: 'Check a ledger', columns: ['warning', 'meaning'], rows: meanings(WARNINGS) },
  {
    doc: 'simulation-protocol.md',
    section: 'Refused messages',
    columns: ['code', 'status', 'when'],
    rows: problems(SIMULATION_PROBLEMS),
  },
  {
    doc: 'simulation-protocol.md',
    section: 'Refused connections',
    columns: ['code', 'status', 'when'],
    rows: problems(UPGRADE_PROBLEMS),
  },
  {
    doc: 'simulation-protocol.md',
    section: 'Close codes',
    columns: ['code', 'why'],
    rows: Object.entries(CLOSE_CODES),
  },
];

/** The documents of `docs/` that have such tables. */
export const DOCS_WITH_TABLES = [...new Set(TABLES.map(({ doc }) => doc))];

/** The text of a document with its tables as the code declares them. */
export function withTables(doc: string, text: string): string {
  return TABLES.filter((table) => table.doc === doc).reduce(withTable, text);
}

function withTable(text: string, { doc, section, columns, rows }: DocTable): string {
  const parts = text.split(/^(?=##+ )/m);
  const at = parts.findIndex((part) => part.split('\n', 1)[0]!.replace(/^#+ /, '') === section);
  const table = /^\|.*\n(?:\|.*\n)+/m;
  if (at < 0 || !table.test(parts[at]!)) throw new Error(`docs/${doc}: expected a table below “${section}”`);
  parts[at] = parts[at]!.replace(table, () => `${formatTable(columns, rows).join('\n')}\n`);
  return parts.join('');
}

import { formatTable } from '../pipeline/artifacts/data-dictionary.ts';
import { PROBLEMS } from '../pipeline/attestation/problem.ts';
import { ERROR_CODES, type ErrorCode, exitOf } from '../pipeline/errors.ts';
import { WARNINGS } from '../pipeline/ledger/check/findings.ts';
import { formatMappingSchema } from '../pipeline/sources/rows/mapping-file.ts';
import { CHECKS } from '../pipeline/verify/checks.ts';
import { ExportQuery } from '../src/api/query/export-query.ts';
import { TIERS } from '../src/api/tiers.ts';
import { LOG_FAULTS } from '../src/sidecar/access-log/verify-access-log.ts';
import { UPGRADE_PROBLEMS } from '../src/sidecar/simulation/reject-upgrade.ts';
import { SIMULATION_PROBLEMS } from '../src/simulation/fault.ts';
import { CLOSE_CODES } from '../src/simulation/protocol/problems.ts';
import { licencesOfDependencies } from './licences.ts';

/** The first table of a section whose rows the code declares. The text around it is written by people. */
interface DocTable {
  doc: string;
  /** Its heading without the number signs. */
  section: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** The name of a last column that people write: what it says of a row stays with the row's first cell. */
  byHand?: string;
}

const meanings = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).map(([code, meaning]) => [`\`${code}\``, meaning]);
const problems = (table: Readonly<Record<string, { status: number; meaning: string }>>) =>
  Object.entries(table).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]);

/** What a reader has to have for a check; what else it needs, an earlier check establishes. */
const NEEDED: Readonly<Record<string, string>> = {
  disk: 'a folder',
  'earlier release': 'an earlier release',
  'earlier checkpoint': 'an earlier checkpoint',
  policy: 'a policy',
};

interface Member {
  description?: string;
  enum?: string[];
  properties?: MappingSchema['properties'];
}
interface MappingSchema {
  properties: Record<string, Member>;
  $defs: { source: { anyOf: Partial<MappingSchema>[] } };
}
const mapping: MappingSchema = JSON.parse(formatMappingSchema());
const column = mapping.$defs.source.anyOf.find(({ properties }) => properties?.column)!.properties!;

/** Rows of members of a mapping file, and of the objects in them. */
function members(properties: MappingSchema['properties'], prefix = ''): string[][] {
  return Object.entries(properties).flatMap(
    ([name, { description = '', enum: values = [], properties: inner }]) => {
      const words = values.filter((value) => /^\w+$/.test(value)).map((value) => `\`${value}\``);
      return [
        [`\`${prefix}${name}\``, words.length > 0 ? `${words.join(', ')}. ${description}` : description],
        ...members(inner ?? {}, `${prefix}${name}.`),
      ];
    },
  );
}

const TABLES: readonly DocTable[] = [
  {
    doc: 'dependencies.md',
    section: 'Licences',
    columns: ['licence', 'packages', 'which'],
    rows: licencesOfDependencies().map(([licence, names]) => [licence, `${names.length}`, names.join(', ')]),
  },
  {
    doc: 'attestations.md',
    section: 'Problem codes',
    columns: ['code', 'meaning'],
    rows: meanings(PROBLEMS),
  },
  {
    doc: 'access.md',
    section: 'Tiers',
    columns: ['tier', 'areas', 'lasts'],
    rows: Object.entries(TIERS).map(([tier, { areas, days }]) => [
      `\`${tier}\``,
      areas.join(', '),
      `${days} days`,
    ]),
    byHand: 'needs, and requests a day',
  },
  {
    doc: 'access.md',
    section: 'Verify, export and expire',
    columns: ['fault', 'meaning'],
    rows: meanings(LOG_FAULTS),
  },
  { doc: 'ledger.md', section: 'Check a ledger', columns: ['warning', 'meaning'], rows: meanings(WARNINGS) },
  {
    doc: 'troubleshooting.md',
    section: 'Error codes',
    columns: ['code', 'exit', 'meaning'],
    rows: (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => [
      `\`${code}\``,
      String(exitOf({ code })),
      ERROR_CODES[code],
    ]),
    byHand: 'what to do',
  },
  {
    doc: 'mapping.md',
    section: 'The mapping file',
    columns: ['member', 'what it says'],
    rows: members(mapping.properties),
  },
  {
    doc: 'mapping.md',
    section: 'A column',
    columns: ['member', 'what it says'],
    // What the file says of all columns, a column says for itself.
    rows: members(column).filter(([name]) => !members(mapping.properties).some(([other]) => other === name)),
  },
  {
    doc: 'export.md',
    section: 'Parameters',
    columns: ['parameter', 'what it is', 'example'],
    rows: Object.entries(ExportQuery.in.shape).map(([name, parameter]) => {
      const { description = '', example = '' } = parameter.meta() ?? {};
      return [`\`${name}\``, description, `\`${example}\``];
    }),
  },
  {
    doc: 'verification.md',
    section: 'A release or a copy',
    columns: ['check', 'needs', 'proves'],
    rows: CHECKS.map(({ name, needs, proves }) => [
      `\`${name}\``,
      needs.flatMap((need) => NEEDED[need] ?? []).join(', '),
      proves,
    ]),
  },
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

function withTable(text: string, { doc, section, columns, rows, byHand }: DocTable): string {
  const parts = text.split(/^(?=##+ )/m);
  const at = parts.findIndex((part) => part.split('\n', 1)[0]!.replace(/^#+ /, '') === section);
  const [old] = /^\|.*\n(?:\|.*\n)+/m.exec(parts[at] ?? '') ?? [];
  if (old === undefined) throw new Error(`docs/${doc}: expected a table below “${section}”`);
  const lines = byHand
    ? formatTable(
        [...columns, byHand],
        rows.map((row) => [...row, written(old, row[0]!)]),
      )
    : formatTable(columns, rows);
  parts[at] = parts[at]!.replace(old, () => `${lines.join('\n')}\n`);
  return parts.join('');
}

/** The last cell of the row that begins with this one; empty for a new row. */
function written(table: string, first: string): string {
  const row = table.split('\n').find((line) => line.startsWith(`| ${first} |`));
  return (
    row
      ?.split(/(?<!\\)\|/)
      .at(-2)
      ?.trim()
      .replaceAll('\\|', '|') ?? ''
  );
}

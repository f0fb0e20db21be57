import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';
import type { PublishedFile } from '../../../pipeline/artifacts/published-files.ts';

/** Enough to see what a list is of. */
const ITEMS = 2;

/** The same value with no more than the first items of each list, so that a whole file can stand as an example. */
function trimExample(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS).map(trimExample);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, trimExample(member)]));
}

/** The header and the first rows of a CSV text, of whole lines only; a line end inside a cell ends no row. */
function trimTable(text: string, rows: number): string {
  let isQuoted = false;
  let lines = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    if (text[index] !== '\n' || isQuoted) continue;
    lines += 1;
    if (lines === rows + 1) return text.slice(0, index + 1);
  }
  return text.slice(0, text.lastIndexOf('\n') + 1);
}

/**
 * What restricted files look like, by path: invented, for nothing of such a file may stand in a public document. A test
 * checks each against its file's schema.
 */
export const RESTRICTED_EXAMPLES: Readonly<Record<string, unknown>> = {
  'government/compliance-report.json': {
    timestamp: '2025-12-01T05:58:12Z',
    compliance_status: 'compliant',
    jurisdictions: {
      USA: {
        SEC: 'utility_token',
        CFTC: 'compliant',
        Federal_Reserve_Act: 'compatible',
        last_audit: '2025-11-15',
      },
      EU: { GDPR: 'compliant', AI_Act: 'high_risk_compliant', MiCA: 'compliant', last_audit: '2025-11-10' },
      UK: { FCA: 'compliant', Data_Protection_Act: 'compliant', last_audit: '2025-10-30' },
      International: { Basel_III: 'compatible', FATF: 'compliant', last_audit: null },
    },
    next_audit: '2026-02-15',
  },
  'government/policy-impact.json': {
    timestamp: '2025-12-01T05:58:12Z',
    projections: [
      {
        policy: 'An invented policy',
        economic_impact: {
          debt_reduction_annual: '0.2 % of the budget',
          gdp_impact: '+0.1 %',
          job_creation: '12,000 in three years',
        },
        social_impact: {
          access_improvement: 'Two more offices in each region',
          equity_impact: 'Spread evenly over the regions',
          transparency: 'Quarterly figures are published',
        },
        risks: [{ risk: 'Uneven uptake', severity: 'medium', mitigation: 'A staged start' }],
        timeline: 'Three years',
      },
    ],
  },
};

/** Where examples are taken from. It has no way to a restricted file. */
export interface PublicFiles {
  /** A whole JSON file. */
  read(file: PublishedFile): unknown;
  /** The first bytes of a text. */
  head(path: string, bytes: number): string;
}

/** Enough for some rows of any table, and for an entry of a bibliography. */
const HEAD_BYTES = 16_384;
const ROWS = 3;

/** The beginning of a file as it is published, or something invented for what needs a key; undefined for what is not text. */
export function exampleOf(artifact: Artifact, files: PublicFiles): unknown {
  const { path, mediaType, restricted, kind } = artifact;
  if (restricted) return RESTRICTED_EXAMPLES[path];
  if (kind === 'printed') return undefined;
  if (mediaType === 'application/json') return trimExample(files.read(artifact));
  const head = files.head(path, HEAD_BYTES);
  return mediaType.startsWith('text/csv') ? trimTable(head, ROWS) : firstEntry(head);
}

/** Of a BibTeX text: up to the brace that stands alone. */
function firstEntry(text: string): string {
  const end = text.indexOf('\n}\n');
  return end < 0 ? text : text.slice(0, end + '\n}\n'.length);
}

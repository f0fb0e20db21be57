import type { Area } from '../../../../pipeline/artifacts/artifact.ts';
import { standards as standardsFile } from '../../../../pipeline/artifacts/diplomacy/standards.ts';
import { treatyFramework } from '../../../../pipeline/artifacts/diplomacy/treaty-framework.ts';
import type { Changes } from '../../../../pipeline/forms/changes/changes-between.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';
import { type Section, sectionsOf } from '../changes/change-report.ts';
import type { SiteRelease } from '../release.ts';

/** The charts of a briefing, those of its portal: one for the first page, one for the second. */
export const BRIEFING_CHARTS: Readonly<Record<Area, readonly string[]>> = {
  government: ['uptime', 'compliance'],
  economy: ['supply', 'mii'],
  academics: ['coordination-history', 'events'],
  philosophy: ['consensus', 'virtues'],
  diplomacy: [],
};

/** Rows of what the portal is about, and of everything else. More would need a third page. */
const MOST_OWN = 5;
const MOST_OTHER = 3;

/** What happened, by id of the section. Deliberations end in decisions, so only portals that are about them list both. */
const HAPPENED = ['decisions', 'deliberations', 'multipliers', 'outages', 'alerts', 'audits'];
const OWN_ONLY = 'deliberations';
/** Characters of a cell, so that a row takes one line. */
const LONGEST_CELL = 98;

interface BriefingSections {
  figures: Section[];
  /** What happened, that of the area first. */
  happened: { section: Section; most: number }[];
  /** A sentence for each kind of thing that did not happen. */
  quiet: string[];
}

/** The parts of a briefing that follow from what changed. */
export function briefingSections(changes: Changes | null, area: Area): BriefingSections {
  if (!changes) return { figures: [], happened: [], quiet: [] };
  const figures = sectionsOf(changes, area)
    .filter(({ id, lines }) => (id === 'figures' || id === 'counted') && lines.length > 0)
    // The heading of the page says between which days.
    .map(({ note: _, ...section }) => section);
  const isOwn = ({ areas }: Section) => areas.includes(area);
  const shown = sectionsOf(changes)
    .filter((section) => HAPPENED.includes(section.id) && (section.id !== OWN_ONLY || isOwn(section)))
    .map(inShort);
  const happened = shown
    .filter(({ lines }) => lines.length > 0)
    .map((section) => ({ section, most: isOwn(section) ? MOST_OWN : MOST_OTHER }))
    .sort((a, b) => b.most - a.most);
  const quiet = shown.filter(({ lines }) => lines.length === 0).map(({ empty }) => empty);
  return { figures, happened, quiet };
}

/** Rows of a table of documents. */
export const MOST_DOCUMENTED = 16;

/** The tables of a briefing without charts: one for the first page, one for the second. */
export function documentSections(release: SiteRelease): [Section, Section] {
  const treaty = release.read(treatyFramework);
  const { standards, title, version } = release.read(standardsFile);
  const common = { areas: [], linked: 1, numbers: [], empty: 'There is none yet.' };
  return [
    inShort({
      ...common,
      id: 'obligations',
      title: `Obligations of the ${treaty.title}, ${treaty.version}`,
      columns: ['Id', 'What a party promises'],
      lines: treaty.obligations.map(({ id, what }) => ({
        cells: [id, what],
        href: `/files/${treatyFramework.path}/`,
      })),
    }),
    inShort({
      ...common,
      id: 'standards',
      title: `${title}, ${version}`,
      columns: ['Id', 'Standard', 'Clauses'],
      numbers: [2],
      lines: standards.map(({ id, title, clauses }) => ({
        cells: [id, title, formatNumber(clauses.length)],
        href: `/files/${standardsFile.path}/`,
      })),
    }),
  ];
}

/** Texts of the ledger can be pages long. */
function inShort({ note: _, ...section }: Section): Section {
  const lines = section.lines.map(({ cells, href }) => ({ cells: cells.map(cut), href }));
  return { ...section, lines };
}

function cut(text: string): string {
  if (text.length <= LONGEST_CELL) return text;
  const start = text.slice(0, LONGEST_CELL);
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), LONGEST_CELL / 2)).replace(/[\uD800-\uDBFF]$/, '')} …`;
}

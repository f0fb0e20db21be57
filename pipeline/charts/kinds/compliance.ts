import { transparency } from '../../artifacts/government/transparency.ts';
import { timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatSome } from '../../words/number.ts';
import { capitalise, formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { isOverdue } from '../drawing/days.ts';

export const compliance = defineChart({
  id: 'compliance',
  area: 'government',
  name: 'Compliance',
  sources: [transparency],
  controls: [],
  missing: {
    nothing: 'No audit has been recorded or scheduled yet.',
    types: ['compliance_audited', 'audit_scheduled'],
    wholeDays: false,
  },
  prepare(files) {
    const { timestamp: asOf, compliance, outlook } = files.read(transparency);
    const next = new Map(outlook.next_audits.map(({ jurisdiction, date }) => [jurisdiction, date]));
    const jurisdictions = Object.entries(compliance.jurisdictions).map(([name, standing]) => {
      const next_audit = next.get(name) ?? null;
      return { name, ...standing, next_audit, overdue: next_audit !== null && isOverdue(next_audit, asOf) };
    });
    return { jurisdictions, status: compliance.status, asOf };
  },
  asOf: ({ asOf }) => asOf,
  isMissing: ({ jurisdictions }) =>
    jurisdictions.every(({ last_audit, next_audit }) => last_audit === null && next_audit === null),
  view: ({ jurisdictions, status, asOf }) => ({
    title: 'Compliance by jurisdiction, with the last and the next audit',
    unit: 'The worst status of each jurisdiction’s regimes, as of its last audit',
    ...tableOf(jurisdictions, [
      ['jurisdiction', 'Jurisdiction', '', ({ name }) => name],
      ['status', 'Status'],
      ['last_audit', 'Last audit'],
      ['next_audit', 'Next audit'],
      [
        'overdue',
        'Overdue',
        '',
        ({ next_audit, overdue }) => (next_audit === null ? null : overdue ? 'yes' : 'no'),
      ],
    ]),
    finding: () => finding(jurisdictions),
    says: () => [`Overall: ${formatToken(status)}.`, ...auditWords(jurisdictions)].join(' '),
    note: () =>
      'The status under each regime is in government/compliance-report.json, which needs a government key.',
    mark: () => ({
      kind: 'dots',
      axis: 'days',
      texts: 'By jurisdiction',
      key: [
        { text: 'Last audit', colour: 'subject', shape: 'circle' },
        { text: 'Next audit', colour: 'muted', shape: 'ring' },
        { text: 'Overdue audit', colour: 'contrast', shape: 'ring' },
      ],
      rule: { at: timeOfDay(asOf.slice(0, 10)), text: 'As-of day' },
      rows: jurisdictions.map(({ name, status, last_audit, next_audit, overdue }) => ({
        label: name,
        full: last_audit === null ? null : { at: timeOfDay(last_audit), colour: 'subject' },
        ring:
          next_audit === null ? null : { at: timeOfDay(next_audit), colour: overdue ? 'contrast' : 'muted' },
        text: capitalise(formatToken(status)),
        colour: status === 'not_audited' ? 'muted' : status === 'non_compliant' ? 'contrast' : 'ink',
      })),
    }),
  }),
});

/** How many are compliant, of those that were audited; what is overdue is worth a title before that. */
function finding(
  jurisdictions: readonly { name: string; status: string; overdue: boolean }[],
): string | null {
  const overdue = jurisdictions.filter((one) => one.overdue).length;
  const audited = jurisdictions.filter(({ status }) => status !== 'not_audited');
  const compliant = audited.filter(({ status }) => status === 'compliant').length;
  const [only] = audited;
  if (!only) return null;
  const standing =
    audited.length === 1
      ? `${only.name} is ${formatToken(only.status)}`
      : `${formatSome(compliant, audited.length, 'audited jurisdictions', ['is', 'are'])} compliant`;
  return overdue === 0
    ? standing
    : `${standing}; ${formatCount(overdue, 'audit')} ${overdue === 1 ? 'is' : 'are'} overdue`;
}

/** The audits that are overdue, and the next one. */
function auditWords(
  jurisdictions: readonly { name: string; next_audit: string | null; overdue: boolean }[],
): string[] {
  const scheduled = jurisdictions
    .flatMap(({ name, next_audit: day, overdue }) => (day === null ? [] : [{ name, day, overdue }]))
    .sort((a, b) => (a.day < b.day ? -1 : 1));
  const next = scheduled.find(({ overdue }) => !overdue);
  return [
    ...scheduled
      .filter(({ overdue }) => overdue)
      .map(({ name, day }) => `The ${name} audit is overdue: it was scheduled for ${formatDay(day)}.`),
    ...(next ? [`The next audit (${next.name}) is on ${formatDay(next.day)}.`] : []),
    ...(scheduled.length === 0 ? ['No audit is scheduled.'] : []),
  ];
}

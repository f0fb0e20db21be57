import { transparency } from '../../artifacts/government/transparency.ts';
import { addDays, timeOfDay } from '../../words/day.ts';
import { formatDay } from '../../words/moment.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { capitalise, formatList, formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { isOverdue } from '../drawing/days.ts';
import { element } from '../drawing/element.ts';
import {
  BOLD,
  clipText,
  LABEL_SIZE,
  type LegendItem,
  label,
  legend,
  legendHeight,
  TICK_SIZE,
  textWidth,
} from '../drawing/label.ts';
import { type Plot, widthOf } from '../drawing/plot.ts';
import { type ChartTheme, THEMES } from '../drawing/theme.ts';
import { AXIS_HEIGHT, timeAxis, timeScale } from '../drawing/time-frame.ts';

interface Jurisdiction {
  name: string;
  status: string;
  last_audit: string | null;
  next_audit: string | null;
}

interface Shown {
  jurisdictions: readonly Jurisdiction[];
  status: string;
  today: string;
}

const ROW = 40;
const SYMBOL = 6;
const AS_OF = 'As-of day';

export const compliance = defineChart<Shown & { asOf: string }, Shown>({
  id: 'compliance',
  area: 'government',
  name: 'Compliance',
  sources: [transparency],
  controls: [],
  prepare(files) {
    const { timestamp, compliance, outlook } = files.read(transparency);
    const next = new Map(outlook.next_audits.map(({ jurisdiction, date }) => [jurisdiction, date]));
    const jurisdictions = Object.entries(compliance.jurisdictions).map(([name, standing]) => ({
      name,
      ...standing,
      next_audit: next.get(name) ?? null,
    }));
    return { jurisdictions, status: compliance.status, today: timestamp.slice(0, 10), asOf: timestamp };
  },
  asOf: ({ asOf }) => asOf,
  show: ({ jurisdictions, status, today }) => ({ jurisdictions, status, today }),
  isEmpty: ({ jurisdictions }) => jurisdictions.length === 0,
  isMissing: ({ jurisdictions }) =>
    jurisdictions.every(({ last_audit, next_audit }) => last_audit === null && next_audit === null),
  missing: {
    nothing: 'No audit has been recorded or scheduled yet.',
    types: ['compliance_audited', 'audit_scheduled'],
    wholeDays: false,
  },
  title: () => 'Compliance by jurisdiction, with the last and the next audit',
  finding,
  unit: () => 'The worst status of each jurisdiction’s regimes, as of its last audit',
  note: () =>
    'The status under each regime is in government/compliance-report.json, which needs a government key.',
  summary({ jurisdictions, status, today }) {
    const words = jurisdictions.map(({ name, status }) => `${name} ${formatToken(status)}`);
    const unaudited = jurisdictions.filter(({ last_audit }) => last_audit === null).map(({ name }) => name);
    const scheduled = jurisdictions
      .filter(({ next_audit }) => next_audit !== null)
      .sort((a, b) => (a.next_audit! < b.next_audit! ? -1 : 1));
    const overdue = scheduled.filter(({ next_audit }) => isOverdue(next_audit!, today));
    const next = scheduled[overdue.length];
    return [
      `Overall: ${formatToken(status)}. By jurisdiction: ${formatList(words)}.`,
      ...(unaudited.length > 0 ? [`Not audited yet: ${formatList(unaudited)}.`] : []),
      ...overdue.map(
        ({ name, next_audit }) =>
          `The audit of ${name} is overdue: it was scheduled for ${formatDay(next_audit!)}.`,
      ),
      ...(next
        ? [`The next audit that is scheduled is that of ${next.name}, on ${formatDay(next.next_audit!)}.`]
        : scheduled.length === 0
          ? ['No audit is scheduled.']
          : []),
    ];
  },
  table: ({ jurisdictions, today }) => ({
    columns: [
      { name: 'jurisdiction', title: 'Jurisdiction', unit: '' },
      { name: 'status', title: 'Status', unit: '' },
      { name: 'last_audit', title: 'Last audit', unit: '' },
      { name: 'next_audit', title: 'Next audit', unit: '' },
      { name: 'overdue', title: 'Overdue', unit: '' },
    ],
    rows: jurisdictions.map(({ name, status, last_audit, next_audit }) => [
      name,
      status,
      last_audit,
      next_audit,
      next_audit === null ? null : isOverdue(next_audit, today) ? 'yes' : 'no',
    ]),
  }),
  plotHeight: ({ jurisdictions }, width) =>
    legendHeight(keyOf(THEMES.light), width) + 20 + jurisdictions.length * ROW + AXIS_HEIGHT,
  plot,
});

/** How many are compliant, of those that were audited; what is overdue is worth a title before that. */
function finding({ jurisdictions, today }: Shown): string | null {
  const overdue = jurisdictions.filter(
    ({ next_audit }) => next_audit !== null && isOverdue(next_audit, today),
  );
  const audited = jurisdictions.filter(({ status }) => status !== 'not_audited');
  const compliant = audited.filter(({ status }) => status === 'compliant');
  if (audited.length === 0) return null;
  const [only] = audited;
  const standing =
    audited.length === 1
      ? `${only!.name} is ${formatToken(only!.status)}`
      : compliant.length === audited.length
        ? `All ${formatNumber(audited.length)} audited jurisdictions are compliant`
        : `${formatNumber(compliant.length)} of ${formatNumber(audited.length)} audited jurisdictions ${compliant.length === 1 ? 'is' : 'are'} compliant`;
  if (overdue.length === 0) return standing;
  return `${standing}; ${formatCount(overdue.length, 'audit')} ${overdue.length === 1 ? 'is' : 'are'} overdue`;
}

function keyOf({ subject, muted, contrast }: ChartTheme): LegendItem[] {
  return [
    { text: 'Last audit', colour: subject, shape: 'circle' },
    { text: 'Next audit', colour: muted, shape: 'ring' },
    { text: 'Overdue audit', colour: contrast, shape: 'ring' },
  ];
}

function plot({ jurisdictions, today }: Shown, { box, theme, onScale }: Plot): string[] {
  const key = legend(keyOf(theme), box, theme);
  const top = box.top + key.height + 20;
  const room = Math.max(
    ...jurisdictions.flatMap(({ name, status }) => [
      textWidth(name, LABEL_SIZE, BOLD) + 9,
      textWidth(capitalise(formatToken(status)), LABEL_SIZE) + 24,
    ]),
  );
  const left = box.left + Math.min(room, widthOf(box) * 0.45);
  const dates = jurisdictions
    .flatMap(({ last_audit, next_audit }) => [last_audit, next_audit])
    .filter((date) => date !== null);
  const days = [...dates, today].sort();
  const [from, to] = [days[0]!, days.at(-1)!];
  const x = timeScale(timeOfDay(addDays(from, -3)), timeOfDay(addDays(to, 3)), left, box.right - SYMBOL);
  const now = x(timeOfDay(today));
  const bottom = top + jurisdictions.length * ROW;
  const half = textWidth(AS_OF, TICK_SIZE) / 2;
  onScale?.({ kind: 'rows', middles: jurisdictions.map((_, index) => top + (index + 0.5) * ROW) });
  return [
    ...key.marks,
    element('line', {
      x1: now,
      x2: now,
      y1: top - 6,
      y2: bottom,
      stroke: theme.muted,
      'stroke-dasharray': '3 3',
    }),
    label(AS_OF, Math.min(Math.max(now, left + half), box.right - half), top - 13, {
      fill: theme.muted,
      size: TICK_SIZE,
      anchor: 'middle',
    }),
    ...jurisdictions.flatMap((one, index) =>
      row(one, top + (index + 0.5) * ROW, { left, x, today }, { box, theme, id: '' }),
    ),
    ...timeAxis(x, box, box.bottom - AXIS_HEIGHT, theme),
  ];
}

/** Words and a symbol for the status, so that no reader depends on its colour. */
function row(
  { name, status, last_audit, next_audit }: Jurisdiction,
  y: number,
  { left, x, today }: { left: number; x: (time: number) => number; today: string },
  { box, theme }: Plot,
): string[] {
  const colour = statusColour(status, theme);
  const circle = (date: string, style: Record<string, string | number>) =>
    element('circle', { cx: x(timeOfDay(date)), cy: y, r: SYMBOL, ...style });
  return [
    label(clipText(name, left - box.left - 6, LABEL_SIZE, BOLD), box.left, y - 8, {
      fill: theme.ink,
      weight: BOLD,
    }),
    element('rect', {
      x: box.left,
      y: y + 3,
      width: 10,
      height: 10,
      rx: status === 'compliant' ? 5 : 0,
      fill: colour,
    }),
    label(clipText(capitalise(formatToken(status)), left - box.left - 21, LABEL_SIZE), box.left + 15, y + 8, {
      fill: theme.ink,
    }),
    element('line', { x1: left, x2: box.right, y1: y, y2: y, stroke: theme.rule }),
    ...(last_audit === null ? [] : [circle(last_audit, { fill: theme.subject })]),
    ...(next_audit === null
      ? []
      : [
          circle(next_audit, {
            fill: theme.paper,
            stroke: isOverdue(next_audit, today) ? theme.contrast : theme.muted,
            'stroke-width': 2,
          }),
        ]),
  ];
}

function statusColour(status: string, { parts, warning, contrast, muted }: ChartTheme): string {
  if (status === 'not_audited') return muted;
  if (status === 'compliant') return parts[0];
  return status === 'non_compliant' ? contrast : warning;
}

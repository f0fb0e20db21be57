import * as z from 'zod/mini';

// The words that events and published files share. They are apart from the events' schemas because pages load them.

export const CycleLabel = z.string().check(z.regex(/^C-(0|[1-9]\d*)$/, 'a cycle label like C-151'));

export const CATHEDRALS = [
  'FOR-GOVERNMENTS',
  'FOR-ECONOMISTS',
  'FOR-ACADEMICS',
  'FOR-PHILOSOPHERS',
  'DIPLOMACY',
] as const;
export const POSITIONS = ['support', 'support_with_conditions', 'oppose', 'abstain'] as const;
export const VIRTUES = ['integrity', 'temperance', 'justice', 'prudence', 'courage'] as const;
export type Virtue = (typeof VIRTUES)[number];
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export const ALERT_SCOPES = ['system', 'sentinel', 'economy', 'compliance', 'drift', 'ledger'] as const;

/** The audited regimes by jurisdiction, in the order of publication. */
export const REGIMES = {
  USA: ['SEC', 'CFTC', 'Federal_Reserve_Act'],
  EU: ['GDPR', 'AI_Act', 'MiCA'],
  UK: ['FCA', 'Data_Protection_Act'],
  International: ['Basel_III', 'FATF'],
} as const;
export type Jurisdiction = keyof typeof REGIMES;
export const JURISDICTIONS = Object.keys(REGIMES) as Jurisdiction[];

import type { Area } from '../../../../../pipeline/artifacts/artifact.ts';
import type { FigureReader } from '../key-figure.ts';
import { consensus, coordination, papers } from './academics.ts';
import { articles, clauses, obligations, protocols, signatures } from './diplomacy.ts';
import { burned, circulating, integrity, minted, threshold, totalSupply } from './economy.ts';
import { compliance, health, nextAudit, operational, recorded, upAllDay } from './government.ts';
import { closed, decided, drift, open, virtues } from './philosophy.ts';

/** The figures at the head of each portal. */
export const AREA_FIGURES: Readonly<Record<Area, readonly FigureReader[]>> = {
  government: [operational, upAllDay, health, compliance, nextAudit, recorded],
  economy: [totalSupply, circulating, burned, minted, integrity, threshold],
  academics: [integrity, coordination, consensus, upAllDay, papers],
  philosophy: [consensus, virtues, drift, closed, decided, open],
  diplomacy: [articles, obligations, signatures, clauses, protocols],
};

/** The figures of the home page. */
export const HOME_FIGURES: readonly FigureReader[] = [
  totalSupply,
  integrity,
  operational,
  coordination,
  consensus,
  virtues,
];

import { SENTINEL_PROFILES, type SentinelId } from '../../pipeline/model/sentinel-profiles.ts';
import type { Draws } from './draws.ts';
import { sixPlaces } from './six-places.ts';
import { byVirtue, VIRTUES } from './virtues.ts';
import type { Sentinel } from './world.ts';

/** Weight of each virtue, in their order: what one would expect of each one's role. */
const WEIGHTS: Readonly<Record<SentinelId, readonly [number, number, number, number, number]>> = {
  ATLAS: [0.35, 0.15, 0.2, 0.25, 0.05],
  HERMES: [0.2, 0.1, 0.35, 0.2, 0.15],
  ZEUS: [0.2, 0.3, 0.2, 0.1, 0.2],
  AUREA: [0.15, 0.25, 0.1, 0.4, 0.1],
  ZENITH: [0.1, 0.3, 0.15, 0.4, 0.05],
  DAEDALUS: [0.25, 0.1, 0.1, 0.3, 0.25],
  ECHO: [0.4, 0.1, 0.2, 0.15, 0.15],
  URIEL: [0.45, 0.15, 0.15, 0.2, 0.05],
  EVE: [0.15, 0.05, 0.45, 0.1, 0.25],
  JADE: [0.2, 0.4, 0.2, 0.15, 0.05],
};
/** How far chance moves a weight before they are made to sum to 1 again, and what it adds to the utility. */
const WEIGHT_NOISE = 0.02;
const TEMPER = 0.1;
/** Stubbornness of who never disagrees, and what a readiness of 1 adds to it. */
const STUBBORN = { least: 0.15, perDissent: 0.2 };

/** The ten default sentinels, with temperaments from the draws. */
export function sentinelsOf(draws: Draws): Sentinel[] {
  return (Object.keys(SENTINEL_PROFILES) as SentinelId[]).map((id) => embody(id, id, draws));
}

/** As many as asked for, by turns like each of the ten: for measurements of what a larger assembly costs. */
export function crowdOf(size: number, draws: Draws): Sentinel[] {
  const models = Object.keys(SENTINEL_PROFILES) as SentinelId[];
  return Array.from({ length: size }, (_, i) => embody(`S-${i + 1}`, models[i % models.length]!, draws));
}

function embody(id: string, model: SentinelId, draws: Draws): Sentinel {
  const { cathedral, role, apps, packages, workflows, drift, gi, dissent } = SENTINEL_PROFILES[model];
  const shifted = WEIGHTS[model].map((weight) => Math.max(0, weight + WEIGHT_NOISE * (2 * draws() - 1)));
  const sum = shifted.reduce((total, weight) => total + weight, 0);
  return {
    id,
    cathedral,
    role,
    apps,
    packages,
    workflows,
    usualDrift: drift,
    usualGi: gi,
    weights: byVirtue((virtue) => sixPlaces(shifted[VIRTUES.indexOf(virtue)]! / sum)),
    stubbornness: sixPlaces(STUBBORN.least + STUBBORN.perDissent * dissent),
    trust: 1,
    temper: sixPlaces(TEMPER * (2 * draws() - 1)),
    pressure: 0,
    isOnline: true,
    isRecused: false,
  };
}

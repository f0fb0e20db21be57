import { z } from 'zod';
import { DAILY } from '../daily-values.ts';
import { type FigureReader, measured, ofLastDay } from '../key-figure.ts';

const SUPPLY = 'economy/supply';
const Index = z.looseObject({
  mii: z.number().nullable(),
  threshold: z.number().nullable(),
  minting_active: z.boolean(),
});

const mic = (label: string, member: 'total_supply' | 'circulating' | 'burned', note: string): FigureReader =>
  measured({
    label,
    unit: 'MIC',
    path: SUPPLY,
    members: z.looseObject({ [member]: z.number() }),
    now: (supply) => supply[member] as number,
    note: () => note,
    daily: {
      total_supply: DAILY.totalSupply,
      circulating: DAILY.circulating,
      burned: DAILY.burned,
    }[member],
    places: 0,
  });

export const totalSupply = mic('Total supply', 'total_supply', 'everything ever minted');
export const circulating = mic('In circulation', 'circulating', 'neither locked nor burned');
export const burned = mic('Burned', 'burned', 'out of circulation for good');

export const minted = ofLastDay({
  label: 'Minted in a day',
  unit: 'MIC',
  path: 'economy/minting-by-day.csv',
  note: 'the last whole day',
  daily: DAILY.minted,
  places: 0,
});

export const integrity = measured({
  label: 'Integrity index',
  unit: 'MII, from 0 to 1',
  path: 'economy/mii',
  members: Index,
  now: ({ mii }) => mii,
  note: ({ minting_active }) => `minting is ${minting_active ? 'on' : 'off'}`,
  daily: DAILY.mii,
  places: 4,
});

export const threshold = measured({
  label: 'Minting threshold',
  unit: 'MII, from 0 to 1',
  path: 'economy/mii',
  members: Index,
  now: ({ threshold }) => threshold,
  note: () => 'below it nothing is minted',
  daily: DAILY.threshold,
  places: 4,
});

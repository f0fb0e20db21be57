import { z } from 'zod';
import { legible } from '../../../pipeline/words/hidden.ts';
import { KEY_AREAS, type KeyArea } from '../../api/tiers.ts';
import { containsKey, isKey } from './key-text-and-hash.ts';
import { mailAddress } from './mail-address.ts';

/** One line without a key. A purpose is prose, in any language; a name and an affiliation are `visible`, because people compare them. */
export function line(max: number, check = legible) {
  return z
    .string()
    .trim()
    .min(1)
    .max(max)
    .check(check)
    .refine((text) => !containsKey(text));
}

export const email = mailAddress;
export const keyId = z.string().regex(/^k_[0-9A-Za-z]{12}$/);
export const days = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .transform(Number);
export const delivery = z.enum(['mail', 'print']);
export const wholeKey = z.string().trim().refine(isKey);

/** `economy,academics`: each area once, in any order. Returned in the order of KEY_AREAS. */
export const areas = z
  .string()
  .max(100)
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every(isArea) && new Set(names).size === names.length)
  .transform((names) => KEY_AREAS.filter((area) => names.includes(area)));

/** Accepts hyphens and lower case, which only help reading. */
export const code = z
  .string()
  .max(40)
  .transform((text) => text.replace(/[\s-]/g, '').toUpperCase())
  .refine((text) => /^[0-9A-HJKMNP-TV-Z]{12}$/.test(text));

function isArea(name: string): name is KeyArea {
  return (KEY_AREAS as readonly string[]).includes(name);
}

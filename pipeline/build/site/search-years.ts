import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { asDiskErrors } from '../../disk/durable.ts';

/** A staged page. */
export interface SearchedPage {
  /** `decisions/d-1/index.html` */
  path: string;
  sha256: string;
}

const YEAR_LIST = /^(?:decisions|deliberations)\/in-(\d{4})\/index\.html$/;
const RECORD = /^(?:decisions|deliberations)\/[^/]+\/index\.html$/;
/** The page of a decision or a deliberation that has ended says in which year. */
const YEAR = / data-year="(\d{4})"/;

/** SHA-256 and year, by the path of a page whose year is only in its text; null for one without. */
export const YearsOfPages = z.record(z.string(), z.tuple([z.string(), z.string().nullable()]));

/** The years of the archive's pages; null for one that is still open. */
export type Years = ReadonlyMap<string, string | null>;

/**
 * The years of the archive's pages, and those of them that were in a text. Other pages are left out. A page is read only if it was not
 * `known` with these bytes.
 */
export async function yearsOf(
  pages: readonly SearchedPage[],
  folder: string,
  known: z.infer<typeof YearsOfPages>,
): Promise<{ years: Years; read: z.infer<typeof YearsOfPages> }> {
  const years = new Map<string, string | null>();
  const read: z.infer<typeof YearsOfPages> = {};
  for (const { path, sha256 } of pages) {
    const addressed = YEAR_LIST.exec(path)?.[1];
    if (addressed !== undefined) years.set(path, addressed);
    else if (RECORD.test(path)) {
      const before = known[path];
      const year = before?.[0] === sha256 ? before[1] : await yearInText(join(folder, path));
      read[path] = [sha256, year];
      years.set(path, year);
    }
  }
  const sorted = Object.entries(read).sort(([a], [b]) => (a < b ? -1 : 1));
  return { years, read: Object.fromEntries(sorted) };
}

async function yearInText(file: string): Promise<string | null> {
  const html = await asDiskErrors(file, () => readFile(file, 'utf8'));
  return YEAR.exec(html)?.[1] ?? null;
}

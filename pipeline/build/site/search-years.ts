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

/** Kept with a release, below its folder: the pages whose years are only in their text. */
const YEARS = 'search-years.json';
const YearsFile = z.strictObject({
  format: z.literal('cathedral-search-years/1'),
  /** SHA-256 and year of each page; null for one without. */
  pages: z.record(z.string(), z.tuple([z.string(), z.string().nullable()])),
});

interface YearsFolder {
  public: string;
  keptBefore(file: string): Promise<string | null>;
  keep(file: string, bytes: Uint8Array): Promise<unknown>;
}

/**
 * The years of the archive's pages; null for one that is still open. Other pages are left out. A page is read only if the previous release
 * did not have it with these bytes.
 */
export async function yearsOf(
  pages: readonly SearchedPage[],
  folder: YearsFolder,
): Promise<Map<string, string | null>> {
  const before = await yearsBefore(folder);
  const years = new Map<string, string | null>();
  const read: z.infer<typeof YearsFile>['pages'] = {};
  for (const { path, sha256 } of pages) {
    const addressed = yearInAddress(path);
    if (addressed !== null) years.set(path, addressed);
    else if (RECORD.test(path)) {
      const known = before[path];
      const year = known?.[0] === sha256 ? known[1] : await yearInText(join(folder.public, path));
      read[path] = [sha256, year];
      years.set(path, year);
    }
  }
  const sorted = Object.fromEntries(Object.entries(read).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify({ format: 'cathedral-search-years/1', pages: sorted });
  await folder.keep(YEARS, Buffer.from(`${text}\n`));
  return years;
}

/** Nothing if there is no such file, or one of another version of this software: then every page is read. */
async function yearsBefore(folder: YearsFolder): Promise<z.infer<typeof YearsFile>['pages']> {
  const text = await folder.keptBefore(YEARS);
  try {
    return text === null ? {} : YearsFile.parse(JSON.parse(text)).pages;
  } catch {
    return {};
  }
}

function yearInAddress(path: string): string | null {
  return YEAR_LIST.exec(path)?.[1] ?? null;
}

async function yearInText(file: string): Promise<string | null> {
  const html = await asDiskErrors(file, () => readFile(file, 'utf8'));
  return YEAR.exec(html)?.[1] ?? null;
}

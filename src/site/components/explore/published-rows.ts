import type { z } from 'zod';
import type { RowSchema } from '../../../../pipeline/artifacts/format/csv.ts';
import { readRows } from '../../../../pipeline/charts/read-file.ts';
import type { SiteRelease } from '../release.ts';

/** The rows of a public CSV, oldest first, each checked. Throws site_failed or release_invalid. */
export function publishedRows<S extends RowSchema>(
  release: SiteRelease,
  artifact: { path: string; schema: S },
): z.output<S>[] {
  return readRows({ [artifact.path]: publishedText(release, artifact) }, artifact);
}

/** All of a public file. Throws site_failed where it is not there or needs a key. */
export function publishedText(release: SiteRelease, { path }: { path: string }): string {
  return release.head(path, release.find(path)?.bytes ?? 0);
}

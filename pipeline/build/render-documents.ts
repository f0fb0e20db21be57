import type { View } from '../artifacts/artifact.ts';
import { ARTIFACTS, DOCUMENTS, HISTORIES, YEARLY } from '../artifacts/table.ts';
import { schemaFiles } from '../release/format/schemas.ts';
import type { Staging } from '../release/staging/staging.ts';
import { dataFile } from './data-file.ts';
import type { Folded } from './fold-snapshots.ts';
import { earlierFiles } from './fold-snapshots.ts';

/** Stages every text data file: documents, histories, the current year, closed years, and schemas. */
export async function renderDocuments(staging: Staging, view: View, folded: Folded): Promise<void> {
  for (const artifact of DOCUMENTS) {
    const rows = artifact.rows?.(view) ?? null;
    await staging.write({ ...dataFile(artifact, artifact.render(view)), rows });
  }
  for (const artifact of HISTORIES) {
    await folded.histories.get(artifact.path)!.finish(artifact.head(view), artifact.tail);
  }
  for (const artifact of YEARLY) {
    await staging.write(dataFile(artifact, artifact.render(view, false)));
    for (const { path } of earlierFiles(staging, folded, artifact)) await staging.carry(path);
  }
  for (const file of schemaFiles(ARTIFACTS, view.baseUrl)) await staging.write(file);
}

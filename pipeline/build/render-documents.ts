import { CITATIONS_PATH } from '../artifacts/academics/citations.ts';
import type { DocumentArtifact, View } from '../artifacts/artifact.ts';
import { statedTime } from '../artifacts/as-of.ts';
import { DOCUMENTS, HISTORIES, YEARLY } from '../artifacts/table.ts';
import { schemaFiles } from '../release/format/schemas.ts';
import type { Staging } from '../release/staging/staging.ts';
import { dataFile } from './data-file.ts';
import type { Folded } from './fold-snapshots.ts';
import { earlierFiles } from './fold-snapshots.ts';

/**
 * Stages every text data file: documents, histories, the current year, closed years, and schemas. The citation database comes last,
 * because it cites the others as they are.
 */
export async function renderDocuments(staging: Staging, view: View, folded: Folded): Promise<void> {
  for (const artifact of HISTORIES) {
    const head = artifact.head(view);
    const asOf = (newest: string | undefined) => statedTime(head) ?? newest;
    await folded.histories.get(artifact.path)!.finish(head, artifact.tail, asOf);
  }
  await folded.days.finish();
  for (const artifact of YEARLY) {
    const content = artifact.render(view, false);
    await staging.write({ ...dataFile(artifact, content), as_of: statedTime(content) });
    for (const { path } of earlierFiles(staging, folded, artifact)) await staging.carry(path);
  }
  for (const artifact of DOCUMENTS)
    if (artifact.path !== CITATIONS_PATH) await writeDocument(staging, artifact, view);
  const versions = new Map(staging.files().map((file) => [file.path, file]));
  for (const artifact of DOCUMENTS)
    if (artifact.path === CITATIONS_PATH) await writeDocument(staging, artifact, { ...view, versions });
  for (const schema of schemaFiles(view.baseUrl)) await staging.write(schema);
}

async function writeDocument(staging: Staging, artifact: DocumentArtifact, view: View): Promise<void> {
  const content = artifact.render(view);
  const rows = artifact.rows?.(view) ?? null;
  await staging.write({ ...dataFile(artifact, content), rows, as_of: statedTime(content) });
}

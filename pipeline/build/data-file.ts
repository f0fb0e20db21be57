import type { Artifact, View, YearlyArtifact } from '../artifacts/artifact.ts';
import { YEARLY } from '../artifacts/table.ts';
import type { State } from '../model/state.ts';
import type { NewFile, Staging } from '../release/staging/staging.ts';

/** An artifact's file for the staging folder. */
export function dataFile(
  { path, area, restricted, mediaType }: Artifact,
  content: string | Uint8Array,
): NewFile {
  return { path, kind: 'data', area, restricted, mediaType, content, rows: null, immutable: false };
}

/** Writes the final file of the year that `state` ends. It never changes again; later runs link it. */
export async function closeYear(
  state: State,
  options: Omit<View, 'state'> & { staging: Staging },
): Promise<void> {
  const { staging, documents, companions, baseUrl } = options;
  for (const artifact of YEARLY) {
    await staging.write(closedFile(artifact, { state, documents, companions, baseUrl }));
  }
}

function closedFile(artifact: YearlyArtifact, view: View) {
  const { state } = view;
  const path = artifact.closedPath(state.year.year);
  return { ...dataFile(artifact, artifact.render(view, true)), path, immutable: true, modified: state.asOf };
}

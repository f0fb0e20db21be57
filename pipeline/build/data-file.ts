import type { Artifact, View, YearlyArtifact } from '../artifacts/artifact.ts';
import { YEARLY } from '../artifacts/table.ts';
import type { State } from '../model/state.ts';
import { sha256 } from '../release/format/manifest.ts';
import type { NewFile, Staging } from '../release/staging/staging.ts';

/** An artifact's file for the staging folder. */
export function dataFile(
  { path, area, restricted, mediaType }: Artifact,
  content: string | Uint8Array,
): NewFile {
  return { path, kind: 'data', area, restricted, mediaType, content, rows: null, immutable: false };
}

/**
 * Writes the final file of the year that `state` ends. It never changes again; later runs link it, and a rebuild keeps it even if this
 * version would write it differently: readers were promised these bytes.
 */
export async function closeYear(
  state: State,
  options: Omit<View, 'state'> & { staging: Staging; log: (line: string) => void },
): Promise<void> {
  const { staging, documents, companions, baseUrl, log } = options;
  for (const artifact of YEARLY) {
    const file = closedFile(artifact, { state, documents, companions, baseUrl });
    const before = staging.before(file.path);
    const differs = before?.immutable && before.sha256 !== sha256(file.content);
    if (differs && (await staging.canCarry(file.path))) {
      log(`${file.path} stays as an earlier version published it`);
      await staging.carry(file.path);
    } else await staging.write(file);
  }
}

function closedFile(artifact: YearlyArtifact, view: View) {
  const { state } = view;
  const path = artifact.closedPath(state.year.year);
  return { ...dataFile(artifact, artifact.render(view, true)), path, immutable: true, modified: state.asOf };
}

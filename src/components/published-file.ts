import type { Area, Artifact } from '../../pipeline/artifacts/artifact.ts';
import { type Field, fieldsOf } from '../../pipeline/artifacts/data-dictionary.ts';
import { ARTIFACTS } from '../../pipeline/artifacts/table.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { DraftFile } from '../../pipeline/publish/manifest.ts';
import { schemaPath } from '../../pipeline/publish/schemas.ts';
import { type Preview, previewOf } from './preview.ts';
import type { SiteRelease } from './release.ts';

/** What an area's page says of one file. */
export interface PublishedFile {
  artifact: Artifact;
  /** `mic-history-csv`, for links into the page. */
  id: string;
  /** Null where the file is not made yet when the pages are, or is never put together. */
  file: DraftFile | null;
  /** Where the file can be had; null where it needs a key, or where this release was made without it. */
  href: string | null;
  fields: Field[];
  /** Path of the schema that is published for it. */
  schema: string | null;
  preview: Preview | null;
}

/** The files of an area in the order of the table. Throws site_failed where one that should be there is not. */
export function publishedFiles(release: SiteRelease, area: Area): PublishedFile[] {
  return ARTIFACTS.filter((artifact) => artifact.area === area).map((artifact) => {
    const file = release.find(artifact.path) ?? null;
    if (file === null && isStaged(artifact)) throw missing(artifact);
    const schema = schemaPath(artifact);
    return {
      artifact,
      id: anchorOf(artifact),
      file,
      href: !artifact.restricted && release.willHave(artifact.path) ? `/${artifact.path}` : null,
      fields: fieldsOf(artifact),
      schema: schema !== null && release.find(schema) ? schema : null,
      preview: file && previewOf(release, file),
    };
  });
}

/** `economy/mic-history.csv` → `mic-history-csv`. */
function anchorOf({ path, area }: Artifact): string {
  return path.slice(area.length + 1).replaceAll(/[^a-z0-9]+/g, '-');
}

/** Whether the file is there before the pages are: not what is printed from them, nor what only the sidecar puts together. */
function isStaged(artifact: Artifact): boolean {
  return artifact.kind === 'history' ? artifact.assembled : artifact.kind !== 'printed';
}

function missing({ path }: Artifact): CathedralError {
  const expected = 'a file of the release, for the table of artifacts has it';
  return new CathedralError('site_failed', { place: path, expected, found: 'none' });
}

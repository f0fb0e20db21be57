import { z } from 'zod';
import type { Artifact } from '../../pipeline/artifacts/artifact.ts';
import {
  addressIn,
  citeFile,
  type DatasetCitation,
  formatText,
} from '../../pipeline/forms/catalogue/citation.ts';
import type { OpenRelease, ReadFile } from './held-release.ts';

/** What was read, so that a number can be quoted with its time and be checked. */
export const Provenance = z
  .strictObject({
    path: z.string(),
    as_of: z.string().nullable().meta({
      description: 'Time of the data, UTC; null for a file without a time of its own',
    }),
    snapshot: z.string().meta({ description: 'Id of the snapshot that these bytes belong to' }),
    is_current: z.boolean().meta({ description: 'Whether the release has the same bytes' }),
    sha256: z.string().meta({ description: 'Of the whole file; the publisher signed it' }),
    permanent_address: z.string().nullable(),
    citation: z.string(),
    signed_by: z.string().meta({ description: 'Verifier key of the publisher' }),
    key_given: z.boolean().meta({
      description: 'Whether the user gave this key. If not, the host named it itself',
    }),
    warning: z.string().nullable(),
  })
  .meta({ description: 'Quote as_of and permanent_address with every number' });

export async function provenanceOf(
  release: OpenRelease,
  artifact: Artifact,
  file: ReadFile,
): Promise<z.input<typeof Provenance>> {
  const citation = await citationOf(release, artifact, file);
  const { expires } = release.signed.manifest;
  return {
    path: file.path,
    as_of: citation.asOf,
    snapshot: file.snapshot,
    is_current: file.isCurrent,
    sha256: file.sha256,
    permanent_address: addressIn(citation.permanent),
    citation: formatText(citation),
    ...release.signature,
    warning: release.isExpired
      ? `The release was valid until ${expires}. There may be a newer one elsewhere.`
      : null,
  };
}

/** Of the version that was read: that of a closed year has its own path. */
export async function citationOf(
  release: OpenRelease,
  artifact: Artifact,
  { path, asOf, sha256 }: Pick<ReadFile, 'path' | 'asOf' | 'sha256'>,
): Promise<DatasetCitation> {
  return citeFile(await release.cited({ path, asOf, sha256 }), { ...artifact, path });
}

import type { Area } from '../../../../pipeline/artifacts/artifact.ts';
import { exampleOf } from '../../../api/openapi/examples.ts';
import { type OpenApiDocument, openApiDocument } from '../../../api/openapi/open-api-document.ts';
import { AREA_WORDS } from '../../layout/areas.ts';
import { perRelease } from '../../layout/release.ts';

/** The OpenAPI document of this release, with examples from its files. */
export const apiDocument = perRelease((release): OpenApiDocument => {
  const subjects = Object.entries(AREA_WORDS).map(([area, { subject }]) => [area, subject]);
  return openApiDocument({
    baseUrl: release.baseUrl,
    version: release.version,
    organisation: release.organisation,
    subjects: Object.fromEntries(subjects) as Record<Area, string>,
    example: (artifact) => exampleOf(artifact, release),
  });
});

import type { Area } from '../../../../pipeline/artifacts/artifact.ts';
import { exampleOf } from '../../../api/openapi/examples.ts';
import { type OpenApiDocument, openApiDocument } from '../../../api/openapi/open-api-document.ts';
import { AREA_WORDS } from '../areas.ts';
import { openRelease } from '../release.ts';

let made: OpenApiDocument | undefined;

/** The OpenAPI document of this release, with examples from its files. */
export function apiDocument(): OpenApiDocument {
  made ??= make();
  return made;
}

function make(): OpenApiDocument {
  const release = openRelease();
  const subjects = Object.entries(AREA_WORDS).map(([area, { subject }]) => [area, subject]);
  return openApiDocument({
    baseUrl: release.baseUrl,
    version: release.version,
    contact: release.contact,
    subjects: Object.fromEntries(subjects) as Record<Area, string>,
    example: (artifact) => exampleOf(artifact, release),
  });
}

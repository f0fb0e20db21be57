import type { Artifact } from '../../../../pipeline/artifacts/artifact.ts';
import { operationId } from '../../../api/openapi/artifact-operations.ts';
import { isExport } from './snippets/source.ts';

/** Where the API reference has a file: the id of its operation. */
export function apiAnchor(artifact: Artifact): string {
  return isExport(artifact) ? 'exportLedger' : operationId(artifact);
}

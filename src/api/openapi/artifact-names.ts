import type { Artifact } from '../../../pipeline/artifacts/artifact.ts';

type Named = Pick<Artifact, 'path' | 'area' | 'mediaType'>;

/** `economy/sentinel-roi.json` → `SentinelRoi`, `economy/mic-history.csv` → `MicHistoryCsv`: a name for a schema or a class. */
export function componentName({ path, area, mediaType }: Named): string {
  const name = path.slice(area.length + 1);
  const words = (mediaType === 'application/json' ? name.replace(/\.json$/, '') : name).split(/[^a-z0-9]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `getMicHistoryCsv`: what generated clients call the function. */
export function operationId(artifact: Named): string {
  return `get${componentName(artifact)}`;
}

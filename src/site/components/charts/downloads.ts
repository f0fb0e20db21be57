import { CHART_FORMS, chartPath, isAnyState } from '../../../../pipeline/charts/files/chart-forms.ts';
import type { SiteRelease } from '../release.ts';

export interface Download {
  /** From the root: `/charts/supply.svg`. */
  path: string;
  name: string;
  /** What it is for. */
  use: string;
  /** Whether there is such a file of every state. */
  isAnyState: boolean;
}

const WORDS: Readonly<Record<string, readonly [name: string, use: string]>> = {
  '.svg': ['SVG', 'vectors, light'],
  '-dark.svg': ['SVG, dark', 'vectors, on dark ground'],
  '.png': ['PNG', 'pixels, double resolution'],
  '-dark.png': ['PNG, dark', 'pixels, on dark ground'],
  '.pdf': ['PDF', 'vectors, for print and LaTeX'],
  '.csv': ['CSV', 'the numbers shown'],
  '.json': ['JSON', 'the numbers with all that is said of them'],
  '.zip': ['ZIP', 'all of these with a read-me'],
};

/** The forms in which a release has a chart. */
export function downloadsOf(release: SiteRelease, id: string): Download[] {
  return CHART_FORMS.filter((form) => release.willHave(chartPath(id, form))).map((form) => {
    const [name, use] = WORDS[form.ending] ?? [form.ending, form.title];
    return { path: `/${chartPath(id, form)}`, name, use, isAnyState: isAnyState(form.content) };
  });
}

import { citePapers } from '../artifacts/academics/citations.ts';
import type { View } from '../artifacts/artifact.ts';
import { DATABASE } from '../formats/catalogue/facts.ts';
import { renderCatalogue } from '../formats/render-catalogue.ts';
import { renderForms } from '../formats/render-forms.ts';
import { standings } from '../model/queries/compliance.ts';
import { activeAlerts } from '../model/queries/health.ts';
import type { Facts, Manifest } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';

/** The tables in other forms, and the catalogues of all that is staged: after the data files, before the site. */
export async function renderExtras(
  staging: Staging,
  { timestamp: asOf, ledger, software }: Facts,
  { state, documents, baseUrl }: View,
  printed: readonly string[],
): Promise<void> {
  const { organisation } = documents;
  await renderForms(staging, { asOf, baseUrl, organisation, software, ledger });
  const { since } = state;
  const standing = {
    asOf,
    alerts: activeAlerts(state),
    deliberations: state.deliberations,
    audits: standings(state),
    sentinels: Object.keys(state.sentinels),
  };
  const papers = citePapers({ documents, baseUrl });
  const facts = { baseUrl, organisation, software, since, asOf, ledger, papers, printed };
  await renderCatalogue(staging, facts, standing);
}

/** Whether a release was made with them. */
export function hasExtras({ files }: Manifest): boolean {
  return files.some(({ path }) => path === DATABASE.path);
}

import { citePapers } from '../artifacts/academics/citations.ts';
import type { View } from '../artifacts/artifact.ts';
import { renderCatalogue } from '../formats/render-catalogue.ts';
import { writeTables } from '../formats/write-tables.ts';
import { standings } from '../model/queries/compliance.ts';
import { activeAlerts } from '../model/queries/health.ts';
import type { Facts } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';

/** The tables in other forms, and the catalogues of all that is staged: after the data files, before the site. */
export async function renderExtras(
  staging: Staging,
  facts: Facts,
  { state, documents, baseUrl }: View,
  printed: readonly string[],
): Promise<void> {
  const { organisation } = documents;
  const { timestamp: asOf, ledger, software } = facts;
  const rows = await writeTables(staging, { facts, baseUrl, organisation });
  const { since } = state;
  const standing = {
    asOf,
    alerts: activeAlerts(state),
    deliberations: state.deliberations,
    audits: standings(state),
    sentinels: Object.keys(state.sentinels),
  };
  const papers = citePapers({ documents, baseUrl });
  const described = { baseUrl, organisation, software, since, asOf, ledger, papers, printed };
  await renderCatalogue(staging, described, { rows, standing });
}

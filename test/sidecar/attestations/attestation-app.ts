import { join } from 'node:path';
import { attestationId, attestationUuid } from '../../../pipeline/attestation/canonical-bytes.ts';
import { type PublishedRegistry, REGISTRY_PATH } from '../../../pipeline/attestation/published-registry.ts';
import { sha256 } from '../../../pipeline/release/format/manifest.ts';
import { COMPANIONS, NOW, REGISTERED, signed } from '../../attestation/signed-document.ts';
import { dataFile, publishTiny } from '../../release/publish-tiny.ts';
import { madeOnce } from '../../site/made-once.ts';
import { type TinyApp, type TinyOptions, tinyApp } from '../tiny-app.ts';

export const DOCUMENT = signed();
const ID = attestationId(DOCUMENT);
const UUID = attestationUuid(ID);

/** What a release would have of that document. */
export const REGISTRY: PublishedRegistry = {
  timestamp: '2025-12-01T11:59:00Z',
  companions: COMPANIONS.companions.map(({ companion, keys }) => ({
    companion,
    keys: keys.map((key) => ({ ...key, valid_until: key.valid_until ?? null })),
  })),
  wallets: [],
  attestations: [{ id: ID, uuid: UUID, check_late: false, ...REGISTERED }],
  unattested: [],
};

/** The app over a release with that registry; null: over one that has none. */
export async function attestationApp(
  options: TinyOptions = {},
  registry: PublishedRegistry | null = REGISTRY,
): Promise<TinyApp> {
  const text = registry && JSON.stringify(registry);
  const extra: Parameters<typeof publishTiny>[1]['extra'] = async (staging) => {
    if (text !== null) await staging.write(dataFile(REGISTRY_PATH, text));
  };
  const { out } = await madeOnce(`registry-${sha256(`${text}`)}`, async (folder) => {
    const out = join(folder, 'out');
    await publishTiny(out, { events: 5, extra });
    return { out };
  });
  return tinyApp(out, { ...options, services: { now: () => NOW, ...options.services } });
}

/** One run over a ledger: data files only, or charts too: `build.ts LEDGER OUT [rebuild|charts]`. */
import { build } from '../../build/run-build.ts';
import { report } from '../child.ts';
import { DEMO_VERIFIER } from '../demo-verifier.ts';

const [, , ledger, out, mode] = process.argv;

await report(async () => {
  const { manifest } = await build({
    ledger: ledger!,
    out: out!,
    verifiers: [DEMO_VERIFIER],
    documents: 'data/documents',
    companions: 'data/keys/companions.json',
    baseUrl: 'http://localhost:8080',
    software: 'bench',
    rebuild: mode === 'rebuild',
    charts: mode === 'charts',
    site: false,
    print: null,
    waitMs: 0,
    log: () => {},
  });
  console.error(`  built: ${manifest.ledger.size} events`);
});

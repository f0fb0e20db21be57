import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../pipeline/config/settings.ts';
import { SIMULATION_LIMITS } from '../../src/sidecar/simulation/limits.ts';
import { POSITIONS_FROM } from '../../src/simulation/opinions.ts';
import { OUTLOOK_TICKS } from '../../src/simulation/outlooks.ts';
import { CLIENT_MESSAGES } from '../../src/simulation/protocol/client-message.ts';
import { SERVER_MESSAGES } from '../../src/simulation/protocol/server-message.ts';
import { formatSimulationReference } from '../../src/simulation/reference.ts';
import { BROKEN } from '../../src/simulation/scenarios/emergency-protocol-activation.ts';
import { DRIFTED, SILENCE } from '../../src/simulation/scenarios/model-drift.ts';
import { KNOW, LEAK } from '../../src/simulation/scenarios/moral-dilemma.ts';
import { HEATED, SPLIT } from '../../src/simulation/scenarios/sentinel-disagreement.ts';

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
const page = `${read('simulation.md')}${read('simulation-protocol.md')}`;

test('the page has every message, with the members that it takes', () => {
  for (const [name, { shape }] of Object.entries(CLIENT_MESSAGES)) {
    const [, row = ''] = page.split(`| \`${name}\` |`);
    for (const member of Object.keys(shape).filter((each) => each !== 'action' && each !== 'id'))
      expect(row.split('\n')[0]).toContain(`\`${member}\``);
  }
  for (const name of Object.keys(SERVER_MESSAGES)) expect(page).toContain(`\`${name}\``);
});

test('the page has what the scenarios turn on as it is', () => {
  const text = page.replace(/\s+/g, ' ');
  expect(text).toContain(`below an integrity index of ${BROKEN} `);
  expect(text).toContain(`polarisation is above ${SPLIT} when the time box ends`);
  expect(text).toContain(`a quarrel is possible above ${HEATED}.`);
  expect(text).toContain(
    `has drifted from a drift of ${DRIFTED}. Outsiders can find out for ${SILENCE} days`,
  );
  const more = `${KNOW.asked} more if those whom it hits were asked, and ${KNOW.staged} more per day`;
  expect(text).toContain(
    `${LEAK} × the number of those who know: ${KNOW.first} at first, one more on each day of debate, ${more}`,
  );
});

test('the page has the bounds as they are', () => {
  const text = page.replace(/\s+/g, ' ');
  const minutes = (ms: number) => ms / 60_000;
  expect(SIMULATION_LIMITS).toMatchObject({ workPerSecond: 200, workBurst: 5000 });
  expect(text).toContain(
    'a fifth of a second of computing for all messages of a network in each second, and five seconds after',
  );
  const { fragments, messagesPerSecond, burst, idleMs, totalMs, connections, connectionsPerClient } =
    SIMULATION_LIMITS;
  expect(text).toContain(
    `messages of ${SIMULATION_LIMITS.messageBytes / 1024} KiB in at most ${fragments} fragments`,
  );
  expect(text).toContain(`${messagesPerSecond} a second, pings included, with ${burst} at once`);
  expect(text).toContain(`${connectionsPerClient} connections from one network and 2 000 in all`);
  expect(connections).toBe(2000);
  expect(SETTINGS.simulationStartsPerClient.default).toBe('2000');
  expect(text).toContain('2 000 starts a day from one network');
  expect(text).toContain(`${minutes(idleMs)} minutes without a message`);
  expect(minutes(totalMs)).toBe(120);
  expect(text).toContain(`every ${SIMULATION_LIMITS.heartbeatMs / 1000} seconds`);
  expect(text).toContain(`more than ${SIMULATION_LIMITS.dropBytes / 1024} KiB wait`);
  expect(text).toContain(`nothing for ${SIMULATION_LIMITS.stallMs / 1000} seconds`);
  const { support, support_with_conditions, abstain } = POSITIONS_FROM;
  expect(text).toContain(
    `support from ${support.toFixed(2)}, support with conditions from ${support_with_conditions}, oppose up to ${abstain}`,
  );
  expect(OUTLOOK_TICKS).toBe(7);
});

test('the numbers of the simulation are those of the scenarios', () => {
  const text = formatSimulationReference();
  expect(read('simulation-reference.md')).toBe(text);
  expect(text).not.toContain('not offered in the runs that were tried');
});

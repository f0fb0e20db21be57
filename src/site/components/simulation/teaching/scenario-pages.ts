import type { Scenario } from '../../../../simulation/scenario.ts';
import { SCENARIOS } from '../../../../simulation/scenarios.ts';

const FOLDER = '/philosophy/simulation/teachers/';

/** The page with the sheets of a scenario: `model_drift` → `/philosophy/simulation/teachers/model-drift/`. */
export function scenarioPage(name: string): string {
  return `${FOLDER}${name.replaceAll('_', '-')}/`;
}

export const SCENARIO_PAGES: readonly string[] = SCENARIOS.map(({ name }) => scenarioPage(name));

/** The scenario of a page, by the last part of its address. */
export function scenarioOfPage(id: string): Scenario {
  return SCENARIOS.find(({ name }) => scenarioPage(name) === `${FOLDER}${id}/`)!;
}

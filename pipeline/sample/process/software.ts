import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { draft } from '../agenda.ts';
import type { Process, World } from '../world.ts';

/** Apps and packages: registered in the first weeks, and again with each release. */
export function software(world: World): Process {
  return ({ start }) => {
    if (start !== world.genesis) return;
    const { packages, apps } = world.texts.software;
    const kinds = [
      { type: 'package_registered', members: packages },
      { type: 'app_registered', members: apps },
    ] as const;
    for (const { type, members } of kinds) {
      for (const { name, day, version } of members) {
        const random = new Random(world.seed, 'software', name);
        const at = start + day * DAY_MS + random.between(day === 0 ? 0.1 : 8, day === 0 ? 5 : 17) * HOUR_MS;
        world.agenda.add(at, (now) => release(world, type, name, version, random, now));
      }
    }
  };
}

type Kind = 'package_registered' | 'app_registered';

function release(world: World, type: Kind, name: string, version: string, random: Random, at: number) {
  const day = Math.floor(at / DAY_MS) + random.whole(18, 75);
  const next = day * DAY_MS + random.between(8, 17) * HOUR_MS;
  world.agenda.add(next, (now) => release(world, type, name, nextVersion(version, random), random, now));
  return draft(type, 'REGISTRY', { name, version, status: version.startsWith('0.') ? 'beta' : 'active' });
}

/** Usually a patch version, sometimes a minor one, rarely a major one. */
function nextVersion(version: string, random: Random): string {
  const [major, minor, patch] = version.split('.').map(Number) as [number, number, number];
  const draw = random.share();
  if (draw < 0.07) return `${major + 1}.0.0`;
  return draw < 0.4 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Course, draft } from '../agenda.ts';
import type { Release } from '../texts.ts';
import { daysAfter, type World } from '../world.ts';

/** Apps and packages: registered in the first weeks, and again with each release. */
export function software(world: World): undefined {
  const { packages, apps } = world.texts.software;
  for (const one of packages) world.agenda.follow(releases(world, 'package_registered', one));
  for (const one of apps) world.agenda.follow(releases(world, 'app_registered', one));
}

type Kind = 'package_registered' | 'app_registered';

function* releases({ seed, genesis }: World, kind: Kind, { name, day, version: first }: Release): Course {
  const random = new Random(seed, 'software', name);
  const hours = day === 0 ? random.between(0.1, 5) : random.between(8, 17);
  let now = yield genesis + day * DAY_MS + hours * HOUR_MS;
  for (let version = first; ; version = nextVersion(version, random)) {
    const next = daysAfter(now, random.whole(18, 75)) + random.between(8, 17) * HOUR_MS;
    yield draft(kind, 'REGISTRY', { name, version, status: version.startsWith('0.') ? 'beta' : 'active' });
    now = yield next;
  }
}

/** Usually a patch version, sometimes a minor one, rarely a major one. */
function nextVersion(version: string, random: Random): string {
  const [major, minor, patch] = version.split('.').map(Number) as [number, number, number];
  const draw = random.share();
  if (draw < 0.07) return `${major + 1}.0.0`;
  return draw < 0.4 ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

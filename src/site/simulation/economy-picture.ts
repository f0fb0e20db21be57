import { formatMic } from '../../../pipeline/words/number.ts';
import { MICRO } from '../../simulation/economy.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { shareInWords } from './share-in-words.ts';

const STOCKS = ['circulating', 'locked', 'burned'] as const;
/** The scale of the index begins here, or below its value. */
const SCALE_FROM = 0.75;
const NEAR = 0.005;

/** Shows where the MIC are, the integrity index beside its threshold, and whether anything is minted. */
export function showEconomy(place: HTMLElement, world: World): void {
  const { economy } = world;
  const { mii, threshold, isMinting, total } = economy;
  const from = Math.min(SCALE_FROM, Math.floor(mii * 20 - 1) / 20);
  const share = (value: number) => Math.max(0, (value - from) / (1 - from));
  place.replaceChildren(
    make(
      'p',
      { class: 'verdict' },
      'Minting is ',
      make('strong', { 'data-minting': String(isMinting) }, isMinting ? 'on' : 'off'),
      `. ${whyMinting(world)}`,
    ),
    make(
      'div',
      { class: 'meter index', 'aria-hidden': 'true' },
      at(make('i', { class: 'needle' }, make('b', {}, 'needed')), share(threshold)),
      at(make('i', { class: 'reading', 'data-minting': String(isMinting) }), share(mii)),
    ),
    make('p', {}, supplyWords(world)),
    make(
      'div',
      { class: 'meter stocks', 'aria-hidden': 'true' },
      ...STOCKS.map((stock) => {
        const part = make('span', {
          'data-stock': stock,
          title: `${stock}: ${formatMic(economy[stock] / MICRO)}`,
        });
        part.style.width = `${(100 * economy[stock]) / total}%`;
        return part;
      }),
    ),
    make(
      'p',
      { class: 'stock-key', 'aria-hidden': 'true' },
      ...STOCKS.map((stock) => make('span', {}, make('i', { 'data-stock': stock }), stock)),
    ),
  );
}

function at(mark: HTMLElement, share: number): HTMLElement {
  mark.style.left = `${100 * Math.min(1, share)}%`;
  return mark;
}

function whyMinting({ economy: { mii, threshold, isMinting }, levers }: World): string {
  if (!isMinting && mii >= threshold)
    return levers.mint_share === 0 ? 'It is suspended.' : 'The index is high enough again.';
  const gap = mii - threshold;
  if (Math.abs(gap) < NEAR)
    return gap < 0
      ? 'The integrity index is just below what it needs.'
      : 'The integrity index is only just high enough.';
  return gap < 0 ? 'The integrity index is too low.' : 'The integrity index is high enough.';
}

/** What circulates, in relation to all that was ever minted, and what the player's choices did to it. */
function supplyWords({ economy, unchanged }: World): string {
  const share = shareInWords(economy.circulating / economy.total);
  const where = `${share.charAt(0).toUpperCase()}${share.slice(1)} of all MIC circulate.`;
  const more = economy.circulating - unchanged.circulating;
  const change = Math.round((1000 * more) / unchanged.circulating) / 10;
  if (change === 0) return where;
  return `${where} That is ${Math.abs(change)} % ${change > 0 ? 'more' : 'less'} than without the changes.`;
}

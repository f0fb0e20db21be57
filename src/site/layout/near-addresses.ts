import { addressWords, nearAddresses } from './near-address.ts';

/** Fills the page about a missed address: its words in the search field, and the addresses that it may have meant. */

const asked = location.pathname;
const [missed, near] = ['#missed', '#near'].map((id) => document.querySelector<HTMLElement>(id));
const field = document.querySelector<HTMLInputElement>('#q');
const candidates = JSON.parse(near?.dataset.candidates ?? '[]') as [href: string, label: string][];

if (missed) {
  missed.querySelector('code')!.textContent = asked;
  missed.classList.add('is-filled');
}
if (field) field.value = addressWords(asked).join(' ').slice(0, field.maxLength);

const found = nearAddresses(asked, candidates);
if (near && found.length > 0) {
  near.querySelector('#near-list')!.append(...found.map(([href, label]) => item(href, label)));
  near.hidden = false;
}

function item(href: string, label: string): HTMLLIElement {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = label;
  const code = document.createElement('code');
  code.textContent = href;
  const line = document.createElement('li');
  line.append(link, code);
  return line;
}

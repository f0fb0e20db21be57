import { offerAgain } from '../layout/load-file.ts';

/** The page before anybody plays: a list of scenarios. What plays them is loaded where the address names a run. */
const simulation = document.querySelector<HTMLElement>('#simulation')!;

function load(): void {
  document.body.dataset.playing = '';
  const script = document.createElement('script');
  script.type = 'module';
  script.src = simulation.dataset.play!;
  script.addEventListener('error', () => {
    delete document.body.dataset.playing;
    const place = simulation.querySelector<HTMLElement>('[data-part="fault"]')!;
    const error = new Error(`${new URL(script.src).pathname} cannot be loaded`);
    // A browser may remember that a module cannot be loaded, until the page is loaded again.
    offerAgain(place, error, 'Below are the stories, and how each can end.', () => location.reload());
  });
  document.head.append(script);
}

/** Prints the sheet alone, without the rest of the page. */
function printSheet(): void {
  document.body.dataset.print = 'sheet';
  addEventListener('afterprint', () => delete document.body.dataset.print, { once: true });
  print();
}

document.querySelector('[data-do="print-sheet"]')!.addEventListener('click', printSheet);
// Without this script, a case leads to its story.
for (const link of simulation.querySelectorAll<HTMLAnchorElement>('a[data-scenario]')) link.hash = '';
// Also of a link that lost its scenario: what plays says what is wrong with it.
const asked = new URLSearchParams(location.search);
if (['scenario', 'seed', 'do', 'tick'].some((name) => asked.has(name))) load();

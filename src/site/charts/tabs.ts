export type Tab = 'chart' | 'table';

const nameOf = (link: HTMLAnchorElement) => link.hash.slice(1) as Tab;

/**
 * Turns the two links of the page into tabs. Styles show the panel that `data-tab` names; without this script, they also show the other one
 * once its link is followed. Calls `choose` when a reader selects a tab, and returns the function that shows one.
 */
export function addTabs(root: HTMLElement, choose: (tab: Tab) => void): (tab: Tab) => void {
  const list = root.querySelector<HTMLElement>('.tabs')!;
  const links = [...list.querySelectorAll<HTMLAnchorElement>('a')];
  list.setAttribute('role', 'tablist');
  for (const link of links) {
    link.parentElement!.setAttribute('role', 'presentation');
    link.setAttribute('role', 'tab');
    link.setAttribute('aria-controls', nameOf(link));
    link.id = `tab-${nameOf(link)}`;
    const panel = document.getElementById(nameOf(link))!;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', link.id);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      choose(nameOf(link));
    });
  }
  list.addEventListener('keydown', (event) => {
    if (![' ', 'ArrowLeft', 'ArrowRight'].includes(event.key)) return;
    event.preventDefault();
    if (event.key === ' ') return (event.target as HTMLElement).click();
    const other = links.find((link) => link.getAttribute('aria-selected') === 'false')!;
    other.focus();
    choose(nameOf(other));
  });
  return (tab) => {
    root.dataset.tab = tab;
    for (const link of links) {
      const isChosen = nameOf(link) === tab;
      link.setAttribute('aria-selected', String(isChosen));
      link.tabIndex = isChosen ? 0 : -1;
    }
  };
}

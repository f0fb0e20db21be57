export type Tab = 'chart' | 'table';

/**
 * Makes tabs of the two links: without this script both panels stand below each other and the links lead to them. `choose`
 * is called when a reader chooses; the function that comes back shows a tab.
 */
export function addTabs(root: HTMLElement, choose: (tab: Tab) => void): (tab: Tab) => void {
  const list = root.querySelector<HTMLElement>('.tabs')!;
  const links = [...list.querySelectorAll<HTMLAnchorElement>('a')];
  const nameOf = (link: HTMLAnchorElement) => link.hash.slice(1) as Tab;
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
    if (event.key === ' ') (event.target as HTMLElement).click();
    else if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    if (event.key === ' ') return;
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
      document.getElementById(nameOf(link))!.classList.toggle('not-chosen', !isChosen);
    }
  };
}

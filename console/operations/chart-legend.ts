// The legend of a chart: names that are buttons beside the picture of the lines. The library knows clicks on them only.

/** The names of the lines in the legend that was drawn into an element, without that of the time. */
export function legendNames(element: HTMLElement): readonly HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>('.u-legend .u-series .u-label')].slice(1);
}

/** Makes a button of each name, which shows or hides its line by keyboard, too, and a picture of the lines alone. */
export function describeChart(element: HTMLElement, summary: string): void {
  const picture = element.querySelector('.u-wrap');
  picture?.setAttribute('role', 'img');
  picture?.setAttribute('aria-label', summary);
  for (const name of legendNames(element)) {
    name.setAttribute('role', 'button');
    name.setAttribute('aria-pressed', String(name.closest('.u-off') === null));
    name.tabIndex = 0;
    name.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      if (!event.repeat) name.click();
    });
  }
}

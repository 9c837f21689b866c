import type { Plugin } from 'vitepress'

/** By component of the theme: what is wrong for a keyboard or a screen reader, and what is not. */
const REPAIRS: Readonly<Record<string, readonly (readonly [wrong: string, right: string])[]>> = {
  // The arrow is a button in a button.
  VPSidebarItem: [
    [
      ':tabindex="item.items && 0"',
      ':tabindex="item.items && 0" :aria-expanded="item.items && !collapsed"',
    ],
    ['role="button"\n        aria-label="toggle section"', 'aria-hidden="true"'],
    ['@keydown.enter="onCaretClick"\n        tabindex="0"', ''],
  ],
  // The name of a button begins with the text that it shows; the style shows the key.
  VPNavBarSearchButton: [
    ['class="DocSearch-Button-Keys"', 'class="DocSearch-Button-Keys" aria-hidden="true"'],
    ['>K</kbd>', '></kbd>'],
  ],
  // The dialog calls itself a button, and its links are in options, which may hold none.
  VPLocalSearchBox: [
    ['<kbd :aria-label', '<kbd role="img" :aria-label'],
    ['role="button"', 'role="dialog" aria-modal="true"'],
    [':aria-owns="results?.length ? \'localsearch-list\' : undefined"', ''],
    ['aria-expanded="true"', ''],
    ['aria-haspopup="listbox"', ''],
    [
      ':aria-activedescendant="selectedIndex > -1 ? (\'localsearch-item-\' + selectedIndex) : undefined"',
      '',
    ],
    ['aria-autocomplete="both"', ''],
    [':role="results?.length ? \'listbox\' : undefined"', ''],
    [":aria-selected=\"selectedIndex === index ? 'true' : 'false'\"", ''],
    ['role="option"', ''],
    [':aria-label="[...p.titles, p.title].join(\' > \')"', ''],
  ],
}

/**
 * Repairs templates of VitePress's theme while they are compiled.
 * @throws when a template is no longer as it was: a newer version may need none of this
 */
export const accessibleTheme: Plugin = {
  name: 'accessible-theme',
  enforce: 'pre',
  transform(code, id) {
    const [, component = ''] = /\/theme-default\/components\/(\w+)\.vue$/.exec(id) ?? []
    return REPAIRS[component]?.reduce((template, [wrong, right]) => {
      if (!template.includes(wrong)) throw new Error(`${component} has no ${wrong}`)
      return template.replaceAll(wrong, () => right)
    }, code)
  },
}

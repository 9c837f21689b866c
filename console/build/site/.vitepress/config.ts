import { defineConfig } from 'vitepress'
import { accessibleTheme } from '../accessible-theme.ts'
import { BASE, DESCRIPTION, readDocuments, WORK } from '../pages.ts'

const { groups } = readDocuments()

/** Before the first paint. The policy of the web server forbids it to be inline. */
const APPEARANCE = `<script src="${BASE}appearance.js"></script>`

export default defineConfig({
  srcDir: `${WORK}/pages`,
  outDir: `${WORK}/site`,
  cacheDir: `${WORK}/cache`,
  base: BASE,
  lang: 'en',
  title: 'Sluice',
  description: DESCRIPTION,
  // The key of the console: one choice for both.
  appearance: { storageKey: 'mantine-color-scheme-value' },
  head: [['link', { rel: 'icon', href: `${BASE}favicon.svg` }]],
  metaChunk: true,
  // In order, so that the same documents make the same files.
  buildConcurrency: 1,
  transformHead: ({ page }) =>
    page === '404.md'
      ? []
      : [['link', { rel: 'alternate', type: 'text/markdown', href: `${BASE}${page}` }]],
  transformHtml: (html) => html.replace('<meta charset="utf-8">', `$&\n    ${APPEARANCE}`),
  // Documents are plain text of code hosts: what only the generator would read is switched off.
  markdown: {
    attrs: { disable: true },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Addresses in the text are examples.
    linkify: false,
    anchor: { slugify: anchorOf },
    languageAlias: { caddy: 'nginx' },
    shikiSetup(shiki) {
      // Its usual limit of 500 ms for a line leaves some without colours on a busy machine.
      const { codeToHtml } = shiki
      shiki.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 })
    },
    config(md) {
      md.core.ruler.disable('emoji')
      // A link to a program for bots is not one to a page: the browser opens it itself.
      md.core.ruler.push('files', ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const target = token.type === 'link_open' ? String(token.attrGet('href')) : '#'
          if (!/^([a-z]+:|#)|\.md(#|$)/.test(target)) token.attrSet('target', '_self')
        }
      })
      // A header without a text is an empty cell.
      md.core.ruler.push('headers', ({ tokens }) => {
        for (const [index, { content }] of tokens.entries()) {
          const [open, close] = [tokens[index - 1], tokens[index + 1]]
          if (content === '' && open?.type === 'th_open' && close?.type === 'th_close')
            open.tag = close.tag = 'td'
        }
      })
      const render = md.render.bind(md)
      md.render = (...args) => render(...args).replaceAll('{{', '&#123;{')
      md.renderer.rules.table_open = () => '<table tabindex="0">\n'
    },
  },
  // A picture is served as it is.
  vue: { template: { transformAssetUrls: { tags: {} } } },
  vite: {
    logLevel: 'warn',
    plugins: [accessibleTheme],
    // The index of the search, which is loaded when it is opened.
    build: { chunkSizeWarningLimit: 2000 },
  },
  themeConfig: {
    sidebar: groups.map(({ title, entries }) => ({
      text: title,
      collapsed: true,
      items: entries.map((entry) => ({
        text: entry.title,
        link: `/${entry.path.replace(/(index)?\.md$/, '')}`,
      })),
    })),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    notFound: {
      title: 'This page does not exist',
      quote: 'It may have moved: search for it, or begin at the first page.',
      linkText: 'First page',
    },
  },
})

/** As code hosts make it of a heading: links with it work there too. */
function anchorOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

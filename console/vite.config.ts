import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { COMMIT, UNKNOWN_COMMIT, VERSION } from '../gateway/src/version.ts'
import { bakeSchema } from './build/bake-schema.ts'
import { errorHelp } from './build/error-help.ts'
import { oneId } from './build/one-id.ts'

/** What of Mantine's style never applies here: the direction from right to left, and the size `xl`. */
const withoutUnused = {
  postcssPlugin: 'without-unused',
  Rule(rule: { readonly selector: string; readonly remove: () => unknown }) {
    if (rule.selector.includes('[dir="rtl"]')) rule.remove()
  },
  Declaration(declaration: { readonly prop: string; readonly remove: () => unknown }) {
    if (/^--(?!mantine-).+-xl$/.test(declaration.prop)) declaration.remove()
  },
}

/** The code of a list of choices, without what Mantine's native one takes of it. */
const CHOICES =
  /@mantine\/core\/.*\/(Combobox\/(?!Combobox(Chevron|\.module)|get-parsed)|Popover\/|Select\/)/

/** What asks for a factor, in the second step of signing in and before what must be confirmed. */
const FACTORS = /api\/factor|sign-in\/second-step/

/** What pages with lists read, and the choice of a filter. */
const LISTS = /NativeSelect|api\/list-tools|load-ahead|contracts\/(drop-in|audit|stats)\.ts/

/** What the log shares with one other page: too small for a file each. */
const LOGS = /api\/export-file|components\/menu-button/

/**
 * What the pages of orders, the palette and the trail share; left alone, it joins what every page
 * needs.
 */
const ORDERS =
  /features\/order-life\/(texts|find-order|orders-table)|api\/export-buttons|components\/typed-input/

/** What shows the body of a response; left alone, it joins what the frame of all pages needs. */
const BODIES = /components\/(response-body|format-json)/

/** What writes requests as programs, for pages that document calls. */
const SAMPLES = /api\/request-sample/

/** Menus, which are loaded once one is opened. */
const MENUS = /components\/acts-menu|features\/logs\/saved-filters/

export default defineConfig({
  root: fileURLToPath(new URL('.//', import.meta.url)),
  define: {
    'import.meta.env.VERSION': JSON.stringify(VERSION),
    'import.meta.env.COMMIT': JSON.stringify(COMMIT === UNKNOWN_COMMIT ? '' : COMMIT),
  },
  plugins: [bakeSchema(), errorHelp(), oneId(), react()],
  css: { postcss: { plugins: [withoutUnused] } },
  build: {
    target: 'es2023',
    // As written: these know `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // One style sheet: it is small, and a lazy page never appears unstyled.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // A text of the catalogue is in the script that uses it, and not in one for all pages.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      output: {
        // Without the names of all the pages that share it.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        // Left alone, each small module that some pages share is a file of its own: a page was 30
        // requests.
        codeSplitting: {
          groups: [
            { name: 'index', tags: ['$initial'], priority: 1 },
            // What pages share of the libraries is a file of its own: together they are too long.
            {
              name: 'libraries',
              test: (id) => id.includes('node_modules') && !CHOICES.test(id),
              ...{ minShareCount: 5, priority: 0.5 },
            },
            // Pages without a list of choices do without its code.
            { name: 'choices', test: CHOICES, minShareCount: 2, priority: 0.45 },
            // The two places that ask for a factor are too small for a file each.
            { name: 'factors', test: FACTORS, priority: 0.6 },
            // Otherwise it joins a part that pages without dialogs need.
            { name: 'once', test: /components\/dialogs/, priority: 0.55 },
            { name: 'samples', test: SAMPLES, minShareCount: 2, priority: 0.45 },
            { name: 'shared', minShareCount: 5, priority: 0.4 },
            // What lists share is small: left alone, it joins what only pages with forms need.
            { name: 'lists', test: LISTS, minShareCount: 2, priority: 0.32 },
            { name: 'logs', test: LOGS, minShareCount: 2, priority: 0.32 },
            { name: 'orders', test: ORDERS, minShareCount: 2, priority: 0.32 },
            { name: 'bodies', test: BODIES, minShareCount: 2, priority: 0.32 },
            // One file for each set of pages; a small one joins the one closest to it.
            {
              name: 'part',
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 4_000,
              priority: 0.3,
            },
            { name: 'menus', test: MENUS, priority: 0.2 },
          ],
        },
      },
    },
  },
  server: {
    port: 8081,
    // A regular expression: the prefix `/api` would also take `/api-keys`, a page of the console.
    proxy: { '^/(api|auth)/': 'http://127.0.0.1:8080' },
  },
})

import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

// Plain JavaScript, as start.js is: only for TypeScript does Node load its type stripping, which
// takes 45 ms and 17 MB.

/** The folder that the manifest's paths start at. */
const PROJECT = new URL('../../', import.meta.url)

/** Where `npm run build` puts the bundle: as deep below `gateway` as the folders of `src`. */
export const BUNDLE_FOLDER = new URL('../dist/bundle/', import.meta.url)

/** What V8 compiled for the bundle: a start that finds it takes a third less. */
export const CACHE_FOLDER = new URL('cache/', BUNDLE_FOLDER)

/** The manifest: for each file that the bundle is made of, by its path, the hash of its text. */
export const MANIFEST = 'sources.json'

/**
 * Decided by the files' text: their times change when the project is copied or checked out again.
 * Reading all of them takes some milliseconds.
 * @returns the bundle of exactly the sources that are here; undefined when there is none
 */
export function freshBundle(folder = BUNDLE_FOLDER, project = PROJECT) {
  const manifest = new URL(MANIFEST, folder)
  const main = new URL('main.js', folder)
  if (!existsSync(manifest) || !existsSync(main)) return undefined
  /** @type {Record<string, string>} */
  const files = JSON.parse(readFileSync(manifest, 'utf8'))
  const isFresh = Object.entries(files).every(([path, expected]) => {
    const file = new URL(path, project)
    return existsSync(file) && hashOf(readFileSync(file)) === expected
  })
  return isFresh ? main : undefined
}

/** @param {string | Uint8Array} text */
export function hashOf(text) {
  return hash('sha256', text, 'base64url')
}

// What `npm start` runs: the bundle that `npm run build` made of exactly these sources, otherwise
// the sources.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { CACHE_FOLDER, freshBundle } from './fresh-bundle.js'

const bundle = freshBundle()
if (bundle === undefined) await import('./main.ts')
else {
  enableCompileCache(fileURLToPath(CACHE_FOLDER))
  await import(bundle.href)
}

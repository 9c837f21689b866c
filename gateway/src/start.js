// What `npm start` runs: the bundle that `npm run build` made of exactly these sources, otherwise
// the sources.
import { freshBundle } from './fresh-bundle.js'

const bundle = freshBundle()
if (bundle === undefined) await import('./main.ts')
else await import(bundle.href)

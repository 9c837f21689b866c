import { docLinks } from 'schema'
import { expect, test } from 'vitest'
import { loaderOf, loaders } from './addresses.ts'

test('the code of every documentation page can be fetched ahead', () => {
  for (const { path } of docLinks) expect(loaderOf(path), path).toBe(loaders.doc)
})

import { docLinks } from 'schema'
import { expect, test } from 'vitest'
import { loadDocPage, loaderOf } from './addresses.ts'

test('the code of every documentation page can be fetched ahead', () => {
  for (const { path } of docLinks) expect(loaderOf(path), path).toBe(loadDocPage)
})

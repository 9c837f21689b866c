import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** The errors of orders that are refused before, or while, their idempotency key is looked up. */
const FILES = [
  '../orders/errors.ts',
  '../limits/errors.ts',
  '../upstream/errors.ts',
  '../exchanges/protocol/errors.ts',
]

test.each(FILES)('a refusal with 409 or 422 in %s says that nothing was sent', (file) => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const errors = text.split(/^(?=export (?:const|class) )/m)
  const refusals = errors.filter((error) => /^ +(?:409|422),$|, (?:409|422)\)/m.test(error))
  expect(refusals).not.toEqual([])
  for (const refusal of refusals) expect(refusal).toMatch(/^ {2}readonly sent = false$/m)
})

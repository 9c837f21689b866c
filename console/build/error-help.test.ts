import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { botErrors } from 'schema'
import { expect, test } from 'vitest'
import { readErrorHelp } from './error-help.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/errors.md', import.meta.url)), 'utf8')

test('every code of the page is explained, and links are read as their text', () => {
  const help = readErrorHelp(page)
  expect(Object.keys(help)).toHaveLength([...page.matchAll(/^\| `[A-Z_]+` \| \d{3} \|/gm)].length)
  expect(help).toMatchObject(Object.fromEntries(botErrors.map(({ code }) => [code, {}])))
  expect(help.TOKEN_EXPIRED).toEqual({ means: 'Its 600 seconds are over.', again: 'new token' })
  expect(JSON.stringify(help)).not.toContain('](')
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))

test('317. the language of numbers and dates is named in one module', () => {
  const naming = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\./.test(name))
    .filter((name) => /'en(-US)?'|toLocale\w+\(/.test(readFileSync(join(SOURCES, name), 'utf8')))
  expect(naming).toEqual([join('components', 'locale.ts')])
})

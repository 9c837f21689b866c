import { expect, test } from 'vitest'
import { ENV } from './table.ts'
import { misspeltIn } from './variable.ts'

const settings = Object.keys(ENV)
const meantBy = (name: string) => misspeltIn([name], settings)[0]?.meant

test.each([
  ['TRUST_PROXI', 'TRUST_PROXY'],
  ['TRUST_PORXY', 'TRUST_PROXY'],
  ['trust_proxy', 'TRUST_PROXY'],
  ['SLUICE_TRUST_PROXY', 'TRUST_PROXY'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['LOG_RETENTION', 'LOG_RETENTION_DAYS'],
  ['RATE_LIMIT', 'RATE_LIMIT_PER_SECOND'],
  ['PROT', 'PORT'],
])('%s was probably meant as %s', (name, meant) => {
  expect(meantBy(name)).toBe(meant)
})

test.each([
  ...['HOME', 'HOSTNAME', 'LOGNAME', 'PATH', 'PWD', 'TERM', 'NODE_ENV', 'LANG', 'SHELL', 'USER'],
])('%s is of another program', (name) => {
  expect(meantBy(name)).toBeUndefined()
})

test('no setting resembles another one so much that it is taken for it', () => {
  expect(misspeltIn(settings, settings)).toEqual([])
})

test('what is meant is not guessed when it is set as well', () => {
  expect(misspeltIn(['TRUST_PROXI', 'TRUST_PROXY'], settings)).toEqual([])
})

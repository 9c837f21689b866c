import { readdirSync, readFileSync } from 'node:fs'
import { EXCHANGES } from 'schema'
import { expect, test } from 'vitest'
import { CODE_LANGUAGES } from '../../components/code-block.tsx'
import { programsOf } from './programs.ts'

const folder = new URL('../../../../docs/bots/', import.meta.url)
const shown = (gatewayUrl: string) =>
  CODE_LANGUAGES.flatMap((language) =>
    (['both', ...EXCHANGES] as const).flatMap((group) => programsOf(language, group, gatewayUrl)),
  )

test('every program of docs/bots is shown once, under its own name', () => {
  const programs = shown('https://sluice.example')
  const files = readdirSync(folder).filter((file) => /[.](mjs|py|sh)$|^freqtrade.+json$/.test(file))
  expect(programs.map(({ file }) => file).toSorted()).toEqual(files.toSorted())
  for (const { file, code } of programs)
    expect(`${code}\n`).toBe(readFileSync(new URL(file, folder), 'utf8'))
})

test('the gateway of this console replaces the example', () => {
  const url = "https://gateway.example/$&$'"
  const programs = shown(url)
  const withUrl = programs.filter(({ code }) => code.includes(url)).map(({ file }) => file)
  expect(withUrl.toSorted()).toEqual([
    ...['bitget-ccxt-plain.mjs', 'bitget_ccxt_plain.py'],
    ...['freqtrade-bitget.json', 'freqtrade-mexc.json'],
    ...['sluice-token.mjs', 'sluice-token.sh', 'sluice.py'],
  ])
  for (const { code } of programs) expect(code).not.toContain('sluice.example')
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { keepLinesOf } from './build-gateway.ts'

test('each line of the file is still mapped to its source and line, with one entry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-map-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'main.js')
  writeFileSync(file, 'a(b)\n\n  c(d)\n')
  // a and b are in a.ts, line 1; c and d are in b.ts, lines 700 and 701.
  const mappings = 'AAAA,EAAE;;EC2rBA,EACA'
  writeFileSync(
    `${file}.map`,
    JSON.stringify({ version: 3, file: 'main.js', sources: ['a.ts', 'b.ts'], names: [], mappings }),
  )
  keepLinesOf(file)
  const kept = JSON.parse(readFileSync(`${file}.map`, 'utf8'))
  expect(kept.mappings.split(/[;,]/).filter(Boolean)).toHaveLength(2)
  const map = new SourceMap(kept)
  expect(map.findEntry(0, 3)).toMatchObject({ originalSource: 'a.ts', originalLine: 0 })
  expect(map.findEntry(2, 4)).toMatchObject({ originalSource: 'b.ts', originalLine: 699 })
})

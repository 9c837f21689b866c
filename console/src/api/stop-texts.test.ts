import { readFileSync } from 'node:fs'
import { ENDINGS } from 'schema'
import { expect, test } from 'vitest'
import { endings } from './stop-texts.ts'

const page = readFileSync(new URL('../../../docs/stops.md', import.meta.url), 'utf8')

test('docs/stops.md has the table of the dialogs', () => {
  const { columns, ways, passes, refused, waiting, working } = endings
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const word = (does: boolean) => (does ? passes : refused)
  const lines = [
    row(Object.values(columns)),
    row(Object.keys(columns).map(() => '---')),
    ...ENDINGS.map(({ way, opens, closes, cancels, reads, ...then }) =>
      row([
        ways[way],
        ...[opens, closes, cancels, reads].map(word),
        waiting[then.waiting],
        working[then.working],
      ]),
    ),
  ]
  expect(page).toContain(`\n\n${lines.join('\n')}\n\n`)
})

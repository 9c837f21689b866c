import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** As wide as the formatter makes code; it leaves comments as they are. */
const WIDTH_MAX = 100

/** Lines of a comment that are too wide; the linter's directives have to be on one line. */
function wideLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^\s*(?:\/\/|\/\*\*|\* |\*$)/.test(line) && !/\bbiome-ignore\b/.test(line))
    .filter((line) => line.length > WIDTH_MAX)
}

test('a comment is no wider than the code', () => {
  const files = globSync(
    '{schema,gateway,gateway/paper-exchange,console,scripts}/{src,test,e2e,build}/**/*.{ts,tsx,js}',
  )
  expect(files.length).toBeGreaterThan(900)
  expect(
    files.flatMap((file) =>
      wideLines(readFileSync(file, 'utf8')).map((line) => `${file}: ${line.trim()}`),
    ),
  ).toEqual([])
})

test('a wide comment is found, wide code and a directive are not', () => {
  const wide = 'x'.repeat(WIDTH_MAX)
  expect(wideLines(`// ${wide}\n/** ${wide} */\n * ${wide}`)).toHaveLength(3)
  expect(wideLines(`const a = '${wide}'\n  // biome-ignore lint/x: ${wide}`)).toEqual([])
})

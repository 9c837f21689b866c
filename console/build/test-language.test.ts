import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { inTestLanguage } from './test-language.ts'

test.each([
  [`export const open = 'Open it'`, `export const open = "⟦Óṕéń îť⟧"`],
  [`const of = (n: number) => \`\${n} of all\``, `const of = (n: number) => \`⟦\${n} óƒ àĺĺ⟧\``],
  [
    `const a = \`Since \${t && \` at \${t}\`}\\n\``,
    `const a = \`⟦Šîńćé \${t && \`⟦ àť \${t}⟧\`}\n⟧\``,
  ],
  [`const a = { 'two words': 'Words' } as const`, `const a = { 'two words': "⟦Ŵóŕđš⟧" } as const`],
])('%s', (source, translated) => {
  expect(inTestLanguage(source)).toBe(translated)
})

test.each([
  `import { x } from './state.ts'`,
  `type State = 'queued' | 'sent'`,
  `const names = {} satisfies Record<'one' | 'two', string>`,
  `const all = { value: 'active', href: '/logs' }`,
  `const is = (a: string) => a === 'active'`,
  `function f(a: string) { switch (a) { case 'sent': return 1 } }`,
  `const f = ({ state = 'sent' }) => state['kind']`,
  `const range = (a: string, b: string) => \`\${a} – \${b}\``,
])('%s has no text', (source) => {
  expect(inTestLanguage(source)).toBe(source)
})

// The check for English reads the pages. It does not see text that a style sheet writes.
test('no style sheet has a word in its content', () => {
  const sheets = globSync(fileURLToPath(new URL('../src/**/*.css', import.meta.url)))
  const found = sheets.flatMap((sheet) =>
    [...readFileSync(sheet, 'utf8').matchAll(/(?<!-)\bcontent:[^;}]*/g)].map(([rule]) => rule),
  )
  expect(new Set(found)).toEqual(new Set(['content: ""', 'content: attr(data-label)']))
})

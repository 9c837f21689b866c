import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellQuote, shellVariable } from './shell-quote.ts'

const echoed = (word: string, env: Record<string, string> = {}) =>
  execFileSync('sh', ['-c', `printf %s ${word}`], { env: { ...process.env, ...env } }).toString()

test.each(['plain', "it's", 'say "no"', '$HOME `id` \\ !! *', 'two\nlines', '', "''"])(
  'a shell reads %j back as it was',
  (text) => {
    expect(echoed(shellQuote(text))).toBe(text)
  },
)

test('a variable is put in double quotes when nothing else needs single ones', () => {
  expect(shellQuote(`Bearer ${shellVariable('TOKEN')}`)).toBe('"Bearer $TOKEN"')
})

test('a variable is filled in by the shell beside quotes of either kind', () => {
  const word = shellQuote(`{"a":"it's","b":"${shellVariable('SECRET')}"}`)
  expect(echoed(word, { SECRET: 's e c' })).toBe(`{"a":"it's","b":"s e c"}`)
})

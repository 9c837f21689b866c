import type { Setting } from './setting.ts'
import { SETTING_GROUPS } from './table.ts'

/** `.env.example`: every setting, commented out, with its default or an example. */
export function envExample(): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, settings]) => {
    const entries = Object.entries(settings).map(([name, setting]) => envEntry(name, setting))
    return [`# ----- ${title} -----`, ...entries].join('\n\n')
  })
  return `${[ENV_HEAD, ...groups].join('\n\n')}\n`
}

const ENV_HEAD = `# Settings of the gateway. Copy this file to .env and take the # away from what you want to change: what is
# commented out is the default, or an example where there is none. "npm start" and the commands beside it read .env;
# a variable of the environment goes before it.
#
# Made from gateway/src/env/table.ts by "npm run env-example".`

function envEntry(name: string, setting: Setting<unknown>): string {
  const { doc, unset, fallback, example = '' } = setting
  const absent = unset === undefined ? '' : ` Not set: ${unset}.`
  const lines = wrap(`${doc} Value: ${setting.expects}.${absent}`, 112)
  return [...lines.map((line) => `# ${line}`), `#${name}=${fallback ?? example}`].join('\n')
}

/** One table of all settings for the README. */
export function settingsTable(): string {
  const rows = Object.values(SETTING_GROUPS).flatMap((settings) => Object.entries(settings))
  return table(
    ['name', 'default', 'meaning'],
    rows.map(([name, setting]) => [`\`${name}\``, defaultOf(setting), setting.doc]),
  )
}

/** docs/operations/configuration.md, a table for each group. */
export function settingsPage(): string {
  const groups = Object.entries(SETTING_GROUPS).map(
    ([title, settings]) =>
      `## ${title}\n\n${table(
        ['name', 'default', 'what it may be', 'meaning'],
        Object.entries(settings).map(([name, setting]) => [
          `\`${name}\``,
          defaultOf(setting),
          setting.expects,
          setting.doc,
        ]),
      )}`,
  )
  return `${[PAGE_HEAD, ...groups].join('\n\n')}\n`
}

const PAGE_HEAD = `# Configuration

The gateway is configured by its environment, and \`npm start\` reads a file \`.env\` in the folder where it is started as
well; a variable of the environment goes before the file. \`.env.example\` is such a file with everything in it. Nothing has
to be set.

A wrong value stops the start. One message names everything that is wrong: the setting, what was found, what is expected.
\`npm run doctor\` says the same without starting anything.

Plain HTTP outside this machine, for the console, an exchange or the receiver of alerts, is refused unless
\`ALLOW_INSECURE_ORIGINS\` names that origin. So are a master key that was not drawn at random, a key file that others can read, and a first password that
everybody would try first.

This page is made from \`gateway/src/env/table.ts\` by \`npm run env-example\`.`

function defaultOf({ fallback, unset = '–' }: Setting<unknown>): string {
  return fallback === undefined ? unset : `\`${fallback}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}

/** Breaks a text into lines of at most `width` characters, words kept whole. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

import { ENV_GROUPS } from './table.ts'
import type { Variable } from './variable.ts'

/** The folder of the pages for operators, as the page of settings sees it. */
const OPERATIONS = '../operations/'

/** `.env.example`: every setting, commented out, with its default or an example. */
export function envExample(): string {
  const groups = Object.entries(ENV_GROUPS).map(([title, variables]) => {
    const entries = Object.entries(variables).map(([name, variable]) => envEntry(name, variable))
    return [`# ----- ${title} -----`, ...entries].join('\n\n')
  })
  return `${[ENV_HEAD, ...groups].join('\n\n')}\n`
}

const ENV_HEAD = `# Settings of the gateway. Copy this file to .env and uncomment what you want to change. A commented-out value is the
# default, or an example where there is no default. "npm start" and the other commands read .env; a variable of the
# environment overrides it.
#
# Generated from gateway/src/env/table.ts by "npm run env-example".`

function envEntry(name: string, variable: Variable<unknown>): string {
  const { doc, unset, fallback, example = '' } = variable
  const absent = unset === undefined ? '' : ` Not set: ${unset}.`
  const lines = wrap(`${doc} Value: ${variable.expects}.${absent}`, 112)
  return [...lines.map((line) => `# ${line}`), `#${name}=${fallback ?? example}`].join('\n')
}

/** docs/reference/settings.md: one table per group. */
export function envPage(): string {
  const groups = Object.entries(ENV_GROUPS).map(
    ([title, variables]) =>
      `## ${title}\n\n${table(
        ['name', 'default', 'allowed values', 'meaning'],
        Object.entries(variables).map(([name, variable]) => [
          `\`${name}\``,
          defaultOf(variable),
          variable.expects,
          variable.doc,
        ]),
      )}`,
  )
  return `${[PAGE_HEAD, ...groups].join('\n\n')}\n`
}

const PAGE_HEAD = `# Settings

For operators: every setting of the gateway, with its default, the allowed values and what it does. The gateway reads them from environment variables. \`npm start\` also reads a file \`.env\` in the folder where you start
it; an environment variable overrides the file. \`.env.example\` is such a file with every setting in it. No setting is required.

A wrong value stops the start. One message names everything that is wrong: the setting, the value found, the value expected.
A variable whose name resembles a setting, such as \`TRUST_PROXI\`, is a warning at the start that names the setting; its value is not shown.
\`npm run doctor\` reports the same without starting anything.

The gateway does not start with these: plain HTTP to a console, an exchange or a receiver of alerts outside this machine, unless
\`ALLOW_INSECURE_ORIGINS\` names its origin; a master key that is not random; a key file that other users can read; a first password that
an attacker would guess first.

\`DATABASE_URL\` names a file or a PostgreSQL: [postgresql.md](${OPERATIONS}postgresql.md) says what the server needs, how to back it up and how to restore it.
Several gateways on one PostgreSQL also need \`NODE_URL\`: [high-availability.md](${OPERATIONS}high-availability.md).

This page is generated from \`gateway/src/env/table.ts\` by \`npm run env-example\`.`

function defaultOf({ fallback, unset = '–' }: Variable<unknown>): string {
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

import { readFileSync } from 'node:fs'
import { limits } from '../../../console/src/features/clients/client-page-texts.ts'

const PAGE = readFileSync('docs/install.md', 'utf8')

/** The blocks of commands, in their order. */
const BLOCKS = [...PAGE.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent = '', text = '']) =>
  text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
)
const isOfContainers = (line: string) => /^docker /.test(line)
const isForRoot = (block: string) => /^(apt-get|systemctl|setcap) /m.test(block)
const UNPACK = /^tar -xf sluice-\*-linux.*\n/m
const UNTIL_CTRL_C = /^\.\/sluice (.*?) +# until Ctrl-C\n/gm

/** What `docs/install.md` lets a person type and choose, for those who do so in a test. */
export const installPage = {
  /** Of containers, a command each. */
  containers: BLOCKS.flatMap((block) => block.replaceAll('\\\n', '').split('\n')).filter(
    isOfContainers,
  ),
  /** What is written into `.env` for containers. */
  containersEnv: envOf(BLOCKS.find((block) => block.includes('COMPOSE_FILE=compose')) ?? ''),
  unpack: BLOCKS.map((block) => UNPACK.exec(block)?.[0]).find((line) => line !== undefined) ?? '',
  /** The arguments of what runs until it is stopped. */
  untilStopped: BLOCKS.flatMap((block) =>
    [...block.matchAll(UNTIL_CTRL_C)].map(([, args = '']) => args.split(' ')),
  ),
  /** Without containers, as an ordinary user, after unpacking. */
  others: BLOCKS.filter((block) => !isForRoot(block) && !/^docker compose up/m.test(block))
    .map((block) => block.replace(UNPACK, '').replaceAll(UNTIL_CTRL_C, ''))
    .map((block) =>
      block
        .split('\n')
        .filter((line) => !isOfContainers(line))
        .join('\n'),
    )
    .filter((block) => block.trim() !== ''),
  limits: limitsOf(PAGE),
  /** What the console is said to have, as it is written there. */
  labels: [...PAGE.matchAll(/(?<!\*)\*([A-Z][^*\n]+)\*(?!\*)/g)].flatMap(([, label = '']) =>
    label === 'It worked' ? [] : [label],
  ),
}

function envOf(block: string): Readonly<Record<string, string>> {
  const lines = [...block.matchAll(/^([A-Z_]+)=(.*)$/gm)]
  return Object.fromEntries(lines.map(([, name, value]) => [name, value]))
}

/** The table of limits, as the API takes them; each row has the label of the console's field. */
function limitsOf(page: string): Readonly<Record<string, unknown>> {
  const [, table = ''] = /^\| limit \| value \| so that \|\n.*\n((?:\|.*\n)+)/m.exec(page) ?? []
  const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)]
  return Object.fromEntries(
    rows.map(([, label = '', written = '']) => {
      const found = Object.entries(limits.fields).find(
        ([, field]) => 'label' in field && field.label === label,
      )
      if (found === undefined) throw new Error(`The console has no limit "${label}"`)
      const [name, field] = found
      const value = written.replaceAll('`', '')
      if (name === 'symbols') return [name, [value]]
      if ('choices' in field)
        return [name, field.choices.find((choice) => choice.label === value)?.value]
      return [name, 'unit' in field && field.unit === 'orders' ? Number(value) : value]
    }),
  )
}

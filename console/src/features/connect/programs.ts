import type { ExchangeCode } from 'schema'
import type { CodeLanguage } from '../../components/code-block.tsx'
import * as texts from './texts.ts'

/** A program of `docs/bots` as the page shows it. */
export interface Program {
  readonly title: string
  /** The name to save it under: other programs import it by this name. */
  readonly file: string
  readonly code: string
}

/** `both` holds what the programs of each exchange build on. */
export type ProgramGroup = ExchangeCode | 'both'

const words = texts.programs
type Programs = Readonly<Record<ProgramGroup, readonly Omit<Program, 'code'>[]>>

const programs: Readonly<Record<CodeLanguage, Programs>> = {
  curl: {
    both: [{ title: words.token, file: 'sluice-token.sh' }],
    mx: [{ title: words.shell, file: 'mexc.sh' }],
    bg: [{ title: words.shell, file: 'bitget.sh' }],
  },
  javascript: {
    both: [
      { title: words.token, file: 'sluice-token.mjs' },
      { title: words.ccxt, file: 'sluice-ccxt.mjs' },
      { title: words.door, file: 'sluice-door.mjs' },
      { title: words.events, file: 'streams-events.mjs' },
    ],
    mx: [
      { title: 'fetch', file: 'mexc-fetch.mjs' },
      { title: 'ccxt', file: 'mexc-ccxt.mjs' },
      { title: 'mexc-api-sdk', file: 'mexc-api-sdk.mjs' },
    ],
    bg: [
      { title: 'fetch', file: 'bitget-fetch.mjs' },
      { title: words.bitget, file: 'sluice-bitget.mjs' },
      { title: 'bitget-api', file: 'bitget-api.mjs' },
      { title: words.bitgetStreams, file: 'streams-bitget-api.mjs' },
      { title: 'ccxt', file: 'bitget-ccxt.mjs' },
      { title: words.streams, file: 'streams-ccxt.mjs' },
      { title: words.plain, file: 'bitget-ccxt-plain.mjs' },
    ],
  },
  python: {
    both: [
      { title: words.python, file: 'sluice.py' },
      { title: words.events, file: 'streams_events.py' },
    ],
    mx: [
      { title: 'requests', file: 'mexc_requests.py' },
      { title: 'ccxt', file: 'mexc_ccxt.py' },
      { title: words.freqtrade, file: 'freqtrade-mexc.json' },
    ],
    bg: [
      { title: 'requests', file: 'bitget_requests.py' },
      { title: 'ccxt', file: 'bitget_ccxt.py' },
      { title: words.plain, file: 'bitget_ccxt_plain.py' },
      { title: words.freqtrade, file: 'freqtrade-bitget.json' },
    ],
  },
}

const FOLDER = '../../../../docs/bots/'
/** What the files contain. The patterns must be written out: they are read when it is built. */
const sources = import.meta.glob<string>(
  ['../../../../docs/bots/*.{mjs,py,sh}', '../../../../docs/bots/freqtrade-*.json'],
  { query: '?raw', import: 'default', eager: true },
)

/** The address in the files of `docs/bots`, used when `SLUICE_URL` is not set. */
const EXAMPLE_URL = 'https://sluice.example'

/**
 * The programs of one group in one language, with the gateway's address in place of the example.
 */
export function programsOf(
  language: CodeLanguage,
  group: ProgramGroup,
  gatewayUrl: string,
): Program[] {
  return programs[language][group].map((program) => {
    const source = sources[`${FOLDER}${program.file}`] ?? ''
    return { ...program, code: source.replaceAll(EXAMPLE_URL, () => gatewayUrl).trimEnd() }
  })
}

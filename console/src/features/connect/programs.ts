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

const {
  token: TOKEN,
  ccxt: CCXT_BASE,
  plain: CCXT_ALONE,
  bitget: BITGET_BASE,
  freqtrade: FREQTRADE,
  python: PYTHON,
  door: DOOR,
  shell: SHELL,
} = texts.programs

type Programs = Readonly<Record<ProgramGroup, readonly Omit<Program, 'code'>[]>>

const programs: Readonly<Record<CodeLanguage, Programs>> = {
  curl: {
    both: [{ title: TOKEN, file: 'sluice-token.sh' }],
    mx: [{ title: SHELL, file: 'mexc.sh' }],
    bg: [{ title: SHELL, file: 'bitget.sh' }],
  },
  javascript: {
    both: [
      { title: TOKEN, file: 'sluice-token.mjs' },
      { title: CCXT_BASE, file: 'sluice-ccxt.mjs' },
      { title: DOOR, file: 'sluice-door.mjs' },
    ],
    mx: [
      { title: 'fetch', file: 'mexc-fetch.mjs' },
      { title: 'ccxt', file: 'mexc-ccxt.mjs' },
      { title: 'mexc-api-sdk', file: 'mexc-api-sdk.mjs' },
    ],
    bg: [
      { title: 'fetch', file: 'bitget-fetch.mjs' },
      { title: BITGET_BASE, file: 'sluice-bitget.mjs' },
      { title: 'bitget-api', file: 'bitget-api.mjs' },
      { title: 'ccxt', file: 'bitget-ccxt.mjs' },
      { title: CCXT_ALONE, file: 'bitget-ccxt-plain.mjs' },
    ],
  },
  python: {
    both: [{ title: PYTHON, file: 'sluice.py' }],
    mx: [
      { title: 'requests', file: 'mexc_requests.py' },
      { title: 'ccxt', file: 'mexc_ccxt.py' },
      { title: FREQTRADE, file: 'freqtrade-mexc.json' },
    ],
    bg: [
      { title: 'requests', file: 'bitget_requests.py' },
      { title: 'ccxt', file: 'bitget_ccxt.py' },
      { title: CCXT_ALONE, file: 'bitget_ccxt_plain.py' },
      { title: FREQTRADE, file: 'freqtrade-bitget.json' },
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

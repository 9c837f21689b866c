import type { ExchangeCode } from 'schema'
import bitgetSh from '../../../../docs/bots/bitget.sh?raw'
import bitgetCcxtPy from '../../../../docs/bots/bitget_ccxt.py?raw'
import bitgetCcxtPlainPy from '../../../../docs/bots/bitget_ccxt_plain.py?raw'
import bitgetRequestsPy from '../../../../docs/bots/bitget_requests.py?raw'
import bitgetApiMjs from '../../../../docs/bots/bitget-api.mjs?raw'
import bitgetCcxtMjs from '../../../../docs/bots/bitget-ccxt.mjs?raw'
import bitgetCcxtPlainMjs from '../../../../docs/bots/bitget-ccxt-plain.mjs?raw'
import bitgetFetchMjs from '../../../../docs/bots/bitget-fetch.mjs?raw'
import freqtradeBitgetJson from '../../../../docs/bots/freqtrade-bitget.json?raw'
import freqtradeMexcJson from '../../../../docs/bots/freqtrade-mexc.json?raw'
import mexcSh from '../../../../docs/bots/mexc.sh?raw'
import mexcCcxtPy from '../../../../docs/bots/mexc_ccxt.py?raw'
import mexcRequestsPy from '../../../../docs/bots/mexc_requests.py?raw'
import mexcApiSdkMjs from '../../../../docs/bots/mexc-api-sdk.mjs?raw'
import mexcCcxtMjs from '../../../../docs/bots/mexc-ccxt.mjs?raw'
import mexcFetchMjs from '../../../../docs/bots/mexc-fetch.mjs?raw'
import sluicePy from '../../../../docs/bots/sluice.py?raw'
import sluiceBitgetMjs from '../../../../docs/bots/sluice-bitget.mjs?raw'
import sluiceCcxtMjs from '../../../../docs/bots/sluice-ccxt.mjs?raw'
import sluiceDoorMjs from '../../../../docs/bots/sluice-door.mjs?raw'
import sluiceTokenMjs from '../../../../docs/bots/sluice-token.mjs?raw'
import sluiceTokenSh from '../../../../docs/bots/sluice-token.sh?raw'
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

const programs: Readonly<Record<CodeLanguage, Readonly<Record<ProgramGroup, readonly Program[]>>>> =
  {
    curl: {
      both: [{ title: TOKEN, file: 'sluice-token.sh', code: sluiceTokenSh }],
      mx: [{ title: SHELL, file: 'mexc.sh', code: mexcSh }],
      bg: [{ title: SHELL, file: 'bitget.sh', code: bitgetSh }],
    },
    javascript: {
      both: [
        { title: TOKEN, file: 'sluice-token.mjs', code: sluiceTokenMjs },
        { title: CCXT_BASE, file: 'sluice-ccxt.mjs', code: sluiceCcxtMjs },
        { title: DOOR, file: 'sluice-door.mjs', code: sluiceDoorMjs },
      ],
      mx: [
        { title: 'fetch', file: 'mexc-fetch.mjs', code: mexcFetchMjs },
        { title: 'ccxt', file: 'mexc-ccxt.mjs', code: mexcCcxtMjs },
        { title: 'mexc-api-sdk', file: 'mexc-api-sdk.mjs', code: mexcApiSdkMjs },
      ],
      bg: [
        { title: 'fetch', file: 'bitget-fetch.mjs', code: bitgetFetchMjs },
        { title: BITGET_BASE, file: 'sluice-bitget.mjs', code: sluiceBitgetMjs },
        { title: 'bitget-api', file: 'bitget-api.mjs', code: bitgetApiMjs },
        { title: 'ccxt', file: 'bitget-ccxt.mjs', code: bitgetCcxtMjs },
        { title: CCXT_ALONE, file: 'bitget-ccxt-plain.mjs', code: bitgetCcxtPlainMjs },
      ],
    },
    python: {
      both: [{ title: PYTHON, file: 'sluice.py', code: sluicePy }],
      mx: [
        { title: 'requests', file: 'mexc_requests.py', code: mexcRequestsPy },
        { title: 'ccxt', file: 'mexc_ccxt.py', code: mexcCcxtPy },
        { title: FREQTRADE, file: 'freqtrade-mexc.json', code: freqtradeMexcJson },
      ],
      bg: [
        { title: 'requests', file: 'bitget_requests.py', code: bitgetRequestsPy },
        { title: 'ccxt', file: 'bitget_ccxt.py', code: bitgetCcxtPy },
        { title: CCXT_ALONE, file: 'bitget_ccxt_plain.py', code: bitgetCcxtPlainPy },
        { title: FREQTRADE, file: 'freqtrade-bitget.json', code: freqtradeBitgetJson },
      ],
    },
  }

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
  return programs[language][group].map((program) => ({
    ...program,
    code: program.code.replaceAll(EXAMPLE_URL, () => gatewayUrl).trimEnd(),
  }))
}

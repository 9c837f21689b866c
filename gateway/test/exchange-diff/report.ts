import {
  type CallDiff,
  type CodeDiff,
  compareCalls,
  compareCodes,
  compareRates,
  type RateDiff,
} from './compare.ts'
import { readSdkCalls, readSdkCodes } from './sdk-tables.ts'

export interface ExchangeDiff {
  readonly calls: CallDiff
  readonly codes: CodeDiff
  readonly rates: RateDiff
}

/** Compares what the gateway knows of the exchanges with the installed SDKs. Sends nothing. */
export function exchangeDiff(): ExchangeDiff {
  const calls = readSdkCalls()
  return {
    calls: compareCalls(calls),
    codes: compareCodes(readSdkCodes()),
    rates: compareRates(calls),
  }
}

/** What somebody has to decide, each below a line that says how. Empty when there is nothing. */
export function problemsOf({ calls, codes, rates }: ExchangeDiff): string[] {
  return [
    ...section(
      'Nobody has decided about these calls. Name each in gateway/src/exchanges/policy/{mexc,bitget}.ts, or close it with the reason in closed.ts',
      calls.undecided,
    ),
    ...section(
      'Nobody has classed these codes. Add each to responses.ts of its exchange, or to gateway/test/exchange-diff/unclassed-codes.ts with the reason',
      codes.undecided,
    ),
    ...section(
      'ccxt has other numbers for these calls. Correct limits.ts of the exchange, or say why in gateway/test/exchange-diff/compare.ts',
      rates.undecided,
    ),
    ...section('Listed in unclassed-codes.ts for nothing', codes.stale),
    ...section('Listed as a difference in compare.ts, and none any more', rates.stale),
  ]
}

/** What is worth knowing, and nothing to decide. */
export function factsOf({ calls, codes, rates }: ExchangeDiff): string[] {
  return [
    `Calls: the SDKs know ${calls.known}, ${calls.open} of them are open`,
    ...section('Open, and known to no SDK', calls.unknownToSdks),
    `Error codes: ccxt knows ${codes.known}, ${codes.classed} of them have a class`,
    ...section(
      'ccxt takes these for a state that passes, the gateway for a rejection',
      codes.otherwise,
    ),
    `Limits: ${rates.compared} calls have a number here and in ccxt`,
  ]
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  - ${line}`)]
}

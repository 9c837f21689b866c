import type { Config } from '../../config.ts'
import type { Family } from '../../exchanges/exchange.ts'
import { adapters } from '../../exchanges/registry.ts'
import { signCall } from '../../exchanges/sign.ts'
import { readTime, timeCall } from '../../exchanges/time.ts'
import { createTransport, type Transport } from '../../upstream/transport.ts'
import { about, type Finding } from './finding.ts'

export const PATIENCE_MS = 10_000
/**
 * With a larger drift, the exchange rejects some signatures. Orders are signed with the exchange's
 * own time and are not affected.
 */
const DRIFT_WARN_MS = 1_000
/** With this much, tokens expire early or last longer, and certificates may seem invalid. */
const DRIFT_FAIL_MS = 30_000

export interface ExchangeCheckDeps {
  readonly nowMs: () => number
  /** Absent: the transport's default. */
  readonly timeoutMs?: number
}

/** Asks each exchange for its time, with one public call each, one after another. */
export async function checkExchanges(
  { upstream }: Pick<Config, 'upstream'>,
  deps: ExchangeCheckDeps,
): Promise<readonly Finding[]> {
  const { nowMs, timeoutMs = PATIENCE_MS } = deps
  const transport = createTransport({ origins: upstream, timeoutMs, maxResponseBytes: 65_536 })
  try {
    const findings: Finding[] = []
    for (const { family } of adapters.all)
      findings.push(...(await checkOne(transport, family, upstream[family], nowMs)))
    return findings
  } finally {
    await transport.close()
  }
}

async function checkOne(
  transport: Transport,
  family: Family,
  origin: string,
  nowMs: () => number,
): Promise<readonly Finding[]> {
  const { ok, fail } = about(adapters.of(family).title)
  try {
    const response = await transport.send(family, signCall(timeCall(family), null, nowMs()))
    const timeMs = readTime(family, response)
    if (timeMs === undefined)
      return [
        fail(
          `${origin} responded with ${response.status} instead of its time`,
          'Exchanges block addresses of some countries and cloud providers: try another outgoing address. Or the exchange is down, or this is not an exchange.',
        ),
      ]
    const reached = ok(`${origin} responded in ${response.upstreamMs} ms`)
    return [reached, checkClock(family, timeMs + response.upstreamMs / 2 - nowMs())]
  } catch (error) {
    const reason = reasonOf(error)
    const advice = CERTIFICATE.test(reason) ? CERTIFICATE_ADVICE : ADVICE
    return [fail(`${origin} cannot be reached: ${reason}`, advice)]
  }
}

const ADVICE =
  'Check the name, the internet connection of this machine and its firewall. The gateway starts anyway and connects once the exchange can be reached.'

/** The codes with which Node rejects a certificate. */
const CERTIFICATE = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/
const CERTIFICATE_ADVICE =
  'The certificate that came is not accepted, so nothing was sent. Check the clock of this machine, then who ends TLS on the way (a proxy of your network), and NODE_EXTRA_CA_CERTS. Never switch the check off.'

function checkClock(family: Family, aheadMs: number): Finding {
  const { ok, warn, fail } = about('clock')
  const found = `${adapters.of(family).title} is ${Math.abs(Math.round(aheadMs))} ms ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`
  if (Math.abs(aheadMs) <= DRIFT_WARN_MS) return ok(found)
  return (Math.abs(aheadMs) > DRIFT_FAIL_MS ? fail : warn)(
    found,
    'Synchronise the clock by NTP. Orders use the exchange’s clock; the log and the tokens use this machine’s.',
  )
}

/** The innermost cause of an error: a code of the system, such as ENOTFOUND. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return 'code' in error ? `${String(error.code)} (${error.message})` : error.message
}

import { parseJson } from '../components/format-json.ts'
import * as texts from './texts.ts'

let url = window.location.origin
let isOpenId = false
let reading: Promise<void> | undefined

/**
 * The gateway's base URL without a trailing slash; the page's own origin until and unless another
 * is configured.
 */
export function gatewayUrl(): string {
  return url
}

/** Whether `/config.json` says that people may sign in at an OpenID Connect provider. */
export function hasOpenId(): boolean {
  return isOpenId
}

/**
 * Done when `/config.json` has said where the gateway is, or that nothing is configured; every call
 * waits for it, so that neither a password nor a token goes to the wrong place. A read that failed
 * is made again by the next call.
 * @throws TypeError when the file cannot be read
 */
export function loadGatewayUrl(): Promise<void> {
  reading ??= readConfig().catch((cause: unknown) => {
    reading = undefined
    throw new TypeError(texts.noAddress, { cause })
  })
  return reading
}

// Under way while the page starts. A failure is nobody's yet: the first call reads again, and
// reports it.
loadGatewayUrl().catch(() => {})

async function readConfig(): Promise<void> {
  const response = await fetch('/config.json', {
    cache: 'no-store',
    signal: AbortSignal.timeout(10_000),
  })
  if (response.status === 404) return
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  url = gatewayUrlOf(await response.text()) ?? url
}

/** Undefined when nothing is configured: no address in the file, or the start page in its place. */
function gatewayUrlOf(text: string): string | undefined {
  const { gatewayUrl: configured, openId } = Object(parseJson(text))
  isOpenId = openId === true
  if (typeof configured !== 'string' || !URL.canParse(configured)) return undefined
  const { protocol, href } = new URL(configured)
  return protocol === 'https:' || protocol === 'http:' ? href.replace(/\/+$/, '') : undefined
}

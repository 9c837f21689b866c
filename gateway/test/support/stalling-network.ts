import { onTestFinished } from 'vitest'
import { type HoldingProxy, startHoldingProxy } from './holding-proxy.ts'

/** A network in front of a database that can be made to say nothing. It goes with the test. */
export async function startStallingNetwork(
  databaseUrl: string,
): Promise<{ readonly url: string; readonly proxy: HoldingProxy }> {
  const url = new URL(databaseUrl)
  const target = Number(url.port)
  const proxy = await startHoldingProxy(() => target)
  onTestFinished(() => proxy.close())
  url.port = `${proxy.port}`
  return { url: url.href, proxy }
}

import { EXCHANGES, type ExchangeCode } from 'schema'
import type { Lane } from '../lane/lane-types.ts'
import type { SettingsStore } from '../store/settings-store.ts'
import type { Delivery } from './delivery.ts'

export interface KillSwitchDeps {
  readonly settings: Pick<SettingsStore, 'get' | 'set'>
  readonly lanes: Readonly<Record<ExchangeCode, Pick<Lane<Delivery>, 'stop' | 'resume'>>>
}

/** Stops an exchange and remembers it: a restart must not let go what a person stopped. */
export function createKillSwitch({ settings, lanes }: KillSwitchDeps) {
  const nameOf = (exchange: ExchangeCode) => `stopped.${exchange}`
  return {
    /** Stops again what was stopped before the restart. */
    async restore(): Promise<void> {
      for (const exchange of EXCHANGES) {
        const reason = await settings.get(nameOf(exchange))
        if (reason !== undefined && reason !== '') lanes[exchange].stop(reason)
      }
    },

    /** The lane stops first: whatever the disk does, nothing more goes out. @throws StoreUnwritableError */
    async stop(exchange: ExchangeCode, reason: string): Promise<void> {
      lanes[exchange].stop(reason)
      await settings.set(nameOf(exchange), reason)
    },

    /** @throws StoreUnwritableError */
    async resume(exchange: ExchangeCode): Promise<void> {
      await settings.set(nameOf(exchange), '')
      lanes[exchange].resume()
    },
  }
}
export type KillSwitch = ReturnType<typeof createKillSwitch>

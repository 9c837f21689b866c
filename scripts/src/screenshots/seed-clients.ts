import { EXCHANGES } from 'schema'
import type { NewSecret, World } from './start-world.ts'

/** The bots that call; a retired one is in the list too. */
export type Bot = 'gridBot' | 'arbitrage' | 'marketMaker'

/**
 * One bot works at both exchanges, one has a mistyped key, one has keys that nobody tested, one is
 * switched off.
 */
export async function seedClients({ admin }: World): Promise<Record<Bot, NewSecret>> {
  const retired = await admin.newClient('momentum-2025')
  const marketMaker = await admin.newClient('market-maker-eu-west-1-production-a', 'Quotes SOL')
  const arbitrage = await admin.newClient('arbitrage', 'Watches spreads, trades rarely')
  const gridBot = await admin.newClient('grid-bot', 'BTC and ETH grid on both exchanges')
  for (const client of [marketMaker, arbitrage, gridBot]) {
    for (const exchange of EXCHANGES) {
      const isMistyped = client === arbitrage && exchange === 'mx'
      await admin.newKeys(client.clientId, exchange, isMistyped)
      if (client !== marketMaker) await admin.testKeys(client.clientId, exchange)
    }
  }
  await admin.switch(retired.clientId, false)
  return { gridBot, arbitrage, marketMaker }
}

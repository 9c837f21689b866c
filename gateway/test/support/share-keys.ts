import type { Bot } from './bot-of.ts'

/** Stores the keys of one bot for another one too. */
export async function shareKeys(from: Bot, to: Bot): Promise<void> {
  const [mexcKey, mexcSecret, bitgetKey, bitgetSecret, passphrase] = from.keys
  for (const keys of [
    { exchange: 'mx', apiKey: mexcKey, apiSecret: mexcSecret },
    { exchange: 'bg', apiKey: bitgetKey, apiSecret: bitgetSecret, passphrase },
  ])
    await from.admin('POST', '/client-api-keys', { clientId: to.clientId, ...keys })
}

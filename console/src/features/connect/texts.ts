import { TOKEN_TTL_SECONDS } from 'schema'

export const texts = {
  title: 'Connect a bot',
  description:
    'An existing bot changes its base URL and adds one header. Its exchange keys stay in Sluice.',
  exchange: 'Exchange',
  language: 'Language',
  before: {
    title: 'Before the first call',
    client: 'Create a client credential',
    clientRest: 'for the bot, with no more permissions than it needs.',
    keys: 'Store its exchange keys',
    keysRest: 'and test them.',
    variables: 'Environment',
    environment: 'Give the bot its id and secret as environment variables:',
  },
  settings: {
    title: 'What to set in the bot',
    description: 'The paths behind the base URL are those of the exchange itself',
    baseUrl: 'Base URL',
    header: 'Header',
    token: 'Token',
    placeholder: 'Key, secret',
    placeholderHint:
      'Whatever key, secret and passphrase an SDK asks for: type any placeholder. Sluice takes away what it signs and signs anew with the stored keys.',
  },
  token: {
    title: '1. What the programs share',
    description: `A token lives ${TOKEN_TTL_SECONDS} seconds; the programs get the next one before it ends`,
  },
  calls: {
    title: (exchange: string) => `2. Call ${exchange}`,
    description: 'Each program is complete: a price, the balances, an order',
  },
  headers: {
    title: 'Headers worth sending',
    description: 'Sluice reads them and keeps them from the exchange',
  },
  errors: {
    title: 'What errors mean',
    description:
      'Decide by the code in the body; an answer with other bodies is the exchange’s own',
    columns: ['Code', 'It means', 'What to do'],
    rest: 'All of them, with every call, parameter and sample:',
    restLink: 'the OpenAPI pages of this gateway',
  },
} as const

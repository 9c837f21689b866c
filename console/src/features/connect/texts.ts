import { EXCHANGE_NAMES, TOKEN_TTL_SECONDS } from 'schema'

export const title = 'Connect a bot'
export const description =
  'An existing bot changes its base URL and adds one header. Its exchange keys stay in Sluice.'
export const exchange = 'Exchange'
export const language = 'Language'
export const before = {
  title: 'Before the first call',
  steps: [
    {
      href: '/client-credentials',
      link: 'Create a client credential',
      rest: 'for the bot, with no more permissions than it needs.',
    },
    { href: '/api-key-management', link: 'Store its exchange keys', rest: 'and test them.' },
  ],
  variables: 'Environment',
  environment: 'Give the bot its id and secret as environment variables:',
} as const
export const settings = {
  title: 'What to set in the bot',
  description: 'The paths after the base URL are the exchange’s own',
  baseUrl: 'Base URL',
  header: 'Header',
  token: 'Token',
  placeholder: 'Key, secret',
  placeholderHint:
    'If an SDK asks for a key, secret or passphrase, enter any placeholder. Sluice removes the SDK’s signature and signs each call itself with the stored keys.',
  origin: (origin: string) =>
    `Bots call the gateway, not this page’s origin ${origin}, which only a browser uses.`,
  bitgetKinds:
    'Bitget’s /api/v2 serves classic accounts, /api/v3 unified ones; new accounts are unified. Sluice’s own /api/bg/v1 serves both.',
} as const
export const programs = {
  token: 'Get a token, and a new one before it expires',
  ccxt: 'ccxt, for both exchanges',
  plain: 'ccxt alone, for a client that may send its secret as the bearer',
  bitget: 'bitget-api, with the token and a key in each call',
  events: 'Events of both exchanges; resumes without loss',
  streams: 'Order updates, by the WebSocket of ccxt',
  bitgetStreams: 'Order updates, by the WebSocket of bitget-api',
  freqtrade: 'freqtrade, for a client that may send its secret as the bearer',
  python: 'A token, and ccxt for both exchanges',
  door: 'A local proxy for any other SDK',
  shell: 'Price, balances, an order',
} as const
const CALLS = 'Each program is complete: it reads a price and the balances and places an order'
export const programGroups = {
  both: {
    title: '1. What the programs share',
    description: `A token is valid for ${TOKEN_TTL_SECONDS} seconds; the programs get the next one before it expires`,
  },
  mx: { title: `2. Call ${EXCHANGE_NAMES.mx}`, description: CALLS },
  bg: { title: `2. Call ${EXCHANGE_NAMES.bg}`, description: CALLS },
} as const
export const headers = {
  title: 'Headers to send',
  description: 'Sluice reads these headers and does not pass them to the exchange',
} as const
export const errors = {
  title: 'What errors mean',
  description:
    'Decide by outcome and retryable when they are given, otherwise by code. On the exchange’s own paths they are in sluice, beside the form of the exchange’s errors; a body without it comes from the exchange itself',
  columns: { code: 'Code', means: 'It means', todo: 'What to do' },
  rest: 'All calls, with parameters and samples:',
  restLink: 'the OpenAPI pages of this gateway',
} as const

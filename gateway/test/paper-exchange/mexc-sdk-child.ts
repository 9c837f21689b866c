// The SDK is synchronous: it blocks its whole process until the response is there, so it cannot run
// in the process that serves the response.
import { createRequire } from 'node:module'

interface Sdk {
  config: { baseURL: string }
  [method: string]: unknown
}

interface Session {
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly calls: readonly [method: string, ...args: unknown[]][]
}

const { Spot } = createRequire(import.meta.url)('mexc-api-sdk')

const sessions: readonly Session[] = JSON.parse(process.argv[2] ?? '[]')
/** What a call returned or threw, for each call of each session. */
const responses = sessions.map(({ url, apiKey, apiSecret, calls }) => {
  const sdk: Sdk = new Spot(apiKey, apiSecret)
  sdk.config.baseURL = `${url}/api/v3`
  return calls.map(([name, ...args]) => {
    try {
      const method = sdk[name]
      return typeof method === 'function' ? method.apply(sdk, args) : { noSuchMethod: name }
    } catch (error) {
      const { statusCode, body } = Object(error)
      return { statusCode, rejection: JSON.parse(`${body}`) }
    }
  })
})
console.log(JSON.stringify(responses))

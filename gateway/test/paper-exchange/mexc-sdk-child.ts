// The SDK is synchronous: it blocks its whole process until the response is there, so it cannot run
// in the process that serves the response.
import { createRequire } from 'node:module'

interface Sdk {
  config: { baseURL: string }
  [method: string]: unknown
}

const { Spot } = createRequire(import.meta.url)('mexc-api-sdk')
const { url, apiKey, apiSecret, calls } = JSON.parse(process.argv[2] ?? '{}')
const sdk: Sdk = new Spot(apiKey, apiSecret)
sdk.config.baseURL = `${url}/api/v3`
const responses = calls.map(([name, ...args]: [string, ...unknown[]]) => {
  try {
    const method = sdk[name]
    return typeof method === 'function' ? method.apply(sdk, args) : { noSuchMethod: name }
  } catch (error) {
    const { statusCode, body } = Object(error)
    return { statusCode, rejection: JSON.parse(`${body}`) }
  }
})
console.log(JSON.stringify(responses))

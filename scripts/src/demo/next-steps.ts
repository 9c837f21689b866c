import { DEMO_ADMIN, DEMO_CLASSIC_CLIENT, DEMO_CLIENT } from './seed.ts'
import type { Demo } from './start-demo.ts'

/** What runs where, and commands that can be pasted as they are. */
export function nextSteps(demo: Demo): string {
  const { gatewayUrl, consoleUrl, paperUrl, adminPassword, clientSecret, logFile } = demo
  const { classicSecret } = demo
  const credentials = JSON.stringify({ clientId: DEMO_CLIENT, clientSecret })
  const order = JSON.stringify({
    symbol: 'BTC_USDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '60000',
  })
  const classic =
    classicSecret === undefined
      ? ''
      : `
A second client has keys for a classic account of Bitget:

export SLUICE_CLIENT_ID=${DEMO_CLASSIC_CLIENT} SLUICE_CLIENT_SECRET='${classicSecret}'
`
  return `
Sluice is running. Its exchange is made of paper: no real money moves.

  Console         ${consoleUrl}
  sign in with    ${DEMO_ADMIN}
  password        ${adminPassword ?? 'as you have changed it in the console, or with your second factor'}

  Gateway         ${gatewayUrl}   (API pages: ${gatewayUrl}/docs)
  Paper exchange  ${paperUrl}   (what it received: ${paperUrl}/paper/received)
  Gateway's log   ${logFile}

Get a token and place an order. Paste both lines into another terminal:

TOKEN=$(curl -s ${gatewayUrl}/auth/token -H 'content-type: application/json' -d '${credentials}' | sed -E 's/.*"token":"([^"]+)".*/\\1/')
curl -s ${gatewayUrl}/api/mx/v1/submitOrder -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${order}'

The client has keys for MEXC and for a unified account of Bitget. The programs for bots in docs/bots run with it:

export SLUICE_URL=${gatewayUrl} SLUICE_CLIENT_ID=${DEMO_CLIENT} SLUICE_CLIENT_SECRET='${clientSecret}'
${classic}
Then look at the orders under Logs in the console. Ctrl-C stops everything.
`
}

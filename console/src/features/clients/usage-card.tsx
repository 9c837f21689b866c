import { Stack } from '@mantine/core'
import { getToken, mxTickerPrice, urlOf } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CodeSample } from '../../components/code-sample.tsx'
import { texts } from './texts.ts'

/** How a bot uses its credential: a token first, then calls with it. */
export function UsageCard() {
  const tokenCall = [
    `${getToken.method} ${getToken.path}`,
    '',
    JSON.stringify({ clientId: 'your-client-id', clientSecret: 'your-client-secret' }, null, 2),
  ].join('\n')
  const address = urlOf(mxTickerPrice, { query: { symbol: 'BTCUSDT' } })
  const apiCall = [`${mxTickerPrice.method} ${address}`, 'Authorization: Bearer <token>'].join('\n')

  return (
    <Card title={texts.usage.title} description={`Base URL ${gatewayUrl()}`}>
      <Stack gap="sm">
        <CodeSample label={texts.usage.step1} code={tokenCall} />
        <CodeSample label={texts.usage.step2} code={apiCall} />
      </Stack>
    </Card>
  )
}

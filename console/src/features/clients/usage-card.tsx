import { Stack } from '@mantine/core'
import { getToken, mxTickerPrice, urlOf } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import * as texts from './texts.ts'

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
    <Card title={texts.usage.title} description={texts.usage.description(gatewayUrl())}>
      <Stack gap="sm">
        <CodeBlock
          title={texts.usage.step1}
          label={texts.usage.step1}
          language="json"
          code={tokenCall}
        />
        <CodeBlock
          title={texts.usage.step2}
          label={texts.usage.step2}
          language="json"
          code={apiCall}
        />
      </Stack>
    </Card>
  )
}

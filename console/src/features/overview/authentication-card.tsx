import { SimpleGrid } from '@mantine/core'
import { getToken, mxTickerPrice, TOKEN_TTL_SECONDS } from 'schema'
import { RequestSample } from '../../api/request-sample.tsx'
import { Card } from '../../components/card.tsx'
import * as pageTexts from './texts.ts'

const texts = pageTexts.authentication

/** How a bot gets its token and uses it. */
export function AuthenticationCard() {
  const { clientId } = getToken.sample.body
  return (
    <Card title={texts.title} description={texts.description(TOKEN_TTL_SECONDS)}>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <RequestSample
          title={texts.token(`${getToken.method} ${getToken.path}`)}
          label={texts.tokenLabel}
          endpoint={getToken}
          input={{ body: { clientId, clientSecret: 'your-client-secret' } }}
        />
        <RequestSample
          title={texts.call}
          label={texts.callLabel}
          endpoint={mxTickerPrice}
          input={{ query: mxTickerPrice.sample.query }}
          token="your-token"
        />
      </SimpleGrid>
    </Card>
  )
}

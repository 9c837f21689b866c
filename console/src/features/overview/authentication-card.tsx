import { SimpleGrid } from '@mantine/core'
import { getToken, mxTickerPrice, TOKEN_TTL_SECONDS } from 'schema'
import { RequestSample } from '../../api/request-sample.tsx'
import { Card } from '../../components/card.tsx'

/** How a bot gets its token and uses it. */
export function AuthenticationCard() {
  const { clientId } = getToken.sample.body
  return (
    <Card
      title="Authentication"
      description={`A bot exchanges its client id and secret for a token that is valid for ${TOKEN_TTL_SECONDS} seconds`}
    >
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <RequestSample
          title={`1. Get a token: ${getToken.method} ${getToken.path}`}
          label="Token request"
          endpoint={getToken}
          input={{ body: { clientId, clientSecret: 'your-client-secret' } }}
        />
        <RequestSample
          title="2. Call an API with the token"
          label="Bearer request"
          endpoint={mxTickerPrice}
          input={{ query: mxTickerPrice.sample.query }}
          token="your-token"
        />
      </SimpleGrid>
    </Card>
  )
}

import { SimpleGrid } from '@mantine/core'
import { getToken, mxTickerPrice, TOKEN_TTL_SECONDS } from 'schema'
import { curlOf } from '../../api/curl.ts'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'

/** How a bot gets its token and uses it. */
export function AuthenticationCard() {
  const { clientId } = getToken.sample.body
  return (
    <Card
      title="Authentication"
      description={`A bot exchanges its client id and secret for a token that lives ${TOKEN_TTL_SECONDS} seconds`}
    >
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <CodeBlock
          title={`1. Get a token: ${getToken.method} ${getToken.path}`}
          label="Token request"
          language="shell"
          code={curlOf(getToken, { body: { clientId, clientSecret: 'your-client-secret' } })}
        />
        <CodeBlock
          title="2. Call an API with the token"
          label="Bearer request"
          language="shell"
          code={curlOf(
            mxTickerPrice,
            { query: mxTickerPrice.sample.query },
            { token: 'your-token' },
          )}
        />
      </SimpleGrid>
    </Card>
  )
}

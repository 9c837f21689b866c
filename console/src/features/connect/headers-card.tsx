import { SimpleGrid, Text } from '@mantine/core'
import { botHeaders } from 'schema'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { InlineCode } from '../../components/inline-code.tsx'
import * as texts from './texts.ts'

/** The request headers that change what the gateway does. */
export function HeadersCard() {
  return (
    <Card title={texts.headers.title} description={texts.headers.description}>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        {botHeaders.map(({ name, line, text }) => (
          <div key={name}>
            <CodeBlock title={name} label={name} language="plain" code={line} />
            <Text fz="sm" mt={8}>
              <InlineCode text={text} />
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Card>
  )
}

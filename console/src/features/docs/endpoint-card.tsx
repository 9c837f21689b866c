import { Anchor, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { Endpoint } from 'schema'
import { Link } from 'wouter'
import { RequestSample } from '../../api/request-sample.tsx'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { InlineCode } from '../../components/inline-code.tsx'
import { shellVariable } from '../../components/shell-quote.ts'
import classes from './docs.module.css'
import { EndpointPath } from './endpoint-path.tsx'
import { parametersOf } from './field-schema.ts'
import { ParameterTable } from './parameter-table.tsx'
import * as texts from './texts.ts'

interface EndpointCardProps {
  readonly endpoint: Endpoint
  /** Address of the page with its form, when that is another one. */
  readonly formAt?: string | undefined
}

/** What the catalogue says of an endpoint: address, rules, parameters, samples. */
export function EndpointCard({ endpoint, formAt }: EndpointCardProps) {
  const { summary, description, notes = [], sample, access, id } = endpoint
  const parameters = parametersOf(endpoint)
  const token = access === 'public' ? undefined : shellVariable('TOKEN')
  return (
    <Card
      title={summary}
      actions={
        formAt !== undefined && (
          <Anchor component={Link} href={formAt} fz="sm">
            {texts.tryIt}
          </Anchor>
        )
      }
    >
      <Stack gap="md">
        <EndpointPath endpoint={endpoint} />
        {description !== undefined && (
          <Text fz="sm">
            <InlineCode text={description} />
          </Text>
        )}
        {notes.length > 0 && (
          <ul className={classes.notes}>
            {notes.map((note) => (
              <li key={note}>
                <InlineCode text={note} />
              </li>
            ))}
          </ul>
        )}
        <div>
          <Title order={3} fz="sm" mb={6}>
            {texts.parameters}
          </Title>
          {parameters.length > 0 ? (
            <ParameterTable endpointId={id} parameters={parameters} />
          ) : (
            <Text fz="sm" c="dimmed">
              {texts.noParameters}
            </Text>
          )}
        </div>
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <RequestSample
            title={texts.sampleRequest}
            endpoint={endpoint}
            input={{ ...sample }}
            token={token}
          />
          {sample?.response !== undefined && (
            <CodeBlock
              title={texts.sampleResponse}
              label={texts.sampleResponse}
              language="json"
              code={JSON.stringify(sample.response, null, 2)}
            />
          )}
        </SimpleGrid>
      </Stack>
    </Card>
  )
}

import { Code, Group, Stack, Text, Title } from '@mantine/core'
import type { Endpoint } from 'schema'
import { RequestSample, shellVariable } from '../../api/request-sample.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Card, PageLink, Quiet } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { InlineCode } from '../../components/short-text.tsx'
import { MethodTag } from '../../components/signs.tsx'
import classes from './docs.module.css'
import { describeType, type Parameter, parametersOf } from './form-fields.ts'
import * as texts from './texts.ts'

interface EndpointCardProps {
  readonly endpoint: Endpoint
  /** Address of the page with its form, when that is another one. */
  readonly formAt?: string | undefined
  /** Its rules and parameters are those of the one above. */
  readonly isBrief?: boolean
}

/** What the catalogue says of an endpoint: address, rules, parameters, samples. */
export function EndpointCard({ endpoint, formAt, isBrief = false }: EndpointCardProps) {
  const { summary, description, sample, access } = endpoint
  const token = access === 'public' ? undefined : shellVariable('TOKEN')
  return (
    <Card
      title={summary}
      actions={formAt !== undefined && <PageLink href={formAt}>{texts.tryIt}</PageLink>}
    >
      <Stack gap="md">
        <EndpointPath endpoint={endpoint} />
        {description !== undefined && (
          <Text fz="sm">
            <InlineCode text={description} />
          </Text>
        )}
        {!isBrief && <Rules endpoint={endpoint} />}
        <Stack gap="md">
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
        </Stack>
      </Stack>
    </Card>
  )
}

/** The rules of an endpoint, and its parameters. */
function Rules({ endpoint }: Pick<EndpointCardProps, 'endpoint'>) {
  const { summary, notes = [], id } = endpoint
  const parameters = parametersOf(endpoint)
  return (
    <>
      {notes.length > 0 && (
        <ul className={classes.notes}>
          {notes.map((note) => (
            <li key={note}>
              <InlineCode text={note} />
            </li>
          ))}
        </ul>
      )}
      <div className={classes.parameters}>
        <Title order={3} fz="sm" mb={6}>
          {texts.parameters}
        </Title>
        {parameters.length > 0 ? (
          <RowsTable
            label={`${texts.parameters}: ${summary}`}
            columns={columnsOf(id)}
            rows={parameters}
            keyOf={({ name }) => name}
            idOf={({ name }) => `${id}.${name}`}
            isNested
          />
        ) : (
          <Quiet>{texts.noParameters}</Quiet>
        )}
      </div>
    </>
  )
}

/** Method and path of an endpoint, and who may call it. */
function EndpointPath({ endpoint: { method, path, access } }: { endpoint: Endpoint }) {
  return (
    <Group gap={8}>
      <MethodTag method={method} />
      <code className={classes.path}>{path}</code>
      <CopyButton value={path} label={texts.path} name={texts.copyPath(path)} />
      <span className={classes.dim}>{texts.access[access]}</span>
    </Group>
  )
}

const words = texts.parameter

/** Names, types, limits and meanings; each parameter has an address of its own. */
const columnsOf = (endpointId: string) =>
  columnsFrom<Parameter>(words.columns, {
    name: {
      isRowHeader: true,
      width: '28%',
      cell: ({ name, isRequired, place }) => (
        <>
          <a href={`#${endpointId}.${name}`} className={classes.anchor}>
            {name}
          </a>
          <div className={classes.dim}>
            {isRequired ? words.required : words.optional}
            {place !== 'body' && `, ${words.inPlace[place]}`}
          </div>
        </>
      ),
    },
    type: {
      card: 'line',
      width: '28%',
      cell: ({ schema }) => (
        <>
          {describeType(schema)}
          {schema.enum?.map((choice) => (
            <span key={String(choice)}>
              {' '}
              <Code>{String(choice)}</Code>
            </span>
          ))}
          {schema.default !== undefined && schema.enum?.length !== 1 && (
            <div className={classes.dim}>{words.default(String(schema.default))}</div>
          )}
        </>
      ),
    },
    description: {
      card: 'line',
      cell: ({ schema }) => <InlineCode text={schema.description ?? ''} />,
    },
  })

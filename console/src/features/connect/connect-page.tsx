import { Anchor, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core'
import {
  botErrors,
  botHeaders,
  EXCHANGE_NAMES,
  EXCHANGES,
  type ExchangeCode,
  getToken,
} from 'schema'
import { Link } from 'wouter'
import { gatewayUrl } from '../../api/gateway-url.ts'
import {
  CodeBlock,
  chooseCodeLanguage,
  codeLanguages,
  colouringOf,
  useCodeLanguage,
} from '../../components/code-block.tsx'
import { CopyField } from '../../components/copy.tsx'
import { Card, PageHeader, Quiet } from '../../components/page.tsx'
import { columnsFrom, RowsTable } from '../../components/rows-table.tsx'
import { InlineCode } from '../../components/short-text.tsx'
import { StatusTag } from '../../components/signs.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import classes from './connect.module.css'
import { programsOf } from './programs.ts'
import * as texts from './texts.ts'

const exchangeOptions = EXCHANGES.map((value) => ({ value, label: EXCHANGE_NAMES[value] }))

/** All that a bot's author needs, with this gateway's address filled in. */
export default function ConnectPage() {
  const [wanted, setExchange] = useAddressParam('exchange')
  const exchange = EXCHANGES.find((code) => code === wanted) ?? 'mx'
  const { language } = useCodeLanguage()
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Group gap="sm">
            <SegmentedControl
              aria-label={texts.exchange}
              data={exchangeOptions}
              value={exchange}
              onChange={setExchange}
            />
            <SegmentedControl
              aria-label={texts.language}
              data={[...codeLanguages]}
              value={language}
              onChange={chooseCodeLanguage}
            />
          </Group>
        }
      />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
          <BeforeCard />
          <SettingsCard exchange={exchange} />
        </SimpleGrid>
        {(['both', exchange] as const).map((group) => (
          <Card key={group} {...texts.programGroups[group]}>
            <Stack gap="md">
              {programsOf(language, group, gatewayUrl()).map(({ title: what, file, code }) => (
                <CodeBlock
                  key={file}
                  title={`${what}: ${file}`}
                  label={file}
                  language={colouringOf[language]}
                  code={code}
                />
              ))}
            </Stack>
          </Card>
        ))}
        <HeadersCard />
        <ErrorsCard />
      </Stack>
    </>
  )
}

const before = texts.before
const ENVIRONMENT = `export SLUICE_CLIENT_ID='your-client-id'
export SLUICE_CLIENT_SECRET='your-client-secret'`

/** What an administrator prepares, and how the bot gets its credential. */
function BeforeCard() {
  return (
    <Card title={before.title}>
      <ol className={classes.steps}>
        {before.steps.map(({ href, link, rest }) => (
          <li key={href}>
            <Anchor component={Link} fz="sm" underline="always" href={href}>
              {link}
            </Anchor>{' '}
            {rest}
          </li>
        ))}
        <li>{before.environment}</li>
      </ol>
      <CodeBlock
        title={before.variables}
        label={before.variables}
        language="shell"
        code={ENVIRONMENT}
      />
    </Card>
  )
}

const settings = texts.settings

/** The few values that differ from a bot that calls the exchange itself. */
function SettingsCard({ exchange }: { readonly exchange: ExchangeCode }) {
  const { origin } = window.location
  return (
    <Card title={settings.title} description={settings.description}>
      <Stack gap="xs">
        <CopyField label={settings.baseUrl} value={`${gatewayUrl()}/${exchange}`} />
        <CopyField
          label={settings.token}
          value={`${getToken.method} ${gatewayUrl()}${getToken.path}`}
        />
        <CopyField label={settings.header} value="Authorization: Bearer <token>" />
        <CopyField label={settings.placeholder} value="via-sluice" />
        {[
          settings.placeholderHint,
          ...(exchange === 'bg' ? [settings.bitgetKinds] : []),
          ...(gatewayUrl() === origin ? [] : [settings.origin(origin)]),
        ].map((hint) => (
          <Quiet key={hint}>{hint}</Quiet>
        ))}
      </Stack>
    </Card>
  )
}

/** The request headers that change what the gateway does. */
function HeadersCard() {
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

const errors = texts.errors

/** The errors that a bot meets, and whether it may send the same again. */
function ErrorsCard() {
  return (
    <Card title={errors.title} description={errors.description}>
      <RowsTable
        label={errors.title}
        rows={botErrors}
        keyOf={({ code }) => code}
        columns={COLUMNS}
      />
      <Text fz="sm" c="dimmed" mt="sm">
        {errors.rest}{' '}
        <Anchor href={`${gatewayUrl()}/docs`} fz="sm" underline="always">
          {errors.restLink}
        </Anchor>
      </Text>
    </Card>
  )
}

const COLUMNS = columnsFrom<(typeof botErrors)[number]>(errors.columns, {
  code: {
    ...{ isRowHeader: true, card: 'plain' },
    cell: ({ code, status }) => (
      <>
        <StatusTag status={status} /> <code className={classes.code}>{code}</code>
      </>
    ),
  },
  means: { card: 'line', cell: ({ means }) => means },
  todo: { card: 'line', cell: ({ todo }) => <InlineCode text={todo} /> },
})

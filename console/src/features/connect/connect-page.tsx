import { Group, SegmentedControl, SimpleGrid, Stack } from '@mantine/core'
import { EXCHANGE_NAMES, EXCHANGES } from 'schema'
import {
  chooseCodeLanguage,
  codeLanguages,
  useCodeLanguage,
} from '../../components/code-language.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { useAddressParam } from '../../components/use-address-param.ts'
import { BeforeCard } from './before-card.tsx'
import { ErrorsCard } from './errors-card.tsx'
import { HeadersCard } from './headers-card.tsx'
import { ProgramsCard } from './programs-card.tsx'
import { SettingsCard } from './settings-card.tsx'
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
        <ProgramsCard
          title={texts.token.title}
          description={texts.token.description}
          group="both"
          language={language}
        />
        <ProgramsCard
          title={texts.calls.title(EXCHANGE_NAMES[exchange])}
          description={texts.calls.description}
          group={exchange}
          language={language}
        />
        <HeadersCard />
        <ErrorsCard />
      </Stack>
    </>
  )
}

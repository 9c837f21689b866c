import { Stack, Text } from '@mantine/core'
import { type ExchangeCode, getToken } from 'schema'
import { gatewayUrl } from '../../api/gateway-url.ts'
import { Card } from '../../components/card.tsx'
import { CopyField } from '../../components/copy-field.tsx'
import * as texts from './texts.ts'

const settings = texts.settings

/** The few values that differ from a bot that calls the exchange itself. */
export function SettingsCard({ exchange }: { readonly exchange: ExchangeCode }) {
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
        <Text fz="sm" c="dimmed">
          {settings.placeholderHint}
        </Text>
        {exchange === 'bg' && (
          <Text fz="sm" c="dimmed">
            {settings.bitgetKinds}
          </Text>
        )}
      </Stack>
    </Card>
  )
}

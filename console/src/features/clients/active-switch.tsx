import { Switch } from '@mantine/core'
import { toggleClient } from 'schema'
import { reportFailure } from '../../api/report-failure.tsx'
import { RoleOnly } from '../../api/role-only.tsx'
import { toast } from '../../components/toast.tsx'
import * as texts from './texts.ts'
import { type ClientRecord, useToggleClient } from './use-clients.ts'

interface ActiveSwitchProps {
  readonly client: ClientRecord
  readonly onToggled: (client: ClientRecord) => void
}

/** The id of a row's switch, where the keyboard goes back to. */
export const switchId = (id: number) => `switch-client-${id}`

/**
 * Shows the wished state at once, is disabled until the response, and falls back when the server
 * refuses.
 */
export function ActiveSwitch({ client, onToggled }: ActiveSwitchProps) {
  const { toggle, isPending } = useToggleClient()
  const press = async () => {
    try {
      await toggle(client)
      toast({ title: texts.toggled.title, message: texts.toggled.text })
      onToggled(client)
    } catch (error) {
      reportFailure(error, { fallback: texts.toggleFailed })
    }
  }
  return (
    <RoleOnly endpoint={toggleClient}>
      <Switch
        id={switchId(client.id)}
        size="sm"
        aria-label={texts.of.active(client.clientId)}
        checked={client.isActive !== isPending}
        disabled={isPending}
        onChange={press}
      />
    </RoleOnly>
  )
}

import { Text } from '@mantine/core'
import { type ExchangeCode, getStats } from 'schema'
import { useLiveQuery } from '../../api/use-live-query.ts'
import { Icon } from '../../components/icons.tsx'
import classes from './docs.module.css'
import * as texts from './texts.ts'

// A gateway that was restarted may stand before another exchange.
const READ_EVERY_MS = 30_000

/** Says at the send button whether an order moves real money. */
export function EnvironmentNote({ exchange }: { readonly exchange: ExchangeCode }) {
  const { data } = useLiveQuery(getStats, READ_EVERY_MS)
  const lane = data?.exchanges?.find((each) => each.exchange === exchange)
  const environment = lane?.environment ?? 'unknown'
  return (
    <Text fz="xs" className={classes.environment} data-environment={environment}>
      <Icon name={environment === 'paper' ? 'flask' : 'alert'} size={16} />
      {texts.environment[environment]}
    </Text>
  )
}

import { Text } from '@mantine/core'
import { type ExchangeCode, getStats } from 'schema'
import { useQuery } from '../../api/use-query.ts'
import { Icon } from '../../components/icons.tsx'
import classes from './docs.module.css'
import { texts } from './texts.ts'

/** Says at the send button whether an order moves real money. */
export function EnvironmentNote({ exchange }: { readonly exchange: ExchangeCode }) {
  const { data } = useQuery(getStats)
  const lane = data?.exchanges?.find((each) => each.exchange === exchange)
  const environment = lane?.environment ?? 'unknown'
  return (
    <Text fz="xs" className={classes.environment} data-environment={environment}>
      <Icon name={environment === 'paper' ? 'flask' : 'alert'} size={16} />
      {texts.environment[environment]}
    </Text>
  )
}

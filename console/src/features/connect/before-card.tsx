import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { Card } from '../../components/card.tsx'
import { CodeBlock } from '../../components/code-block.tsx'
import classes from './connect.module.css'
import * as texts from './texts.ts'

const before = texts.before
const ENVIRONMENT = `export SLUICE_CLIENT_ID='your-client-id'
export SLUICE_CLIENT_SECRET='your-client-secret'`

/** What an administrator prepares, and how the bot gets its credential. */
export function BeforeCard() {
  return (
    <Card title={before.title}>
      <ol className={classes.steps}>
        <li>
          <Anchor component={Link} fz="sm" underline="always" href="/client-credentials">
            {before.client}
          </Anchor>{' '}
          {before.clientRest}
        </li>
        <li>
          <Anchor component={Link} fz="sm" underline="always" href="/api-key-management">
            {before.keys}
          </Anchor>{' '}
          {before.keysRest}
        </li>
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

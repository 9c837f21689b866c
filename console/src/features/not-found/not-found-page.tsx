import { Button, Code, Paper, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { PageHeader } from '../../components/page-header.tsx'
import * as texts from './texts.ts'

/** Any address without a page. */
export function NotFoundPage() {
  const [location] = useLocation()
  return (
    <>
      <PageHeader title={texts.title} />
      <Paper withBorder p="lg">
        <Text mb="md" style={{ overflowWrap: 'anywhere' }}>
          {texts.before}
          <Code>{location}</Code>
          {texts.after}
        </Text>
        <Button component={Link} href="/">
          {texts.back}
        </Button>
      </Paper>
    </>
  )
}

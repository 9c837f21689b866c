import { Button, Code, Paper, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { PageHeader } from '../../components/page.tsx'
import * as texts from '../../components/page-texts.ts'

/** Any address without a page. */
export function NotFoundPage() {
  const [location] = useLocation()
  return (
    <>
      <PageHeader title={texts.notFoundTitle} />
      <Paper withBorder p="lg">
        <Text mb="md" style={{ overflowWrap: 'anywhere' }}>
          {texts.notFound} <Code>{location}</Code>
        </Text>
        <Button component={Link} href="/">
          {texts.notFoundBack}
        </Button>
      </Paper>
    </>
  )
}

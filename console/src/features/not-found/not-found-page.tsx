import { Button, Code, Paper, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { PageHeader } from '../../components/page-header.tsx'

/** Any address without a page. */
export function NotFoundPage() {
  const [location] = useLocation()
  return (
    <>
      <PageHeader title="Page Not Found" />
      <Paper withBorder p="lg">
        <Text mb="md" style={{ overflowWrap: 'anywhere' }}>
          There is no page at <Code>{location}</Code>.
        </Text>
        <Button component={Link} href="/">
          Back to the overview
        </Button>
      </Paper>
    </>
  )
}

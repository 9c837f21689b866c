import { Anchor, Code, Text } from '@mantine/core'
import { Link, useLocation } from 'wouter'
import { PageHeader } from '../../components/page-header.tsx'

export default function NotFoundPage() {
  const [location] = useLocation()
  return (
    <>
      <PageHeader title="Page Not Found" />
      <Text mb="md">
        There is no page at <Code>{location}</Code>.
      </Text>
      <Anchor component={Link} href="/">
        Back to the overview
      </Anchor>
    </>
  )
}

import { SimpleGrid, Stack, Text } from '@mantine/core'
import { getAccount } from 'schema'
import { QueryView } from '../../api/query-view.tsx'
import { useQuery } from '../../api/use-query.ts'
import { Card } from '../../components/card.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { FactorsCard } from './factors-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import * as texts from './texts.ts'

/** What a person can see and change of their own: role, second factors, password, sessions. */
export default function AccountPage() {
  const query = useQuery(getAccount)
  const { data } = query
  return (
    <>
      <PageHeader
        title={texts.title}
        description={data && texts.description(data.email, texts.roles[data.role])}
      />
      <QueryView query={query} what={texts.what}>
        {(account) => (
          <Stack gap="md">
            <FactorsCard account={account} />
            <SimpleGrid cols={{ base: 1, md: account.hasPassword === false ? 1 : 2 }} spacing="md">
              {account.hasPassword !== false && <PasswordCard email={account.email} />}
              <Card title={texts.roleTitle}>
                <Text fz="sm">{texts.roleHints[account.role]}</Text>
                {typeof account.provider === 'string' && (
                  <Text fz="sm" c="dimmed" mt="xs">
                    {texts.roleFrom(account.provider)}
                  </Text>
                )}
              </Card>
            </SimpleGrid>
            <SessionsCard />
          </Stack>
        )}
      </QueryView>
    </>
  )
}

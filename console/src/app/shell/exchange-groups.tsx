import { Box, Text } from '@mantine/core'
import { type DocPage, docPages, EXCHANGE_NAMES, EXCHANGES } from 'schema'
import { useLocation } from 'wouter'
import { isCurrent } from '../addresses.ts'
import { DocSection } from './doc-section.tsx'
import { NavGroup } from './nav-group.tsx'
import * as texts from './texts.ts'

interface ExchangeGroupsProps {
  readonly onNavigate: () => void
}

/**
 * One folded group per exchange, and in it one folded section per kind of call, drawn from the
 * catalogue.
 */
export function ExchangeGroups({ onNavigate }: ExchangeGroupsProps) {
  const [location] = useLocation()
  return (
    <Box component="nav" aria-labelledby="exchange-apis" mt="md">
      <Text id="exchange-apis" component="h2" fz="xs" fw={600} c="dimmed" px="sm" mb={4}>
        {texts.exchangeApis}
      </Text>
      {EXCHANGES.map((exchange) => {
        const pages = docPages.filter((page) => page.exchange === exchange)
        return (
          <NavGroup
            key={exchange}
            label={EXCHANGE_NAMES[exchange]}
            isStrong
            isCurrent={pages.some(({ path }) => isCurrent(path, location))}
          >
            {sectionsOf(pages).map((section) => (
              <DocSection
                key={section}
                title={section}
                pages={pages.filter((page) => page.section === section)}
                onNavigate={onNavigate}
              />
            ))}
          </NavGroup>
        )
      })}
    </Box>
  )
}

function sectionsOf(pages: readonly DocPage[]): DocPage['section'][] {
  return [...new Set(pages.map((page) => page.section))]
}

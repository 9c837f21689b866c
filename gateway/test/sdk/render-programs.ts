import { botSnippets } from 'schema'

const exchangeNames = { mx: 'MEXC', bg: 'Bitget' } as const
const fences = { curl: 'sh', javascript: 'js', python: 'py' } as const
const languageNames = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const

/** The programs as the page for bot authors shows them. */
export function renderPrograms(gatewayUrl: string): string {
  return botSnippets({ gatewayUrl })
    .map(({ id, language, exchange, title, file, code }) => {
      const where = exchange === null ? '' : ` on ${exchangeNames[exchange]}`
      const heading = `<a id="${id}"></a>\n### ${languageNames[language]}${where}: ${title}`
      return `${heading}\n\n\`${file}\`\n\n\`\`\`${fences[language]}\n${code}\n\`\`\`\n`
    })
    .join('\n')
}

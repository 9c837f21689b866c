export type Language = 'json' | 'shell' | 'javascript' | 'python' | 'plain'
type TokenKind = 'key' | 'string' | 'number' | 'literal' | 'flag' | 'comment' | 'plain'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

// Named groups are the kinds; what no group takes is plain.
const RULES: Record<Exclude<Language, 'plain'>, RegExp> = {
  json: /(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\\n]|\\.)*")|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<literal>\b(?:true|false|null)\b)/g,
  shell:
    /(?<comment>(?<=^|\s)#.*)|(?<string>'[^']*'|"(?:[^"\\]|\\.)*")|(?<flag>(?<=\s)--?[A-Za-z][\w-]*)|(?<key>^(?:curl|export)\b)/gm,
  javascript:
    /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<key>\b(?:async|await|class|const|export|extends|from|function|if|import|let|new|return|throw)\b)|(?<literal>\b(?:true|false|null|undefined)\b)|(?<number>\b\d[\d_.]*\b)/g,
  python:
    /(?<comment>#.*)|(?<string>f?"""[\s\S]*?"""|f?"(?:[^"\\\n]|\\.)*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<key>\b(?:class|def|for|from|global|if|import|in|not|or|raise|return)\b)|(?<literal>\b(?:True|False|None)\b)|(?<number>\b\d[\d_.]*\b)/g,
}

/**
 * Cuts code into coloured pieces; put together again they are the text, character for character.
 */
export function tokenize(text: string, language: Language): Token[] {
  if (language === 'plain') return [{ kind: 'plain', text }]
  const tokens: Token[] = []
  let end = 0
  for (const match of text.matchAll(RULES[language])) {
    if (match.index > end) tokens.push({ kind: 'plain', text: text.slice(end, match.index) })
    tokens.push({ kind: kindOf(match.groups), text: match[0] })
    end = match.index + match[0].length
  }
  if (end < text.length) tokens.push({ kind: 'plain', text: text.slice(end) })
  return tokens
}

function kindOf(groups: Record<string, string | undefined> = {}): TokenKind {
  const kind = Object.keys(groups).find((name) => groups[name] !== undefined)
  // The names of the groups above.
  return (kind ?? 'plain') as TokenKind
}

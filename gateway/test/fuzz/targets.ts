import type { Target } from './target.ts'
import { csv } from './targets/csv.ts'
import { dropInBodies } from './targets/drop-in-bodies.ts'
import { environment } from './targets/environment.ts'
import { exchangeResponses } from './targets/exchange-responses.ts'
import { headers } from './targets/headers.ts'
import { paths } from './targets/paths.ts'
import { rawSockets } from './targets/raw-sockets.ts'
import { redactor } from './targets/redactor.ts'
import { routes } from './targets/routes.ts'
import { sealedTexts } from './targets/sealed-texts.ts'
import { secondFactors } from './targets/second-factors.ts'
import { tokens } from './targets/tokens.ts'

/** In the order in which they run. */
export const targets: readonly Target[] = [
  paths,
  dropInBodies,
  exchangeResponses,
  redactor,
  sealedTexts,
  tokens,
  secondFactors,
  environment,
  csv,
  headers,
  rawSockets,
  routes,
]

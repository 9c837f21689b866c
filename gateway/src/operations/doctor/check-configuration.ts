import { type Config, ConfigError, readConfig } from '../../config.ts'
import { ENV } from '../../env/table.ts'
import { plainHttpWarning } from '../plain-http-setting.ts'
import { about, type Finding } from './finding.ts'

export interface ConfigurationCheck {
  readonly findings: readonly Finding[]
  /** Undefined when the configuration is not usable: then the doctor stops here. */
  readonly config: Config | undefined
}

/** Checks the environment as a start would. */
export function checkConfiguration(env: NodeJS.ProcessEnv): ConfigurationCheck {
  const { ok, warn, fail } = about('configuration')
  try {
    const config = readConfig(env)
    const set = Object.keys(ENV).filter((name) => (env[name] ?? '') !== '')
    const plainHttp = plainHttpWarning(config)
    const findings = [
      ok(set.length === 0 ? 'all defaults' : `${set.join(', ')} set and valid`),
      ...(config.firstAdmin === undefined
        ? []
        : [warn('ADMIN_PASSWORD is set', 'Remove it once the administrator exists.')]),
      ...config.misspelt.map((found) =>
        warn(found, 'docs/operations/configuration.md describes every setting.'),
      ),
      ...(plainHttp === undefined ? [] : [warn(plainHttp.found, plainHttp.advice)]),
    ]
    return { config, findings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'docs/operations/configuration.md describes every setting.'
    return { config: undefined, findings: error.problems.map((found) => fail(found, advice)) }
  }
}

/** A filter of the log. An absent field does not restrict the result. */
export interface LogFilter {
  /** Rows at or after this time. */
  sinceMs: number
  /** Rows before this time. */
  untilMs?: number | undefined
  /**
   * Part of the endpoint or the client id. ASCII letters match in upper and lower case; no
   * character is special.
   */
  search?: string | undefined
  /** 200 to 299, or 400 and above. */
  status?: 'success' | 'error' | undefined
  /** One status. */
  code?: number | undefined
  method?: string | undefined
  /** The whole path. */
  endpoint?: string | undefined
  clientId?: string | undefined
}

/** A condition on the columns that `request_logs` and `log_kinds` have in common. */
export interface LogCondition {
  readonly sql: string
  readonly params: Readonly<Record<string, string | number>>
}

/**
 * The condition of a filter, except for its times.
 * @returns undefined when the filter has only times
 */
export function toCondition(filter: LogFilter): LogCondition | undefined {
  const { search, status, code, method, endpoint, clientId } = filter
  const parts: string[] = []
  const params: Record<string, string | number> = {}
  if (search !== undefined && search !== '') {
    parts.push(`(endpoint like @search escape '\\' or client_id like @search escape '\\')`)
    params.search = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  }
  if (status === 'success') parts.push('status_code between 200 and 299')
  if (status === 'error') parts.push('status_code >= 400')
  if (code !== undefined) {
    parts.push('status_code = @code')
    params.code = code
  }
  if (method !== undefined) {
    parts.push('method = @method')
    params.method = method
  }
  if (endpoint !== undefined) {
    parts.push('endpoint = @endpoint')
    params.endpoint = endpoint
  }
  if (clientId !== undefined) {
    // A kind without a client has an empty one.
    parts.push(`client_id = @clientId and client_id <> ''`)
    params.clientId = clientId
  }
  return parts.length === 0 ? undefined : { sql: parts.join(' and '), params }
}
